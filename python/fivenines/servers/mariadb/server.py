"""A MariaDB server."""

import re

from fivenines.lab.host import Host
from fivenines.servers.base import REPLICATION, inside
from fivenines.servers.mariadb.galera import galera_state
from fivenines.servers.mariadb.introspection import mariadb_introspection
from fivenines.servers.mariadb.monitoring import MariadbMonitoring
from fivenines.servers.mariadb.setup import MariadbSetup
from fivenines.servers.mysql_family.console import MysqlFamilyConsole
from fivenines.servers.mysql_family.server import MysqlFamily
from fivenines.servers.mysql_family.sql import LocalMysqlFamilySql
from fivenines.servers.secrets import Passwords
from fivenines.software.base import Engine


class Mariadb(MysqlFamily):
    """MariaDB 10.11 or newer."""

    server_program = "mariadbd"
    client_program = "mariadb"
    # Since 11.4 it insists on TLS (manual, --ssl-verify-server-cert), and a lab's server has no certificate.
    client_options = ("--skip-ssl",)
    unsafe_settings = {"innodb_flush_log_at_trx_commit": 0, "innodb_doublewrite": False}  # noqa: RUF012

    def __init__(self, host: Host, engine: Engine, passwords: Passwords | None = None) -> None:
        super().__init__(host, engine, passwords)
        self.sql = LocalMysqlFamilySql(self, statement_limit)
        self.monitoring = MariadbMonitoring(self)
        self._setup = MariadbSetup(self)
        self._introspection = mariadb_introspection(self)
        self._console = MysqlFamilyConsole(self, self.client_program, self.client_options)

    def galera(self) -> tuple[str, str, str] | None:
        """Return cluster size, cluster status and own state, as Galera names them; None without an answer."""
        return galera_state(self.sql)

    def recover_position(self) -> str:
        """Return uuid:seqno of the last transaction in a stopped Galera node's data; empty if unknown.

        It works like galera_recovery: the server logs the position in its error log and ends.
        """
        log = inside("log", "recover.log")
        self.host.commands.run(
            [*self.command("--wsrep-recover"), f"--log-error={log}"], uid=self.uid, timeout=60.0
        )
        text = (self.host.node / "log" / "recover.log").read_text(errors="replace")
        positions = re.findall(r"Recovered position:?\s*(\S+:-?\d+)", text)
        return str(positions[-1]) if positions else ""


def statement_limit(seconds: float) -> str:
    """Return the statement that makes the server end a session's queries after this time."""
    return f"SET SESSION max_statement_time = {seconds:g}"


def sequence_number(position: str) -> int:
    """Return the sequence number of a Galera position, uuid:seqno; -1 if it is unknown."""
    _, _, number = position.rpartition(":")
    return int(number) if number.lstrip("-").isdigit() else -1


WRITABLE = "SET GLOBAL read_only = 0"
SEMI_SYNC_PRIMARY = "SET GLOBAL rpl_semi_sync_master_enabled = 1"
# Makes a server follow another from the end of its own log, which has everything that it ever executed.
#
# gtid_current_pos lacks what a client has executed in the name of another server, as MHA does when it applies
# a dead primary's log.
WHERE_ITS_LOG_ENDS = (
    "SET GLOBAL gtid_slave_pos = "
    "IF(@@global.gtid_binlog_pos = '', @@global.gtid_current_pos, @@global.gtid_binlog_pos)"
)
# Statements for a former primary before it follows another: it begins where its own log ends.
FORMER_PRIMARY = ("SET GLOBAL rpl_semi_sync_master_enabled = 0", WHERE_ITS_LOG_ENDS)


def follow(primary: str, password: str) -> list[str]:
    """Return statements that make a server the read-only replica of this address, by GTID."""
    return [
        "STOP SLAVE",
        "SET GLOBAL read_only = 1",
        f"CHANGE MASTER TO MASTER_HOST='{primary}', MASTER_USER='{REPLICATION}', "
        f"MASTER_PASSWORD='{password}', MASTER_CONNECT_RETRY=1, MASTER_USE_GTID=slave_pos",
        "START SLAVE",
    ]
