#!/bin/bash
# postgres_exporter 0.17.1: pg_replication_lag_seconds is 0 at a standby that has lost its primary, for as long as it lasts.
#
# Guess: the lag of a standby whose link is cut grows by one second each second, so an alert on pg_replication_lag_seconds
# > 30 fires half a minute after a partition, and a graph of it shows how far behind the standby was at a failover.
# Seen on 2026-11-30 with PostgreSQL 18.6: the query behind it says 0 whenever all WAL that was received has been replayed,
# to avoid a false lag on an idle primary. A cut-off standby receives nothing and has replayed everything. Each
# monitoring query of the usual form "CASE WHEN pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() THEN 0" does the same.
# pg_replication_last_replay_seconds grows, but on an idle primary, too. The package is that of Debian 13; the script runs
# on Debian 12.
#
# Output seen:
#   connected: lag 0
#   cut off for 10 s, while the primary writes: lag 0
#   rows that the standby lacks: 10
#   seconds since the last replay: 10 or more
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"
primary=$(free_port) standby=$(free_port) metrics=$(free_port)
postgres_server primary "$primary"
sql() { "$postgres/psql" -XAtq "host=127.0.0.1 port=$1 user=postgres dbname=postgres" -c "$2"; }
"${as_user[@]}" "$postgres/pg_basebackup" --no-sync --checkpoint=fast -R -h 127.0.0.1 -p "$primary" -U postgres -D standby
echo "port = $standby" >>standby/postgresql.conf
start standby.log "${as_user[@]}" "$postgres/postgres" -D standby
await sql "$standby" 'SELECT 1'
debian_release trixie
debian_packages prometheus-postgres-exporter=0.17.1-1+b4
start exporter.log env -u LD_LIBRARY_PATH DATA_SOURCE_NAME="postgresql://postgres@127.0.0.1:$standby/postgres?sslmode=disable" \
  debian/usr/bin/prometheus-postgres-exporter --web.listen-address="127.0.0.1:$metrics"
unset LD_LIBRARY_PATH
metric() { # metric NAME: its value, as an integer
  python3 -c 'import sys, urllib.request
lines = urllib.request.urlopen(f"http://127.0.0.1:{sys.argv[1]}/metrics").read().decode().splitlines()
print(*(int(float(line.split()[1])) for line in lines if line.split()[0] == sys.argv[2]))' "$metrics" "$1"
}
await metric pg_up
sql "$primary" 'CREATE TABLE t (n int)'
rows() { sql "$standby" 'SELECT count(*) FROM t'; }
await rows
expect "connected" "lag $(metric pg_replication_lag_seconds)" "lag 0"
sql "$standby" "ALTER SYSTEM SET primary_conninfo = 'host=127.0.0.1 port=1'"
sql "$standby" 'SELECT pg_reload_conf()' >reload.txt
is_cut_off() { [ "$(sql "$standby" 'SELECT count(*) FROM pg_stat_wal_receiver')" = 0 ]; }
await is_cut_off
for number in $(seq 10); do
  sql "$primary" "INSERT INTO t VALUES ($number)"
  sleep 1
done
expect "cut off for 10 s, while the primary writes" "lag $(metric pg_replication_lag_seconds)" "lag 0"
expect "rows that the standby lacks" "$(($(sql "$primary" 'SELECT count(*) FROM t') - $(rows)))" 10
expect "seconds since the last replay" "$([ "$(metric pg_replication_last_replay_seconds)" -ge 10 ] && echo 10 or more)" "10 or more"
