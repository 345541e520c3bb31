#!/bin/bash
# PostgreSQL 18.6: wal_receiver_status_interval = '400ms' is 0, and VACUUM at the primary removes nothing any more.
#
# Guess: a status interval of 400 ms instead of 1 s gives fresher lags in pg_stat_replication; a server that cannot keep
# a fraction of a second refuses it or rounds it up to 1 s.
# Seen on 2026-11-30: the value is rounded to the nearest second, 0, without a message, and 0 stops the messages of
# hot_standby_feedback, too, except one after the standby has connected. The primary keeps the last transaction ID that
# it heard (backend_xmin) for as long as the standby is connected: dead rows stay without end, though nothing runs at the
# standby and every view says streaming and no lag. A restart of the standby only moves that ID once.
#
# Output seen:
#   1s: interval 1s, dead rows kept: 0
#   reload with 400ms: interval 0, dead rows kept: 1000
#   restart with 400ms: interval 0, dead rows kept: 1000
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"
primary=$(free_port) standby=$(free_port)
postgres_server primary "$primary" "autovacuum = off"
sql() { "$postgres/psql" -XAtq "host=127.0.0.1 port=$1 user=postgres dbname=postgres" -c "$2"; }
"${as_user[@]}" "$postgres/pg_basebackup" --no-sync --checkpoint=fast -R -h 127.0.0.1 -p "$primary" -U postgres -D standby
printf '%s\n' "port = $standby" "hot_standby_feedback = on" "wal_receiver_status_interval = '1s'" >>standby/postgresql.conf
standby_starts() {
  start standby.log "${as_user[@]}" "$postgres/postgres" -D standby
  await streams
}
streams() { [ "$(sql "$primary" "SELECT state FROM pg_stat_replication WHERE backend_xmin IS NOT NULL")" = streaming ]; }
interval() { sql "$standby" 'SHOW wal_receiver_status_interval'; }
standby_starts

kept() { # kept TABLE: dead rows of a table whose rows are all deleted that VACUUM, five seconds later, cannot remove
  sql "$primary" "CREATE TABLE $1 AS SELECT generate_series(1, 1000) AS id"
  sql "$primary" "DELETE FROM $1"
  sleep 5
  "$postgres/psql" -Xq "host=127.0.0.1 port=$primary user=postgres dbname=postgres" -c "VACUUM (VERBOSE) $1" 2>&1 |
    sed -n 's/.*remain, \([0-9]*\) are dead but not yet removable.*/\1/p'
}
expect 1s "interval $(interval), dead rows kept: $(kept first)" "interval 1s, dead rows kept: 0"
echo "wal_receiver_status_interval = '400ms'" >>standby/postgresql.conf
sql "$standby" 'SELECT pg_reload_conf()' >reload.txt
sleep 3
expect "reload with 400ms" "interval $(interval), dead rows kept: $(kept second)" "interval 0, dead rows kept: 1000"
"${as_user[@]}" "$postgres/pg_ctl" -D standby -m fast stop >stop.txt
standby_starts
expect "restart with 400ms" "interval $(interval), dead rows kept: $(kept third)" "interval 0, dead rows kept: 1000"
