#!/bin/bash
# PDO with MySQL or MariaDB (PHP 8.2.36, mysqlnd): PDO::ATTR_TIMEOUT does not bound the wait for the server's greeting.
#
# Guess: PDO::ATTR_TIMEOUT is the timeout for connecting, as the one of MariaDB's own client: with 2 s an attempt at a server
# that accepts and does not answer, such as a frozen one, fails after 2 s with error 2013.
# Seen on 2026-11-29 with Debian's 8.2.36-1~deb12u1, and with 8.4.28 of Debian 13: only the TCP connection has this bound. The
# greeting is bounded by mysqlnd.net_read_timeout alone, which is 86400 s by default, so the attempt still waits
# after 8 s. With mysqlnd.net_read_timeout=2 it fails with error 2006. Needs Debian 12 (bookworm).
#
# Output seen:
#   mariadb --connect-timeout=2: 2013
#   PDO, PDO::ATTR_TIMEOUT => 2: still waiting after 8 s
#   PDO, mysqlnd.net_read_timeout=2: 2006
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"
version=8.2.36-1~deb12u1
debian_packages php8.2-cli=$version php8.2-common=$version php8.2-mysql=$version libargon2-1 libsodium23 \
  mariadb-client-core=1:10.11.19-0+deb12u1 libmariadb3 libncurses6 libtinfo6 libedit2 libbsd0 libmd0
port=$(free_port)
# It accepts connections and never answers, as a frozen server does.
start silent.log python3 -c "
import socket, time
with socket.create_server(('127.0.0.1', $port)):
    time.sleep(120)
"
await python3 -c "import socket; socket.create_connection(('127.0.0.1', $port)).close()"
extensions=$(dirname debian/usr/lib/php/*/pdo_mysql.so)

pdo() { # pdo OPTIONS [SETTING]...: the result of an attempt, which may take 8 s
  local options=$1
  shift
  timeout 8 debian/usr/bin/php8.2 -n -d display_errors=0 -d log_errors=0 \
    -d extension_dir="$extensions" -d extension=pdo -d extension=mysqlnd -d extension=pdo_mysql "${@/#/-d}" -r "
    try {
        new PDO('mysql:host=127.0.0.1;port=$port;dbname=app', 'app', 'secret', $options);
        echo 'connected';
    } catch (PDOException \$error) {
        echo \$error->getCode();
    }" || { [ $? = 124 ] && echo "still waiting after 8 s"; }
}
client() { debian/usr/bin/mariadb --no-defaults --host=127.0.0.1 --port="$port" --connect-timeout=2 2>&1 || true; }
expect "mariadb --connect-timeout=2" "$(client | grep -o '^ERROR [0-9]*' | cut -d' ' -f2)" 2013
expect "PDO, PDO::ATTR_TIMEOUT => 2" "$(pdo '[PDO::ATTR_TIMEOUT => 2]')" "still waiting after 8 s"
expect "PDO, mysqlnd.net_read_timeout=2" "$(pdo null mysqlnd.net_read_timeout=2)" 2006
