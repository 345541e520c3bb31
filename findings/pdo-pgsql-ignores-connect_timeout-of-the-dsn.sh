#!/bin/bash
# PDO with PostgreSQL (PHP 8.2.36): connect_timeout in the DSN has no effect; 30 s apply.
#
# Guess: the DSN takes libpq's keywords (`pgsql:host=... tcp_user_timeout=5000` works), so with connect_timeout=2 an attempt
# at a server that does not answer fails after 2 s, as in libpq and every other client over it.
# Seen on 2026-11-29 with Debian's 8.2.36-1~deb12u1, and with 8.4.28 of Debian 13: PDO appends connect_timeout=30 to the DSN,
# also without the option PDO::ATTR_TIMEOUT, and the last one counts. With two hosts of which the first is silent, each
# request waits 30 s for it. PDO::ATTR_TIMEOUT => 2 has the effect. Needs Debian 12 (bookworm).
#
# Output seen:
#   libpq, connect_timeout=2: timeout expired
#   PDO, connect_timeout=2 in the DSN: still waiting after 8 s
#   PDO, PDO::ATTR_TIMEOUT => 2: timeout expired
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"
version=8.2.36-1~deb12u1
debian_packages php8.2-cli=$version php8.2-common=$version php8.2-pgsql=$version libpq5 libargon2-1 libsodium23
libraries=$LD_LIBRARY_PATH
unset LD_LIBRARY_PATH
python_packages "psycopg[binary]==3.3.9"
port=$(free_port)
# It accepts connections and never answers, as a frozen server does.
start silent.log python/bin/python -c "
import socket, time
with socket.create_server(('127.0.0.1', $port)):
    time.sleep(120)
"
await python/bin/python -c "import socket; socket.create_connection(('127.0.0.1', $port)).close()"
extensions=$(dirname debian/usr/lib/php/*/pdo_pgsql.so)

pdo() { # pdo DSN OPTIONS: the result of an attempt, which may take 8 s
  LD_LIBRARY_PATH=$libraries timeout 8 debian/usr/bin/php8.2 -n -d extension_dir="$extensions" -d extension=pdo \
    -d extension=pdo_pgsql -r "
    try {
        new PDO('$1', 'app', 'secret', $2);
        echo 'connected';
    } catch (PDOException \$error) {
        echo str_contains(\$error->getMessage(), 'timeout expired') ? 'timeout expired' : \$error->getMessage();
    }" || { [ $? = 124 ] && echo "still waiting after 8 s"; }
}
expect "libpq, connect_timeout=2" "$(python/bin/python -c "
import psycopg
try:
    psycopg.connect('host=127.0.0.1 port=$port user=app dbname=app connect_timeout=2')
except psycopg.Error as error:
    print('timeout expired' if 'timeout expired' in str(error) else error)
")" "timeout expired"
expect "PDO, connect_timeout=2 in the DSN" "$(pdo "pgsql:host=127.0.0.1 port=$port dbname=app connect_timeout=2" null)" \
  "still waiting after 8 s"
expect "PDO, PDO::ATTR_TIMEOUT => 2" "$(pdo "pgsql:host=127.0.0.1 port=$port dbname=app" '[PDO::ATTR_TIMEOUT => 2]')" \
  "timeout expired"
