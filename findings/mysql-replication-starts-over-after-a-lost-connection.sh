#!/bin/bash
# mysql-replication 1.0.17 (Python): after a lost connection a reader by GTID gets all transactions since its start again.
#
# Guess: BinLogStreamReader(auto_position=..., blocking=True) reconnects by itself after a restart or failover of the
# server and goes on behind the last transaction that it gave out.
# Seen on 2026-11-30 with MariaDB 10.11.19: it reconnects without an error and asks for the position that it was created
# with. A reader that has run for a week gives out the week again: each row is there twice, without a mark. By file and
# position it goes on where it was, but only without is_mariadb=True, which makes the reader ignore both and begin with the
# first binary log. What helps is to keep the GTID of the last transaction in the program, and to drop events up to it.
# Needs Debian 12 (bookworm).
#
# Output seen:
#   by GTID, connection lost after row 3: 1 2 3 1 2 3 4
#   by file and position, connection lost after row 3: 1 2 3 4
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"
python_packages mysql-replication==1.0.17 PyMySQL==1.2.4
port=$(free_port)
mariadb_server server "$port" --log-bin=log --server-id=1 --binlog-format=ROW --binlog-row-metadata=FULL --binlog-row-image=FULL
sql() { mariadb --no-defaults -h127.0.0.1 -P"$port" -uroot -NB -e "$1"; }
sql 'CREATE DATABASE d; CREATE TABLE d.t (id INT PRIMARY KEY) ENGINE=InnoDB'
cat >reader.py <<'PYTHON'
import sys

from pymysqlreplication import BinLogStreamReader
from pymysqlreplication.row_event import WriteRowsEvent

mode, port, file, position, gtid = sys.argv[1:]
server_id = {"gtid": 98, "file": 99}[mode]
by_gtid = {"auto_position": gtid, "is_mariadb": True}
start = by_gtid if mode == "gtid" else {"log_file": file, "log_pos": int(position), "resume_stream": True}
settings = {"host": "127.0.0.1", "port": int(port), "user": "root", "passwd": ""}
events = BinLogStreamReader(settings, server_id, blocking=True, only_events=[WriteRowsEvent], **start)
for event in events:
    for row in event.rows:
        print(row["values"]["id"], flush=True)
PYTHON
seen() { # seen MODE: what a reader gives out whose connection is lost after row 3
  local output=$1.txt
  sql 'TRUNCATE d.t'
  read -r file position _ <<<"$(sql 'SHOW MASTER STATUS')"
  start "$output" python/bin/python reader.py "$1" "$port" "$file" "$position" "$(sql 'SELECT @@gtid_binlog_pos')"
  await is_reader_after 0
  sql 'INSERT INTO d.t VALUES (1); INSERT INTO d.t VALUES (2); INSERT INTO d.t VALUES (3)'
  await grep -q '^3$' "$output"
  lost=$(reader)
  sql "KILL $lost"
  await is_reader_after "$lost"
  sql 'INSERT INTO d.t VALUES (4)'
  await grep -q '^4$' "$output"
  grep -E '^[0-9]+$' "$output" | paste -sd' '
  kill "${started[-1]}"
}
reader() { sql "SELECT id FROM information_schema.processlist WHERE command = 'Binlog Dump' ORDER BY id DESC LIMIT 1"; }
is_reader_after() { [ "$(reader)" -gt "$1" ]; }
seen gtid >gtid.seen
seen file >file.seen
expect "by GTID, connection lost after row 3" "$(cat gtid.seen)" "1 2 3 1 2 3 4"
expect "by file and position, connection lost after row 3" "$(cat file.seen)" "1 2 3 4"
