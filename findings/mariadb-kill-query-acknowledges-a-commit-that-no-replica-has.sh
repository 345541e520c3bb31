#!/bin/bash
# MariaDB 10.11.19: KILL QUERY of a commit that waits for its semi-synchronous replica makes it succeed, without a warning.
#
# Guess: a killed INSERT returns error 1317 (query execution was interrupted) or 2013, and is rolled back or in doubt. A
# success means that a replica has the row, with rpl_semi_sync_master_wait_point = AFTER_SYNC and an endless timeout.
# Seen on 2026-11-30: the wait ends, and the client gets OK with no warnings, one row affected. The row is acknowledged and
# visible, is on no replica, and is lost if the primary dies. The counters say that semi-synchronous replication is ON
# still. Tools send KILL QUERY for statements that take long (pt-kill, or Ctrl-C in the client). PostgreSQL warns in that
# case; MySQL 9.7.4, by hand, goes on waiting. Needs Debian 12 (bookworm).
#
# Output seen:
#   the INSERT: success, 1 row affected, 0 warnings
#   rows that other sessions see: 1
#   Rpl_semi_sync_master_status: ON
#   rows at the replica: 0
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"
primary=$(free_port) replica=$(free_port)
mariadb_server primary "$primary" --log-bin=log --server-id=1 --rpl-semi-sync-master-enabled=ON \
  --rpl-semi-sync-master-timeout=3600000 --rpl-semi-sync-master-wait-point=AFTER_SYNC
sql() { mariadb --no-defaults -h127.0.0.1 -P"$1" -uroot -NB -e "$2"; }
mariadb_server replica "$replica" --server-id=2 --rpl-semi-sync-slave-enabled=ON --socket="$folder/replica.sock"
sql "$replica" "CHANGE MASTER TO master_host = '127.0.0.1', master_port = $primary, master_user = 'root',
  master_use_gtid = slave_pos; START SLAVE"
is_connected() { [ "$(sql "$primary" "SHOW STATUS LIKE 'Rpl_semi_sync_master_clients'" | cut -f2)" = 1 ]; }
await is_connected
sql "$primary" 'CREATE DATABASE d; CREATE TABLE d.t (id INT PRIMARY KEY) ENGINE=InnoDB'
arrived() { sql "$replica" 'SELECT 1 FROM d.t LIMIT 0'; }
await arrived

sql "$replica" 'STOP SLAVE IO_THREAD'
mariadb --no-defaults -h127.0.0.1 -P"$primary" -uroot -vvv -e 'INSERT INTO d.t VALUES (1)' >insert.txt 2>&1 &
inserting=$!
waiting() { sql "$primary" "SELECT id FROM information_schema.processlist WHERE state LIKE '%semi-sync ACK%' AND info LIKE 'INSERT%'"; }
is_waiting() { [ -n "$(waiting)" ]; }
await is_waiting
sql "$primary" "KILL QUERY $(waiting)"
status=0
wait "$inserting" || status=$?
expect "the INSERT" "$([ "$status" = 0 ] && grep -q '1 row affected' insert.txt && ! grep -q warning insert.txt && echo 'success, 1 row affected, 0 warnings')" \
  "success, 1 row affected, 0 warnings"
expect "rows that other sessions see" "$(sql "$primary" 'SELECT count(*) FROM d.t')" 1
expect "Rpl_semi_sync_master_status" "$(sql "$primary" "SHOW STATUS LIKE 'Rpl_semi_sync_master_status'" | cut -f2)" ON
expect "rows at the replica" "$(sql "$replica" 'SELECT count(*) FROM d.t')" 0
