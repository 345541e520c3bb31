"""Check whether a server is writable, with an ordinary account, from all signs, with a reason if not.

One sign is not enough: a reader of Amazon Aurora has `read_only` OFF and `innodb_read_only` ON, and MariaDB
12 has words for `read_only`. The Rust half uses the same queries (crates/sql-wire/src/role.rs). Sources:
MySQL manual, "Server System Variables"; MariaDB documentation, "read_only"; PostgreSQL manual, "Recovery
Information Functions".
"""

from collections.abc import Callable, Iterable
from typing import Any

MYSQL_QUESTION = (
    "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('read_only', 'super_read_only', 'innodb_read_only', "
    "'transaction_read_only', 'tx_read_only', 'offline_mode', 'wsrep_on')"
)
WSREP_QUESTION = "SHOW GLOBAL STATUS LIKE 'wsrep_ready'"
POSTGRES_QUESTION = (
    "SELECT pg_is_in_recovery(), current_setting('default_transaction_read_only'), "
    "current_setting('transaction_read_only')"
)
# Standbys whose state the account may not see (`pg_read_all_stats`) have NULL. One that still catches up is
# `potential`, also where it is the only one: commits wait for it, but not without end.
STANDBYS_QUESTION = (
    "SELECT current_setting('synchronous_standby_names'), current_setting('synchronous_commit'), "
    "count(*) FILTER (WHERE sync_state IS DISTINCT FROM 'async') FROM pg_stat_replication"
)
_OFF = ("OFF", "0")

# Runs a query and returns its rows.
Ask = Callable[[str], Iterable[Any]]


def why_not(driver: str, ask: Ask) -> str:
    """Return why the server is not writable; empty if it is, as far as its signs show."""
    if driver == "postgres":
        return _of_postgres(tuple(ask(POSTGRES_QUESTION)))
    variables = {str(name).lower(): str(value).upper() for name, value in ask(MYSQL_QUESTION)}
    in_galera = variables.pop("wsrep_on", "OFF") not in _OFF
    if (reason := _of_mysql(variables)) or not in_galera:
        return reason
    ready = {str(value).upper() for _, value in ask(WSREP_QUESTION)}
    return "" if "ON" in ready else "wsrep_ready is off"


def endless_wait(driver: str, ask: Ask) -> str:
    """Return why each commit waits without end; empty if none does, as far as the account can see.

    Neither statement_timeout nor transaction_timeout ends the wait
    (findings/postgres-no-timeout-ends-the-wait-for-a-standby.sh).
    """
    if driver != "postgres":
        return ""
    try:
        ((names, commit, standbys),) = ask(STANDBYS_QUESTION)
    except Exception:  # a server that only speaks the protocol; each driver has its own exceptions
        return ""
    if not names.strip() or commit in ("off", "local") or standbys:
        return ""
    return (
        f"each commit would wait without end: synchronous_standby_names is {names!r}, and no synchronous "
        "standby is connected. Connect one, or empty the setting"
    )


def _of_mysql(variables: dict[str, str]) -> str:
    main = variables.pop("read_only", None)
    if main is None:
        return "the server does not show whether it is read_only"
    if main not in _OFF:
        return "read_only is on" if main in ("ON", "1") else f"read_only is {main}"
    for name, value in variables.items():
        if value not in _OFF:
            return f"read_only is off, but {name} is {value}"
    return ""


def _of_postgres(rows: tuple[Any, ...]) -> str:
    ((in_recovery, default, session),) = rows
    if in_recovery:
        return "the server is in recovery"
    for name, value in (("default_transaction_read_only", default), ("transaction_read_only", session)):
        if value != "off":
            return f"the server is not in recovery, but {name} is on"
    return ""
