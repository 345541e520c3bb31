#!/bin/bash
# MariaDB 10.11.19: one consistent SELECT sees a committed transaction, and only half of the one that it waited for.
#
# Guess: at REPEATABLE READ a SELECT without locks reads one snapshot: each transaction is in it as a whole or not at all,
# and with a transaction all that it depends on. So transfers between accounts never change the sum of all balances.
# Seen on 2026-11-30: about one of 50,000 such sums is wrong, and the table is right before and after. The read view is
# collected from a hash of active transactions without a lock (MDEV-21423 describes that). So, it seems, a transaction that
# is active when its place is read can commit, and a second one can take its row lock and commit before the place of that
# one is read: the view has the second one, with the balance that the first one left, and not the first one's other half.
# By hand also with innodb_snapshot_isolation = ON (3 of 70,000) and at SERIALIZABLE (1 of 60,000). The same load on MySQL
# 9.7.4: 0 of 150,000. No replication is involved. Needs Debian 12 (bookworm).
#
# Output seen:
#   the sum before and after: 1000 and 1000
#   sums that were wrong: some
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"
sysbench_packages
port=$(free_port)
mariadb_server server "$port"
sql() { mariadb --no-defaults -h127.0.0.1 -P"$port" -uroot -NB -e "$1"; }
sql 'CREATE DATABASE d; CREATE TABLE d.bank (id INT PRIMARY KEY, balance INT NOT NULL) ENGINE=InnoDB'
sql 'INSERT INTO d.bank VALUES (1,100),(2,100),(3,100),(4,100),(5,100),(6,100),(7,100),(8,100),(9,100),(10,100)'
total() { sql 'SELECT SUM(balance) FROM d.bank'; }
before=$(total)

# Half of the threads move money between account 1 and another one; each statement is a transaction.
cat >bank.lua <<'LUA'
function thread_init()
   con = sysbench.sql.driver():connect()
end
function event()
   if sysbench.tid % 2 == 0 then
      local other, n = sysbench.rand.uniform(2, 10), tonumber(sysbench.rand.uniform(0, 10)) - 5
      con:query(string.format("UPDATE bank SET balance = balance + IF(id = 1, %d, %d) WHERE id IN (1, %d)",
         n, -n, other))
   else
      local sum = con:query_row("SELECT SUM(balance) FROM bank")
      if sum ~= "1000" then print("wrong sum " .. sum) end
   end
end
LUA
wrong=0
for turn in 1 2 3 4 5 6 7 8; do
  sysbench ./bank.lua --threads=8 --time=15 --events=0 --db-driver=mysql --mysql-host=127.0.0.1 --mysql-port="$port" \
    --mysql-user=root --mysql-db=d run >turn.log
  wrong=$(grep -c '^wrong sum' turn.log || true)
  [ "$wrong" = 0 ] || break
done
expect "the sum before and after" "$before and $(total)" "1000 and 1000"
expect "sums that were wrong" "$([ "$wrong" = 0 ] && echo none || echo some)" some
