#!/bin/bash
# Pgpool-II 4.3.5: `failover_on_backend_shutdown` is on by default, though the manual says off.
#
# Guess: an idle session that an administrator ends (pg_terminate_backend, 57P01) costs that session alone. The manual of
# 4.3 says of failover_on_backend_shutdown: "The default is off".
# Seen on 2026-11-27 with Debian's 4.3.5-1+deb12u1 and PostgreSQL 18.6: without the setting Pgpool-II interprets the terminated
# session as the end of the server, detaches the sound primary, and refuses every client from then on. With the setting
# written as off the next client is served. Needs Debian 12 (bookworm).
#
# Output seen:
#   left out: PGPOOL SHOW says on; after pg_terminate_backend the next client is refused
#   off: PGPOOL SHOW says off; after pg_terminate_backend the next client is served
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"
debian_packages pgpool2=4.3.5-1+deb12u1 libpgpool2=4.3.5-1+deb12u1 libmemcached11
export LD_LIBRARY_PATH
port=$(free_port)
postgres_server primary "$port"
client() { env -u LD_LIBRARY_PATH "$postgres/psql" -XAt "host=127.0.0.1 port=$1 user=postgres dbname=postgres" -c "$2"; }

terminated() { # terminated NAME [SETTING]: the result of the next client after a session was terminated
  local name=$1 pool
  pool=$(free_port)
  "${as_user[@]}" mkdir "$name"
  printf '%s\n' "backend_clustering_mode = 'streaming_replication'" "listen_addresses = '127.0.0.1'" "port = $pool" \
    "socket_dir = '$folder/$name'" "pcp_socket_dir = '$folder/$name'" "pcp_port = $(free_port)" \
    "pid_file_name = '$folder/$name/pid'" "logdir = '$folder/$name'" "backend_hostname0 = '127.0.0.1'" \
    "backend_port0 = $port" "backend_flag0 = 'ALLOW_TO_FAILOVER'" "sr_check_user = 'postgres'" \
    "sr_check_database = 'postgres'" "failover_command = ''" "num_init_children = 4" "${2:-}" >"$name.conf"
  start "$name.log" "${as_user[@]}" debian/usr/sbin/pgpool -n -f "$folder/$name.conf" -a /dev/null -F /dev/null
  await client "$pool" 'SELECT 1'
  printf 'PGPOOL SHOW says %s; ' "$(client "$pool" 'PGPOOL SHOW failover_on_backend_shutdown')"
  start "$name.client.log" bash -c "{ echo 'SELECT 42;'; sleep 60; } |
    env -u LD_LIBRARY_PATH '$postgres/psql' -X 'host=127.0.0.1 port=$pool user=postgres dbname=postgres'"
  await is_idle
  client "$port" "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'SELECT 42;'" >/dev/null
  sleep 5 # a failover of Pgpool-II is over by then
  client "$pool" 'SELECT 1' >/dev/null 2>&1 && echo "after pg_terminate_backend the next client is served" ||
    echo "after pg_terminate_backend the next client is refused"
}
is_idle() {
  [ "$(client "$port" "SELECT count(*) FROM pg_stat_activity WHERE query = 'SELECT 42;' AND state = 'idle'")" = 1 ]
}
terminated default >seen
expect "left out" "$(cat seen)" \
  "PGPOOL SHOW says on; after pg_terminate_backend the next client is refused"
terminated off 'failover_on_backend_shutdown = off' >seen
expect "off" "$(cat seen)" \
  "PGPOOL SHOW says off; after pg_terminate_backend the next client is served"
