#!/bin/bash
# sysbench 1.0.20: with --rate, a stall in which 131,072 events have queued up ends the run without any results.
#
# Guess: --rate keeps the arrival rate through an outage: events that wait are carried out later, and their latency counts
# from their arrival, which is right for measuring a failover. The summary then has the stall as its maximum.
# Seen on 2026-11-30 with MariaDB 10.11.19: that is so for short stalls. The queue has 131,072 places, and no option changes
# that. When it is full, the run ends with status 1 and without the summary: no latencies, no total, also for the time
# before the stall. At 20,000 transactions/s that is a failover of 6.6 s, at 2,000/s one of 66 s. Reports of single seconds
# say "lat 0.00" during the stall. Needs Debian 12 (bookworm).
#
# Output seen:
#   stall of 3 s: status 0, summary: 1
#   stall of 15 s: status 1, summary: 0, FATAL: The event queue is full
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"
sysbench_packages
port=$(free_port)
mariadb_server server "$port"
sql() { mariadb --no-defaults -h127.0.0.1 -P"$port" -uroot -NB -e "$1"; }
sql 'CREATE DATABASE d; CREATE TABLE d.t (id INT PRIMARY KEY, n INT) ENGINE=InnoDB; INSERT INTO d.t VALUES (1, 0)'
# The first event of each thread takes as long as a failover; later ones are quick.
cat >stall.lua <<'LUA'
sysbench.cmdline.options = { stall = { "seconds that the first event of each thread takes", 1 } }
local begun = false
function thread_init()
   con = sysbench.sql.driver():connect()
end
function event()
   if begun then con:query("UPDATE t SET n = n + 1 WHERE id = 1") else con:query("DO SLEEP(" .. sysbench.opt.stall .. ")") end
   begun = true
end
LUA
run() { # run STALL RATE: status, whether there is a summary, and the error
  local status=0
  sysbench ./stall.lua --stall="$1" --threads=2 --time=20 --events=0 --rate="$2" --db-driver=mysql --mysql-host=127.0.0.1 \
    --mysql-port="$port" --mysql-user=root --mysql-db=d run >"run$1.log" 2>&1 || status=$?
  echo "status $status, summary: $(grep -c '95th percentile' "run$1.log")$(grep -o 'FATAL: The event queue is full' "run$1.log" | sed 's/^/, /')"
}
expect "stall of 3 s" "$(run 3 50)" "status 0, summary: 1"
expect "stall of 15 s" "$(run 15 20000)" "status 1, summary: 0, FATAL: The event queue is full"
