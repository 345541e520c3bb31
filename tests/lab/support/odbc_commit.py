"""End a transaction on a connection whose server process has ended: by SQLEndTran, and by COMMIT as a
statement.

    python odbc_commit.py CONNECTION_STRING

Prints both return codes (SQL_SUCCESS is 0, SQL_ERROR -1). Calls the driver manager as fivenines-core does.
"""

import ctypes
import json
import sys

_ENVIRONMENT, _CONNECTION, _STATEMENT = 1, 2, 3
_NTS = -3
_library = ctypes.CDLL("libodbc.so.2")


def _handle(kind: int, parent: ctypes.c_void_p) -> ctypes.c_void_p:
    made = ctypes.c_void_p()
    assert _library.SQLAllocHandle(kind, parent, ctypes.byref(made)) == 0
    if kind == _ENVIRONMENT:
        _library.SQLSetEnvAttr(made, 200, ctypes.c_void_p(3), 0)  # ODBC 3
    return made


def _connected(text: str) -> ctypes.c_void_p:
    link = _handle(_CONNECTION, _handle(_ENVIRONMENT, ctypes.c_void_p()))
    done = _library.SQLDriverConnect(link, None, text.encode(), _NTS, None, 0, None, 0)
    assert done in (0, 1), done
    return link


def _do(link: ctypes.c_void_p, sql: str) -> int:
    statement = _handle(_STATEMENT, link)
    done = int(_library.SQLExecDirect(statement, sql.encode(), _NTS))
    _library.SQLFreeHandle(_STATEMENT, statement)
    return done


def _dead(text: str) -> ctypes.c_void_p:
    """Return a connection with an open transaction whose session was terminated."""
    link, other = _connected(text), _connected(text)
    _library.SQLSetConnectAttr(link, 102, ctypes.c_void_p(0), 0)  # autocommit off
    assert _do(link, "INSERT INTO committed VALUES (1)") in (0, 1), "no row was inserted"
    ended = (
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
        " WHERE query LIKE '%INSERT INTO committed%' AND pid <> pg_backend_pid()"
    )
    assert _do(other, ended) in (0, 1), "the session could not be ended"
    assert _do(link, "SELECT 1") == -1, "the session was not ended"
    return link


def main() -> None:
    """Try both on separate connections."""
    text = sys.argv[1]
    for sql in ("DROP TABLE IF EXISTS committed", "CREATE TABLE committed (id int)"):
        assert _do(_connected(text), sql) in (0, 1)
    results = {
        "SQLEndTran": int(_library.SQLEndTran(_CONNECTION, _dead(text), 0)),
        "COMMIT": _do(_dead(text), "COMMIT"),
    }
    print(json.dumps(results))


if __name__ == "__main__":
    main()
