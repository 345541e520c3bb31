"""Role and durability of MariaDB and MySQL, which can change both while they run.

Sources: MariaDB documentation, "innodb_flush_log_at_trx_commit", "sync_binlog", "Slaves_connected",
"Semisynchronous Replication"; MySQL 9 reference manual, "Semisynchronous Replication Monitoring".
"""

from fivenines.servers.roles import Company, RoleReader, RoleView, Settings
from fivenines.servers.session import Session

_LOOK = (
    "SELECT CONCAT(@@global.read_only) NOT IN ('0', 'OFF'), "
    "@@global.innodb_flush_log_at_trx_commit, @@global.sync_binlog, {}"
)

# Writes to the disk what was committed without waiting for it.
_FLUSH = "FLUSH NO_WRITE_TO_BINLOG ENGINE LOGS"

_STRICT = ("innodb_flush_log_at_trx_commit", "1")


class MysqlFamilyRoles(RoleReader):
    """`standbys` is SQL for their number; None: it is not needed."""

    def __init__(self, company: Company | None, standbys: str) -> None:
        self._company = company
        self._question = _LOOK.format(f"({standbys})" if company else "0")

    def look(self, session: Session) -> RoleView:
        ((read_only, flush, sync, standbys),) = session.ask(self._question).rows
        primary = not int(read_only)
        accompanied = self._company is not None and int(standbys or 0) >= self._company.least
        return RoleView(
            primary,
            primary and accompanied,
            {"innodb_flush_log_at_trx_commit": str(flush), "sync_binlog": str(sync)},
        )

    def change(self, session: Session, settings: Settings) -> None:
        for name, value in settings.items():
            session.ask(f"SET GLOBAL {name} = {value}")
        if _STRICT in settings.items():
            session.ask(_FLUSH)


def counted(table: str, number: str, status: str = "") -> str:
    """Return SQL for a numeric status variable, 0 unless the variable `status` is ON."""
    value = f"SELECT CAST(VARIABLE_VALUE AS SIGNED) FROM {table} WHERE VARIABLE_NAME = '{number}'"
    if not status:
        return value
    return f"{value} AND 'ON' = (SELECT VARIABLE_VALUE FROM {table} WHERE VARIABLE_NAME = '{status}')"
