#!/bin/bash
# PostgreSQL 18.6: a number from a sequence is handed out again after a failover, though its transaction was committed.
#
# Guess: with a synchronous standby, a number from nextval() is safe once its transaction has committed. The manual says so
# for numbers that leave the database: "make sure that the nextval call has been committed before doing so".
# Seen on 2026-11-30: the server logs a sequence once for 33 numbers. Only the session that writes this record waits for
# the standby. All other sessions get the next 32 numbers and commit at once, without a wait, although the standby has not
# received the record. After a failover the standby hands the same numbers out again: invoice numbers, or fencing tokens.
# Without replication a crash does the same while the record has not reached the disk.
#
# Output seen:
#   standby received: 33
#   first session, standby stopped: still waits
#   other sessions: 35 36 37
#   after the failover: 34 35 36 37
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"
primary=$(free_port) standby=$(free_port)
postgres_server primary "$primary"
sql() { "$postgres/psql" -XAtq "host=127.0.0.1 port=$1 user=postgres dbname=postgres" -c "$2"; }
sql "$primary" 'CREATE SEQUENCE number'
"${as_user[@]}" "$postgres/pg_basebackup" --no-sync --checkpoint=fast -R -h 127.0.0.1 -p "$primary" -U postgres -D standby
echo "port = $standby" >>standby/postgresql.conf
start standby.log "${as_user[@]}" "$postgres/postgres" -D standby
is_synchronous() { [ "$(sql "$primary" 'SELECT sync_state FROM pg_stat_replication')" = sync ]; }
sql "$primary" "ALTER SYSTEM SET synchronous_standby_names = '*'"
sql "$primary" 'SELECT pg_reload_conf()' >reload.txt
await is_synchronous
expect "standby received" "$(sql "$primary" "SELECT max(nextval('number')) FROM generate_series(1, 33)")" 33

"${as_user[@]}" "$postgres/pg_ctl" -D standby -m fast stop >stop.txt
sql "$primary" "SELECT nextval('number')" >first.txt 2>&1 &
first=$!
is_waiting() { [ "$(sql "$primary" "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")" = 1 ]; }
await is_waiting
numbers=()
for _ in 1 2 3; do numbers+=("$(timeout 10 "$postgres/psql" -XAtq "host=127.0.0.1 port=$primary user=postgres" -c "SELECT nextval('number')")"); done
expect "first session, standby stopped" "$(is_waiting && [ ! -s first.txt ] && echo still waits)" "still waits"
expect "other sessions" "${numbers[*]}" "35 36 37"

"${as_user[@]}" "$postgres/pg_ctl" -D primary -m immediate stop >stop.txt
wait "$first" || true
start promoted.log "${as_user[@]}" "$postgres/postgres" -D standby
await sql "$standby" 'SELECT 1'
sql "$standby" 'SELECT pg_promote()' >promote.txt
again=()
for _ in 1 2 3 4; do again+=("$(sql "$standby" "SELECT nextval('number')")"); done
expect "after the failover" "${again[*]}" "34 35 36 37"
