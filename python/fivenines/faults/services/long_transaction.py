"""Fault `long-transaction`: open a transaction on the primary and leave it idle."""

from contextlib import ExitStack
from typing import Annotated, Any, Literal

from pydantic import Field

from fivenines.base.errors import FiveninesError, brief
from fivenines.base.units import Duration
from fivenines.faults import targets
from fivenines.faults.base import Fault, Injection, Recovery, now
from fivenines.faults.context import FaultContext
from fivenines.faults.settings import NodeFaultSettings
from fivenines.servers.base import Server

# Read timeout of the idle connection, in seconds.
_SILENCE = 3600.0

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
# InnoDB's own list does not work here: it is a cache that refreshes only after 0.1 s without a query.
_CONNECTED = {
    "mysql": "SELECT 1 FROM information_schema.processlist WHERE id = {0}",
    "postgres": _OPEN["postgres"],
}
_OWN = {"mysql": "SELECT CONNECTION_ID()", "postgres": "SELECT pg_backend_pid()"}


class LongTransactionSettings(NodeFaultSettings):
    """Keep a transaction open that preserves an old snapshot and can hold row locks."""

    hits = "nodes"

    fault: Literal["long-transaction"] = Field(
        description="leave a transaction open, with its snapshot and locks"
    )
    target: targets.NodeTarget = "primary"
    rows: Annotated[int, Field(ge=0)] = Field(
        1000, description="number of rows of the largest table to lock for update; 0: only a snapshot"
    )
    duration: Duration = Field(5.0, description="time until the transaction is rolled back")


class LongTransaction(Fault[LongTransactionSettings]):
    """Verified by the server's list of transactions, at the start and after the end."""

    settings_type = LongTransactionSettings

    def inject(self, context: FaultContext) -> Injection:
        target = targets.resolve(self.settings.target, context)
        (node, *_) = targets.databases(target)
        resources = ExitStack()
        try:
            connection = resources.enter_context(node.sql.open_data(_SILENCE))
            moment = now()
            message = self._begin(node, connection)
            number = int(_value(connection, _OWN[node.driver]))
        except Exception as error:
            resources.close()
            raise FiveninesError(f"{node.name}: {brief(error)}") from error
        open_now = bool(node.sql.query(_OPEN[node.driver].format(number)))
        detail = message + ("" if open_now else ", but the server does not list the transaction")
        hosts = (node.name,)
        return Injection(hosts, target.role, moment, open_now, detail, (node,), (node, resources, number))

    def recover(self, context: FaultContext, injection: Injection) -> Recovery:
        node, resources, number = injection.state
        if not node.answers():
            return Recovery(True, "the transaction ended with its server")
        lost = not node.sql.query(_CONNECTED[node.driver].format(number))
        moment = now()
        try:
            # The server rolls the transaction back when its connection closes.
            resources.close()
        except Exception as error:
            return Recovery(True, f"the server had ended the transaction: {brief(error)}", moment)
        ended = context.settles(lambda: not node.sql.query(_CONNECTED[node.driver].format(number)))
        detail = "the server had already ended the transaction" if lost else "rolled back"
        return Recovery(ended, detail if ended else "the server still lists the transaction", moment)

    def _begin(self, node: Server, connection: Any) -> str:
        with connection.cursor() as cursor:
            cursor.execute(_TABLES[node.driver])
            row = cursor.fetchone()
            if row is None:
                raise FiveninesError("the database has no table to read from")
            rows = self.settings.rows
            cursor.execute("START TRANSACTION" if rows else _SNAPSHOT[node.driver])
            # Rows that other transactions have locked are skipped: waiting for them could deadlock.
            lock = f"LIMIT {rows} FOR UPDATE SKIP LOCKED" if rows else "LIMIT 1"
            cursor.execute(f"SELECT 1 FROM {row[0]} {lock}")
            locked = len(cursor.fetchall())
        return f"locked {locked} rows of {row[0]}" if rows else f"opened a snapshot and read {row[0]}"


def _value(connection: Any, statement: str) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchone()[0]
