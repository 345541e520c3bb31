"""A lasting connection to MariaDB or MySQL."""

from fivenines.servers.session import Answer, Session


class MysqlFamilySession(Session):
    """Bounded by the driver's own timeouts on the socket."""

    def _ask(self, statement: str) -> Answer:
        with self._connection.cursor() as cursor:
            cursor.execute(statement)
            columns = [column[0] for column in cursor.description or ()]
            return Answer(columns, list(cursor.fetchall()))
