"""A lasting connection to MariaDB or MySQL."""

from fivenines.base.drivers import pymysql
from fivenines.servers.session import Answer, RefusedError, Session

# Answers that an account lacks a privilege (1044, 1142, 1143, 1227), and that this version does not have a
# table, a column, a variable or a statement (1049, 1051, 1054, 1064, 1109, 1146, 1193).
REFUSALS = (1044, 1049, 1051, 1054, 1064, 1109, 1142, 1143, 1146, 1193, 1227)


class MysqlFamilySession(Session):
    """Bounded by the driver's own timeouts on the socket."""

    def _ask(self, statement: str) -> Answer:
        with self._connection.cursor() as cursor:
            try:
                cursor.execute(statement)
            except pymysql.err.MySQLError as error:
                if error.args and error.args[0] in REFUSALS:
                    raise RefusedError(str(error.args[-1])) from error
                raise
            columns = [column[0] for column in cursor.description or ()]
            return Answer(columns, list(cursor.fetchall()))
