"""Fault `long-transaction`: somebody begins a transaction on the primary, and goes to lunch."""

from contextlib import ExitStack
from typing import Annotated, Any, Literal

from pydantic import Field

from fivenines.errors import FiveninesError, brief
from fivenines.faults import targets
from fivenines.faults.base import Fault, Injection, Recovery, now
from fivenines.faults.context import FaultContext
from fivenines.faults.settings import NodeFaultSettings
from fivenines.servers.base import Server
from fivenines.units import Duration

_SILENCE = 3600.0
"""Seconds that the connection may be silent, as the transaction does nothing."""

_TABLES = {
    "mysql": "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() "
    "AND table_type = 'BASE TABLE' AND table_name NOT LIKE 'fivenines%' ORDER BY table_rows DESC, 1",
    "postgres": "SELECT relname FROM pg_stat_user_tables WHERE relname NOT LIKE 'fivenines%' "
    "ORDER BY n_live_tup DESC, 1",
}
_SNAPSHOT = {
    "mysql": "START TRANSACTION WITH CONSISTENT SNAPSHOT",
    "postgres": "BEGIN ISOLATION LEVEL REPEATABLE READ",
}
_OPEN = {
    "mysql": "SELECT trx_rows_locked FROM information_schema.innodb_trx WHERE trx_mysql_thread_id = {0}",
    "postgres": "SELECT 1 FROM pg_stat_activity WHERE pid = {0} AND state = 'idle in transaction'",
}
# not InnoDB's list: it is a copy, made anew only when nobody has looked for a tenth of a second
_CONNECTED = {
    "mysql": "SELECT 1 FROM information_schema.processlist WHERE id = {0}",
    "postgres": _OPEN["postgres"],
}
_OWN = {"mysql": "SELECT CONNECTION_ID()", "postgres": "SELECT pg_backend_pid()"}


class LongTransactionSettings(NodeFaultSettings):
    """An open transaction keeps an old snapshot alive, and may hold locks on rows."""

    hits = "nodes"

    fault: Literal["long-transaction"] = Field(description="a transaction stays open")
    target: targets.NodeTarget = "primary"
    rows: Annotated[int, Field(ge=0)] = Field(
        1000, description="rows of the largest table that it locks for update; 0: it holds a snapshot only"
    )
    duration: Duration = Field(5.0, description="time until it is rolled back")


class LongTransaction(Fault[LongTransactionSettings]):
    """Verified by the server's list of transactions, at the beginning and after the end."""

    settings_type = LongTransactionSettings

    def inject(self, context: FaultContext) -> Injection:
        target = targets.resolve(self.settings.target, context)
        (node, *_) = targets.databases(target)
        held = ExitStack()
        try:
            connection = held.enter_context(node.open_data(_SILENCE))
            moment = now()
            told = self._begin(node, connection)
            number = int(_one(connection, _OWN[node.driver]))
        except Exception as error:
            held.close()
            raise FiveninesError(f"{node.name}: {brief(error)}") from error
        open_now = bool(node.query(_OPEN[node.driver].format(number)))
        detail = told + ("" if open_now else ", but the server does not show it")
        hosts = (node.name,)
        return Injection(hosts, target.role, moment, open_now, detail, (node,), (node, held, number))

    def recover(self, context: FaultContext, injection: Injection) -> Recovery:
        node, held, number = injection.held
        if not node.answers():
            return Recovery(True, "it ended with its server")
        lost = not node.query(_CONNECTED[node.driver].format(number))
        moment = now()
        try:
            # the server rolls back what a connection leaves behind
            held.close()
        except Exception as error:
            return Recovery(True, f"the server had ended it: {brief(error)}", moment)
        gone = context.settles(lambda: not node.query(_CONNECTED[node.driver].format(number)))
        told = "the server had ended it before" if lost else "rolled back"
        return Recovery(gone, told if gone else "the server still shows it", moment)

    def _begin(self, node: Server, connection: Any) -> str:
        with connection.cursor() as cursor:
            cursor.execute(_TABLES[node.driver])
            row = cursor.fetchone()
            if row is None:
                raise FiveninesError("there is no table to read from")
            rows = self.settings.rows
            cursor.execute("BEGIN" if rows else _SNAPSHOT[node.driver])
            # what others have locked is passed over: waiting for it could end in a deadlock
            lock = f"LIMIT {rows} FOR UPDATE SKIP LOCKED" if rows else "LIMIT 1"
            cursor.execute(f"SELECT 1 FROM {row[0]} {lock}")
            found = len(cursor.fetchall())
        return f"{found} rows of {row[0]} locked" if rows else f"a snapshot held, {row[0]} read"


def _one(connection: Any, statement: str) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchone()[0]
