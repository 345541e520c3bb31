#!/bin/bash
# MariaDB 10.11.19: MASTER_GTID_WAIT times out at the primary for a transaction that the primary itself committed.
#
# Guess: to read one's own writes, a program waits with MASTER_GTID_WAIT for the GTID of its last write at whichever
# server it reads from; the server that wrote it has it and returns 0 at once, as MySQL's WAIT_FOR_EXECUTED_GTID_SET does.
# Seen on 2026-11-30: the function looks at gtid_slave_pos alone, what the server has applied as a replica, not at
# gtid_current_pos or gtid_binlog_pos. So the primary lets every such read wait until its time-out and returns -1 (never, if no
# time-out is given), and a replica does the same from the moment of its promotion, for new writes only.
# Needs Debian 12 (bookworm).
#
# Output seen:
#   its own position: 0-1-3
#   waiting for it, 2 s: -1 after 2 s
#   what the server counts as applied: none
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"
port=$(free_port)
mariadb_server server "$port" --server-id=1 --log-bin=log
sql() { mariadb --no-defaults -h127.0.0.1 -P"$port" -uroot -NB -e "$1"; }
sql 'CREATE DATABASE d; CREATE TABLE d.written (id INT PRIMARY KEY)'
sql 'INSERT INTO d.written VALUES (1)'
own=$(sql 'SELECT @@gtid_current_pos')
expect "its own position" "$own" 0-1-3
expect "waiting for it, 2 s" \
  "$(sql "SET @begun = SYSDATE(6); SELECT CONCAT(MASTER_GTID_WAIT('$own', 2), ' after ', TIMESTAMPDIFF(SECOND, @begun, SYSDATE(6)), ' s')")" \
  "-1 after 2 s"
applied=$(sql 'SELECT @@gtid_slave_pos')
expect "what the server counts as applied" "${applied:-none}" none
