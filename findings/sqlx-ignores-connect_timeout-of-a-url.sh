#!/bin/bash
# sqlx 0.8.6: connect_timeout in the URL of a PostgreSQL server is accepted and ignored.
#
# Guess: sqlx takes libpq's parameters, or refuses one that it does not know; with connect_timeout=2 an attempt at a
# server that does not answer fails after 2 s, as in libpq.
# Seen on 2026-11-29 with Rust 1.95: the URL is valid, and the attempt still waits after 8 s. A single connection has no
# bound at all; a pool has acquire_timeout, 30 s by default, which covers all of its attempts.
#
# Output seen:
#   libpq: connection timeout expired
#   sqlx: still waiting after 8 s
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"
port=$(free_port)
python_packages "psycopg[binary]==3.3.9"
mkdir -p program/src
cat >program/Cargo.toml <<'TOML'
[package]
name = "waits"
version = "0.0.0"
edition = "2021"

[workspace]

[dependencies]
sqlx = { version = "=0.8.6", default-features = false, features = ["runtime-tokio", "postgres"] }
tokio = { version = "1", features = ["rt", "time"] }
TOML
cat >program/src/main.rs <<'RUST'
use sqlx::{Connection, PgConnection};
use std::time::Duration;

fn main() {
    let url = std::env::args().nth(1).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let attempt = async { tokio::time::timeout(Duration::from_secs(8), PgConnection::connect(&url)).await };
    match runtime.block_on(attempt) {
        Err(_) => println!("still waiting after 8 s"),
        Ok(Err(error)) => println!("{error}"),
        Ok(Ok(_)) => println!("connected"),
    }
}
RUST
export CARGO_TARGET_DIR=$folder/target
cargo build --quiet --manifest-path program/Cargo.toml >cargo.log 2>&1
# It accepts connections and never answers, as a frozen server does.
start silent.log python/bin/python -c "
import socket, time
with socket.create_server(('127.0.0.1', $port)):
    time.sleep(120)
"
await python/bin/python -c "import socket; socket.create_connection(('127.0.0.1', $port)).close()"
url="postgres://app:secret@127.0.0.1:$port/app?sslmode=disable&connect_timeout=2"
expect libpq "$(python/bin/python -c "
import psycopg
try:
    psycopg.connect('$url')
except psycopg.Error as error:
    print('connection timeout expired' if 'timeout expired' in str(error) else error)
")" "connection timeout expired"
expect sqlx "$("$CARGO_TARGET_DIR/debug/waits" "$url")" "still waiting after 8 s"
