#!/bin/bash
# tokio-postgres 0.7.18: tcp_user_timeout of a connection string is in seconds, and in libpq's in milliseconds.
#
# Guess: a connection string of libpq means the same in tokio-postgres, which reads libpq's keywords, so that
# tcp_user_timeout=5000 gives a silent server up after 5 s.
# Seen on 2026-11-29 with Rust 1.95: it means 5000 s, 83 minutes. Other keywords of the string are in the same unit as
# libpq's (connect_timeout and keepalives_idle in seconds). libpq sets the option of its socket to 5000 ms.
#
# Output seen:
#   tokio-postgres: 5000s
#   tokio-postgres connect_timeout: 2s
#   libpq: 5000 ms
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"
port=$(free_port)
postgres_server server "$port"
python_packages "psycopg[binary]==3.3.9"
mkdir -p program/src
cat >program/Cargo.toml <<'TOML'
[package]
name = "timeouts"
version = "0.0.0"
edition = "2021"

[workspace]

[dependencies]
tokio-postgres = "=0.7.18"
TOML
cat >program/src/main.rs <<'RUST'
use tokio_postgres::Config;

fn main() {
    let config: Config = "host=127.0.0.1 user=app connect_timeout=2 tcp_user_timeout=5000"
        .parse()
        .unwrap();
    println!("{:?}", config.get_tcp_user_timeout().unwrap());
    println!("{:?}", config.get_connect_timeout().unwrap());
}
RUST
export CARGO_TARGET_DIR=$folder/target
cargo build --quiet --manifest-path program/Cargo.toml >cargo.log 2>&1
expect tokio-postgres "$("$CARGO_TARGET_DIR/debug/timeouts" | sed -n 1p)" "5000s"
expect "tokio-postgres connect_timeout" "$("$CARGO_TARGET_DIR/debug/timeouts" | sed -n 2p)" "2s"
libpq=$(python/bin/python -c "
import psycopg, socket
address = 'host=127.0.0.1 port=$port user=postgres dbname=postgres tcp_user_timeout=5000'
with psycopg.connect(address) as session, socket.socket(fileno=session.fileno()) as own:
    print(own.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT), 'ms')
    own.detach()
")
expect libpq "$libpq" "5000 ms"
