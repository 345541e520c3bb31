#!/bin/bash
# PgBouncer 1.18.0: clients wait 15 s for a server that was down for two seconds, and they get no error.
#
# Guess: PgBouncer connects again as soon as the server listens again, as it has waiting clients; and clients that cannot
# be served get an error.
# Seen on 2026-11-27 with Debian's 1.18.0-1+deb12u1 and PostgreSQL 18.6: after one failed log-in PgBouncer does
# not retry for `server_login_retry`, 15 s by default, and queues all clients meanwhile. With 1 s clients are served
# soon after the server is. The manual names the setting, but not that it is the length of every short outage.
# Needs Debian 12 (bookworm).
#
# Output seen (a client that connected while the server was down for 2 s):
#   by default: served, 10 s or more after the server was up
#   server_login_retry = 1: served, less than 10 s after the server was up
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"
debian_packages pgbouncer=1.18.0-1+deb12u1 libevent-2.1-7 libc-ares2
port=$(free_port)
postgres_server primary "$port"
client() { env -u LD_LIBRARY_PATH "$postgres/psql" -XAt "host=127.0.0.1 port=$1 user=postgres dbname=postgres" -c 'SELECT 1'; }

restarted() { # restarted NAME [SETTING]: when a client is served that connected while the server was down
  local pool up waited asks
  pool=$(free_port)
  printf '%s\n' '[databases]' "postgres = host=127.0.0.1 port=$port user=postgres" '[pgbouncer]' 'listen_addr = 127.0.0.1' \
    "listen_port = $pool" 'unix_socket_dir =' 'auth_type = any' "${2:-}" >"$1.ini"
  start "$1.log" "${as_user[@]}" debian/usr/sbin/pgbouncer "$folder/$1.ini"
  await client "$pool"
  "${as_user[@]}" "$postgres/pg_ctl" -D primary -m fast stop >/dev/null
  client "$pool" >answer 2>error.log &
  asks=$!
  sleep 2
  start primary.log "${as_user[@]}" "$postgres/postgres" -D primary
  await client "$port"
  up=$(date +%s)
  wait "$asks" || true
  waited=$(($(date +%s) - up))
  [ "$(cat answer)" = 1 ] || { echo "an error: $(cat error.log)"; return; }
  [ "$waited" -ge 10 ] && echo "served, 10 s or more after the server was up" ||
    echo "served, less than 10 s after the server was up"
}
restarted default >seen
expect "by default" "$(cat seen)" "served, 10 s or more after the server was up"
restarted short 'server_login_retry = 1' >seen
expect "server_login_retry = 1" "$(cat seen)" "served, less than 10 s after the server was up"
