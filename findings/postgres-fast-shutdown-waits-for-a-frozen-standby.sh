#!/bin/bash
# PostgreSQL 18.6: pg_ctl stop -m fast waits for a frozen asynchronous standby, a minute by default, and refuses all clients.
#
# Guess: a fast shutdown ends sessions, writes a checkpoint and is done within a second; standbys that are asynchronous have
# no say in it. So a planned switchover does not depend on the health of a third server.
# Seen on 2026-11-30: after the checkpoint the server waits until each connected standby has confirmed the last WAL. One
# that is frozen (a paused virtual machine, a hung disk) is waited for until wal_sender_timeout, 60 s by default; 0 would
# remove this bound. Clients were disconnected at the beginning, so a switchover is an outage of that length. pg_ctl gives
# up after 60 s, too. By hand with the default: 57 s. Below, wal_sender_timeout is 15 s.
#
# Output seen:
#   standby: streaming async
#   a client during the shutdown: the database system is shutting down
#   log: terminating walsender process due to replication timeout
#   fast shutdown: took 8 s or more
#   with the standby thawed: took less
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"
primary=$(free_port) standby=$(free_port)
postgres_server primary "$primary" "wal_sender_timeout = '15s'"
sql() { "$postgres/psql" -XAtqF ' ' "host=127.0.0.1 port=$1 user=postgres dbname=postgres" -c "$2"; }
sql "$primary" 'CREATE TABLE t (n int)'
"${as_user[@]}" "$postgres/pg_basebackup" --no-sync --checkpoint=fast -R -h 127.0.0.1 -p "$primary" -U postgres -D standby
# With frequent reports the timeout begins when the standby freezes, on a slow machine, too.
printf '%s\n' "port = $standby" "wal_receiver_status_interval = 1s" >>standby/postgresql.conf
start standby.log "${as_user[@]}" "$postgres/postgres" -D standby
streams() { [ "$(sql "$primary" 'SELECT state FROM pg_stat_replication')" = streaming ]; }
await streams
await sql "$standby" 'SELECT 1'
expect standby "$(sql "$primary" 'SELECT state, sync_state FROM pg_stat_replication')" "streaming async"

stop() { # stop: shut the primary down, and say how long that took
  local begin=$SECONDS
  "${as_user[@]}" "$postgres/pg_ctl" -D primary -m fast stop >stop.txt
  echo "took $([ $((SECONDS - begin)) -ge 8 ] && echo 8 s or more || echo less)"
}
receiver=$(sql "$standby" 'SELECT pid FROM pg_stat_wal_receiver')
freeze "$receiver"
sql "$primary" 'INSERT INTO t VALUES (1)'
stop >stopped.txt &
stopping=$!
refused() { [[ $(sql "$primary" 'SELECT 1' 2>&1) == *'the database system is shutting down'* ]]; }
await refused
refusal=$(sql "$primary" 'SELECT 1' 2>&1 || true)
wait "$stopping"
kill -CONT "$receiver"
expect "a client during the shutdown" "${refusal##*FATAL:  }" "the database system is shutting down"
expect log "$(grep -o 'terminating walsender process due to replication timeout' primary.log)" \
  "terminating walsender process due to replication timeout"
expect "fast shutdown" "$(cat stopped.txt)" "took 8 s or more"
start again.log "${as_user[@]}" "$postgres/postgres" -D primary
await streams
expect "with the standby thawed" "$(stop)" "took less"
