#!/bin/bash
# PgBouncer 1.18.0: SHOW STATS counts queries that no server has seen, and does not count that their clients waited.
#
# Guess: total_query_count and total_xact_count grow by what servers have carried out, and total_wait_time by the time that
# clients wait, so that a dashboard shows an outage as fewer queries and a long wait.
# Seen on 2026-11-30 with PostgreSQL 18.6: a query counts when it arrives from its client, and a wait is added only when
# it ends with a server. Four clients that waited 3 s each for the only server connection and then got an error
# (query_wait_timeout) are four queries and four transactions more, and 0 s of waiting; avg_query_time is too short
# accordingly. PgBouncer 1.26.1 does the same; there total_server_assignment_count does not grow. Needs Debian 12
# (bookworm).
#
# Output seen:
#   clients that got an error: 4
#   queries counted: 4
#   transactions counted: 4
#   seconds of waiting counted: 0
#   statements that ran: 0
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"
debian_packages pgbouncer=1.18.0-1+deb12u1 libevent-2.1-7 libc-ares2
port=$(free_port) pool=$(free_port)
postgres_server server "$port" "log_statement = all"
printf '%s\n' '[databases]' "postgres = host=127.0.0.1 port=$port user=postgres" '[pgbouncer]' \
  'listen_addr = 127.0.0.1' "listen_port = $pool" 'unix_socket_dir =' 'auth_type = any' 'admin_users = postgres' \
  'pool_mode = transaction' 'default_pool_size = 1' 'query_wait_timeout = 3' >pool.ini
start pool.log "${as_user[@]}" debian/usr/sbin/pgbouncer "$folder/pool.ini"
session() { env -u LD_LIBRARY_PATH "$postgres/psql" -X "$@"; }
client() { session -At "host=127.0.0.1 port=$pool user=postgres dbname=postgres" -c "$1"; }
counted() { # counted NAME: a total of the pool's database
  session -Ax "host=127.0.0.1 port=$pool user=postgres dbname=pgbouncer" -c 'SHOW STATS' |
    awk -F'|' -v name="$1" '$1 == "database" { database = $2 } database == "postgres" && $1 == name { print $2 }'
}
is_taken() { grep -q 'pg_sleep' server.log; }

await client 'SELECT 1'
client 'SELECT pg_sleep(8)' >/dev/null &
sleeper=$!
await is_taken
queries=$(counted total_query_count) transactions=$(counted total_xact_count) waited=$(counted total_wait_time)
asking=()
for number in 1 2 3 4; do
  client "SELECT 'asked', $number" >/dev/null 2>"error$number.txt" &
  asking+=($!)
done
for process in "${asking[@]}"; do wait "$process" || true; done
expect "clients that got an error" "$(cat error?.txt | grep -c 'query_wait_timeout')" 4
expect "queries counted" "$(($(counted total_query_count) - queries))" 4
expect "transactions counted" "$(($(counted total_xact_count) - transactions))" 4
expect "seconds of waiting counted" "$((($(counted total_wait_time) - waited) / 1000000))" 0
wait "$sleeper"
expect "statements that ran" "$(grep -c "'asked'" server.log || true)" 0
