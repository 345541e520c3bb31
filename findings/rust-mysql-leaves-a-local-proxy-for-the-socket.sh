#!/bin/bash
# mysql 28.0.4 (Rust): a client of a proxy on 127.0.0.1 leaves it for a unix socket, and may end at another server.
#
# Guess: a session opened at 127.0.0.1:PORT, where HAProxy, MySQL Router or an SSH tunnel listens, goes through it to the
# server behind it.
# Seen on 2026-11-30 with MariaDB 10.11.19 and Rust 1.95: by default (`prefer_socket`) the library asks the server for
# @@socket once it is logged in at a loopback address, and connects again to the file of that name on its own host. If a
# server with the same name of socket runs there, as with /run/mysqld/mysqld.sock on every node of a cluster, it stays at
# that one, though the proxy chose another: old rows, writes at a replica, no failover, and no warning. Nothing compares
# the two servers. mysql_async 0.37.1 does the same. Needs Debian 12 (bookworm).
# Below, the servers 1 and 2 have the same name of socket, as on two hosts; the file is that of server 2.
#
# Output seen (which server answers a client of a relay in front of server 1):
#   mysql: server 2 by socket
#   mysql with prefer_socket=false: server 1 by TCP
#   PyMySQL: server 1 by TCP
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"
mkdir -p program/src
cat >program/Cargo.toml <<'TOML'
[package]
name = "reached"
version = "0.0.0"
edition = "2021"

[workspace]

[profile.dev]
debug = false

[dependencies]
mysql = { version = "=28.0.4", default-features = false, features = ["minimal-rust"] }
TOML
cat >program/src/main.rs <<'RUST'
use mysql::prelude::Queryable;

const QUESTION: &str = "SELECT CONCAT('server ', @@server_id, IF(host = 'localhost', ' by socket', ' by TCP')) \
    FROM information_schema.processlist WHERE id = CONNECTION_ID()";

fn main() {
    let url = std::env::args().nth(1).unwrap();
    let mut session = mysql::Conn::new(url.as_str()).unwrap();
    let answer: String = session.query_first(QUESTION).unwrap().unwrap();
    println!("{answer}");
}
RUST
export CARGO_TARGET_DIR=$folder/target
cargo build --quiet --manifest-path program/Cargo.toml >cargo.log 2>&1 &
building=$!
python_packages PyMySQL==1.2.4
first=$(free_port)
mariadb_server data1 "$first" --server-id=1
rm mysqld.sock
mariadb_server data2 "$(free_port)" --server-id=2

relay=$(free_port)
cat >relay.py <<'PYTHON'
import socket, sys, threading


def copy(source, target):
    while data := source.recv(65536):
        target.sendall(data)
    target.shutdown(socket.SHUT_WR)


with socket.create_server(("127.0.0.1", int(sys.argv[1]))) as listener:
    while True:
        client = listener.accept()[0]
        server = socket.create_connection(("127.0.0.1", int(sys.argv[2])))
        for pair in ((client, server), (server, client)):
            threading.Thread(target=copy, args=pair, daemon=True).start()
PYTHON
start relay.log python3 relay.py "$relay" "$first"
await mariadb --no-defaults -h127.0.0.1 -P"$relay" -uroot -e 'SELECT 1'

url=mysql://root@127.0.0.1:$relay/mysql
wait "$building"
reached=$CARGO_TARGET_DIR/debug/reached
expect mysql "$("$reached" "$url")" "server 2 by socket"
expect "mysql with prefer_socket=false" "$("$reached" "$url?prefer_socket=false")" "server 1 by TCP"
expect PyMySQL "$(python/bin/python -c "
import pymysql
with pymysql.connect(host='127.0.0.1', port=$relay, user='root').cursor() as cursor:
    cursor.execute('SELECT @@server_id, host FROM information_schema.processlist WHERE id = CONNECTION_ID()')
    number, host = cursor.fetchone()
    print('server', number, 'by socket' if host == 'localhost' else 'by TCP')
")" "server 1 by TCP"
