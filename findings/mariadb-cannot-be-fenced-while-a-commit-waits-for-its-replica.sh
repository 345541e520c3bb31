#!/bin/bash
# MariaDB 10.11.19: SET GLOBAL read_only waits as long as a commit waits for its semi-sync replica, and blocks locking reads.
#
# Guess: read_only takes an old primary out of service at once, above all when its replica does not answer and another server
# shall be promoted; max_statement_time ends a commit that is in the way.
# Seen on 2026-11-30: with a long rpl_semi_sync_master_timeout, the usual setting against losses, one waiting commit holds a
# lock that read_only and FLUSH TABLES WITH READ LOCK wait for, for lock_wait_timeout, a day by default. Locking reads
# queue behind them; plain reads go on. max_statement_time has no effect on the commit. KILL of its connection helps, or
# switching semi-synchronous replication off; both leave a row that no replica has. By hand, MySQL 9.7.4:
# super_read_only waits likewise ("Waiting for global read lock"). Needs Debian 12 (bookworm).
#
# Output seen:
#   COMMIT with max_statement_time of 2 s, no replica: still waits after 5 s
#   SET GLOBAL read_only = 1: still waits after 5 s
#   meanwhile, SELECT: 7
#   meanwhile, SELECT FOR UPDATE: still waits after 5 s
#   SET GLOBAL read_only = 1, semi-synchronous replication off: read-only
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"
port=$(free_port)
mariadb_server server "$port" --log-bin=log --server-id=1 --rpl-semi-sync-master-enabled=ON \
  --rpl-semi-sync-master-timeout=3600000
within() { # within STATEMENTS: their last output within 5 s
  timeout 5 mariadb --no-defaults -h127.0.0.1 -P"$port" -uroot -NB -e "$1" >result.txt || { echo "still waits after 5 s"; return; }
  tail -n 1 result.txt
}
sql() { mariadb --no-defaults -h127.0.0.1 -P"$port" -uroot -NB -e "$1"; }
sql 'SET sql_log_bin = 0; CREATE DATABASE d; CREATE TABLE d.t (id INT PRIMARY KEY) ENGINE=InnoDB'
sql 'SET sql_log_bin = 0; INSERT INTO d.t VALUES (7)'
expect "COMMIT with max_statement_time of 2 s, no replica" \
  "$(within "BEGIN; INSERT INTO d.t VALUES (1); SET max_statement_time = 2; COMMIT")" "still waits after 5 s"
sql 'SET GLOBAL read_only = 1' &
fencing=$!
is_fencing() { sql "SELECT state FROM information_schema.processlist WHERE info LIKE 'SET GLOBAL%'" | grep -q .; }
await is_fencing
sleep 5
expect "SET GLOBAL read_only = 1" "$(kill -0 "$fencing" && echo "still waits after 5 s")" "still waits after 5 s"
expect "meanwhile, SELECT" "$(within 'SELECT max(id) FROM d.t')" 7
expect "meanwhile, SELECT FOR UPDATE" "$(within 'SELECT max(id) FROM d.t FOR UPDATE')" "still waits after 5 s"
sql 'SET GLOBAL rpl_semi_sync_master_enabled = 0'
wait "$fencing"
expect "SET GLOBAL read_only = 1, semi-synchronous replication off" "$(within "SELECT IF(@@read_only, 'read-only', 'no')")" read-only
