#!/bin/bash
# PostgreSQL 18.6: with synchronous_standby_names = '*', a subscription acknowledges commits of tables that it lacks.
#
# Guess: with '*' a commit waits for any standby; when the last one has died, commits wait. A subscription receives some
# tables only, so it can confirm the changes of these at most.
# Seen on 2026-11-30: a subscription is a standby like others. It is next in line once the real standby is gone, is shown as
# sync, and confirms the position of commits whose tables it does not subscribe to, without having their rows. So writes go
# on as if they were safe, and the loss of the primary loses them all. Tools that move changes to another system (CDC) use
# the same protocol. Names instead of '*' avoid it.
#
# Output seen:
#   with a standby: standby sync, analytics potential
#   standby stopped: analytics sync
#   INSERT into a table without a subscription: acknowledged
#   that table at the subscriber: absent
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"
primary=$(free_port) standby=$(free_port) subscriber=$(free_port)
postgres_server primary "$primary" "wal_level = logical"
postgres_server subscriber "$subscriber"
sql() { "$postgres/psql" -XAtqF ' ' "host=127.0.0.1 port=$1 user=postgres dbname=postgres" -c "$2"; }
"${as_user[@]}" "$postgres/pg_basebackup" --no-sync --checkpoint=fast -R -h 127.0.0.1 -p "$primary" -U postgres -D standby
printf '%s\n' "port = $standby" "cluster_name = standby" >>standby/postgresql.conf
start standby.log "${as_user[@]}" "$postgres/postgres" -D standby
streaming() { [ "$(sql "$primary" "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'")" = "$1" ]; }
await streaming 1
sql "$primary" 'CREATE TABLE visits (n int)'
sql "$primary" 'CREATE PUBLICATION for_analytics FOR TABLE visits'
sql "$subscriber" 'CREATE TABLE visits (n int)'
sql "$subscriber" "CREATE SUBSCRIPTION analytics CONNECTION 'host=127.0.0.1 port=$primary user=postgres dbname=postgres'
  PUBLICATION for_analytics" 2>notice.txt
await streaming 2
sql "$primary" 'CREATE TABLE payments (n int)'
sql "$primary" "ALTER SYSTEM SET synchronous_standby_names = '*'"
sql "$primary" 'SELECT pg_reload_conf()' >reload.txt
states() { sql "$primary" "SELECT string_agg(application_name || ' ' || sync_state, ', ' ORDER BY sync_state DESC) FROM pg_stat_replication"; }
are() { [ "$(states)" = "$1" ]; }
await are "standby sync, analytics potential"
expect "with a standby" "$(states)" "standby sync, analytics potential"
"${as_user[@]}" "$postgres/pg_ctl" -D standby -m fast stop >stop.txt
await are "analytics sync"
expect "standby stopped" "$(states)" "analytics sync"
export PGOPTIONS='-c synchronous_commit=on'
expect "INSERT into a table without a subscription" \
  "$(timeout 10 "$postgres/psql" -Xq "host=127.0.0.1 port=$primary user=postgres" -c 'INSERT INTO payments VALUES (1)' && echo acknowledged)" acknowledged
expect "that table at the subscriber" "$([ -z "$(sql "$subscriber" "SELECT to_regclass('payments')")" ] && echo absent)" absent
