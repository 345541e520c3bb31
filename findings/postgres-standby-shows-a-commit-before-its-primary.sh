#!/bin/bash
# PostgreSQL 18.6: with synchronous_commit = remote_apply a standby shows a commit that the primary does not show yet.
#
# Guess: remote_apply makes reads at the synchronous standbys fresh, so a client that reads now at a standby and then at
# the primary never goes back in time; the primary committed first, after all.
# Seen on 2026-11-30: the standby shows the row as soon as it has replayed the commit record. At the primary the
# transaction stays invisible to others until every standby that it waits for has answered, here as long as the replay
# of a second standby is paused, and for a moment with each commit. So reads go back in time from a standby to the
# primary: remote_apply excludes stale reads at standbys and is not linearizable.
#
# Output seen:
#   while the commit waits: standby1 1, primary 0
#   after it: standby1 1, primary 1
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"
primary=$(free_port)
postgres_server primary "$primary"
sql() { "$postgres/psql" -XAtq "host=127.0.0.1 port=$1 user=postgres dbname=postgres" -c "$2"; }
is() { [ "$(sql "$1" "$2")" = "$3" ]; }
standby() { # standby NAME PORT
  "${as_user[@]}" "$postgres/pg_basebackup" --no-sync --checkpoint=fast -R -h 127.0.0.1 -p "$primary" -U postgres -D "$1"
  printf '%s\n' "port = $2" "cluster_name = '$1'" >>"$1/postgresql.conf"
  start "$1.log" "${as_user[@]}" "$postgres/postgres" -D "$1"
  await is "$primary" "SELECT state FROM pg_stat_replication WHERE application_name = '$1'" streaming
}
one=$(free_port)
standby standby1 "$one"
two=$(free_port)
standby standby2 "$two"
sql "$primary" "CREATE TABLE written (id int)"
sql "$primary" "ALTER SYSTEM SET synchronous_standby_names = 'FIRST 2 (standby1, standby2)'"
sql "$primary" "ALTER SYSTEM SET synchronous_commit = remote_apply"
sql "$primary" "SELECT pg_reload_conf()" >reload.txt
await is "$primary" "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'" 2
sql "$two" "SELECT pg_wal_replay_pause()" >pause.txt
await is "$two" "SELECT pg_get_wal_replay_pause_state()" paused

rows() { echo "standby1 $(sql "$one" 'SELECT count(*) FROM written'), primary $(sql "$primary" 'SELECT count(*) FROM written')"; }
start writer.log "$postgres/psql" -Xq "host=127.0.0.1 port=$primary user=postgres dbname=postgres" -c "INSERT INTO written VALUES (1)"
await is "$one" "SELECT count(*) FROM written" 1
expect "while the commit waits" "$(rows)" "standby1 1, primary 0"
sql "$two" "SELECT pg_wal_replay_resume()" >resume.txt
await is "$primary" "SELECT count(*) FROM written" 1
expect "after it" "$(rows)" "standby1 1, primary 1"
