#!/bin/bash
# PostgreSQL 18.6: a crash ends every session and its statistics, and neither the start time nor stats_reset shows it.
#
# Guess: a program that polls pg_postmaster_start_time() notices every restart, and one that polls
# pg_stat_database.stats_reset notices when its counters begin at 0 again.
# Seen on 2026-11-30: after the death of one session's process (kill -9, as by the kernel out of memory) the server ends
# all sessions and runs crash recovery, but its first process goes on, with its start time. pg_stat_database starts
# again from 0 with stats_reset NULL, even if it had a time before, so rates become negative without a trace;
# pg_stat_wal, pg_stat_io and pg_stat_checkpointer show the time.
#
# Output seen:
#   other sessions: ended
#   pg_postmaster_start_time: as before
#   pg_stat_database.stats_reset: a time before, NULL after
#   its rows inserted: 1000 or more before, fewer after
#   pg_stat_wal.stats_reset: later than before
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"
port=$(free_port)
postgres_server server "$port"
sql() { "$postgres/psql" -XAtq "host=127.0.0.1 port=$port user=postgres dbname=postgres" -c "$1"; }
of_database() { sql "SELECT $1 FROM pg_stat_database WHERE datname = 'postgres'"; }
sql 'SELECT pg_stat_reset()' >reset.txt
sql 'CREATE TABLE written AS SELECT generate_series(1, 1000) AS id'
counted() { [ "$(of_database 'tup_inserted >= 1000')" = t ]; }
await counted
born=$(sql 'SELECT pg_postmaster_start_time()')
before="a time before"
[ -n "$(of_database stats_reset)" ] || before="NULL before"
reset=$(sql 'SELECT stats_reset FROM pg_stat_wal')

session() { "$postgres/psql" -X "host=127.0.0.1 port=$port user=postgres dbname=postgres" -c "SELECT pg_sleep($1)"; }
session 100 >victim.txt 2>&1 &
victim=$!
session 101 >other.txt 2>&1 &
other=$!
asleep() { [ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(10_)' AND pid <> pg_backend_pid()")" = 2 ]; }
await asleep
kill -9 "$(sql "SELECT pid FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(100)'")"
wait "$victim" || true
if wait "$other"; then others=survived; else others=ended; fi
await sql 'SELECT 1'

expect "other sessions" "$others" ended
again=later
[ "$(sql 'SELECT pg_postmaster_start_time()')" = "$born" ] && again="as before"
expect "pg_postmaster_start_time" "$again" "as before"
after=$(of_database stats_reset)
expect "pg_stat_database.stats_reset" "$before, ${after:-NULL} after" "a time before, NULL after"
expect "its rows inserted" "1000 or more before, $(of_database "CASE WHEN tup_inserted < 1000 THEN 'fewer' ELSE 'more' END") after" \
  "1000 or more before, fewer after"
expect "pg_stat_wal.stats_reset" \
  "$(sql "SELECT CASE WHEN stats_reset > '$reset' THEN 'later than before' ELSE 'as before' END FROM pg_stat_wal")" \
  "later than before"
