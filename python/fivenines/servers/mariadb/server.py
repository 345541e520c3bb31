"""A MariaDB server."""

import contextlib
import re
from collections.abc import Mapping
from typing import ClassVar

from fivenines.base.drivers import pymysql
from fivenines.servers.base import APPLICATION, DATABASE, REPLICATION, Value, inside
from fivenines.servers.counters import CounterReader
from fivenines.servers.mariadb.lag import MariadbLag
from fivenines.servers.mysql_family import counters
from fivenines.servers.mysql_family.checksums import MysqlFamilyDialect
from fivenines.servers.mysql_family.roles import MysqlFamilyRoles, counted
from fivenines.servers.mysql_family.server import COMMON, DATA_RIGHTS, MysqlFamily
from fivenines.servers.roles import Company
from fivenines.servers.spelled import at_first_start

_FILES = "files"


class Mariadb(MysqlFamily):
    """MariaDB 10.11 or newer."""

    server_program = "mariadbd"
    client_program = "mariadb"
    # Since 11.4 it insists on TLS (manual, --ssl-verify-server-cert), and a lab's server has no certificate.
    client_options = ("--skip-ssl",)
    section = "mariadbd"
    defaults: ClassVar[dict[str, Value]] = {
        **COMMON,
        "innodb_log_file_size": "64M",
        "binlog_format": "ROW",
        # An empty folder: no statement reads or writes a file elsewhere.
        "secure_file_priv": inside(_FILES),
    }
    unsafe_settings = {"innodb_flush_log_at_trx_commit": 0, "innodb_doublewrite": False}  # noqa: RUF012

    def counters(self) -> CounterReader:
        return counters.read

    def lag(self) -> MariadbLag:
        return MariadbLag(self.name)

    def sources(self) -> dict[str, str]:
        rows = self.query(
            "SELECT VARIABLE_NAME, GLOBAL_VALUE_ORIGIN, GLOBAL_VALUE_PATH "
            "FROM information_schema.SYSTEM_VARIABLES WHERE GLOBAL_VALUE_ORIGIN IS NOT NULL"
        )
        words = {
            "SQL": "it was set while the server ran",
            "COMMAND-LINE": "the command line of the server sets it",
            "AUTO": "the server chose it",
            "COMPILE-TIME": "no configuration file of the server sets it",
        }
        return {str(name).lower(): words[str(origin)] for name, origin, _ in rows if str(origin) in words}

    def role_reader(self, company: Company | None) -> MysqlFamilyRoles:
        awaited = company is not None and company.awaited
        standbys = _ACKNOWLEDGING if awaited else _CONNECTED
        return MysqlFamilyRoles(company, standbys)

    def dialect(self) -> MysqlFamilyDialect:
        return MysqlFamilyDialect("MD5({})")

    def initialise(self) -> None:
        self.host.run(
            [
                self.engine.program("mariadb-install-db"),
                "--no-defaults",
                f"--datadir={inside('data')}",
                "--auth-root-authentication-method=normal",
                "--skip-test-db",
                "--skip-name-resolve",
                # There are no names to resolve in the lab.
                "--force",
                "--innodb-log-file-size=64M",
                "--innodb-use-native-aio=0",
                *at_first_start(self.made_with),
            ],
            uid=self.uid,
        )
        self.make_accounts()

    def configure(self, settings: Mapping[str, Value]) -> None:
        (self.host.node / _FILES).mkdir(exist_ok=True)
        super().configure(settings)

    @property
    def unlogged(self) -> list[str]:
        return ["SET SESSION sql_log_bin = 0", "SET SESSION wsrep_on = OFF"]

    @property
    def rights(self) -> list[str]:
        return [
            # Without READ_ONLY ADMIN, as read_only would not stop it otherwise.
            f"GRANT {DATA_RIGHTS} ON {DATABASE}.* TO {APPLICATION}@'%'",
            f"GRANT ALL ON *.* TO {REPLICATION}@'%'",
            # The installation also creates these root accounts, without passwords.
            *(f"DROP USER IF EXISTS root@'{host}'" for host in ("127.0.0.1", "::1", self.host.name)),
        ]

    def statement_limit(self, seconds: float) -> str:
        return f"SET SESSION max_statement_time = {seconds:g}"

    def galera(self) -> tuple[str, str, str] | None:
        """Return cluster size, cluster status and own state, as Galera names them; None without an answer."""
        names = ("wsrep_cluster_size", "wsrep_cluster_status", "wsrep_local_state_comment")
        with contextlib.suppress(pymysql.Error):
            status = self.status(*names)
            size, cluster, own = (status.get(name, "") for name in names)
            return size, cluster, own
        return None

    def recover_position(self) -> str:
        """Return uuid:seqno of the last transaction in a stopped Galera node's data; empty if unknown.

        It works like galera_recovery: the server logs the position in its error log and ends.
        """
        log = inside("log", "recover.log")
        self.host.run([*self.command("--wsrep-recover"), f"--log-error={log}"], uid=self.uid, timeout=60.0)
        text = (self.host.node / "log" / "recover.log").read_text(errors="replace")
        positions = re.findall(r"Recovered position:?\s*(\S+:-?\d+)", text)
        return str(positions[-1]) if positions else ""


def sequence_number(position: str) -> int:
    """Return the sequence number of a Galera position, uuid:seqno; -1 if it is unknown."""
    _, _, number = position.rpartition(":")
    return int(number) if number.lstrip("-").isdigit() else -1


_STATUS = "information_schema.GLOBAL_STATUS"
_CONNECTED = counted(_STATUS, "Slaves_connected")
_ACKNOWLEDGING = counted(_STATUS, "Rpl_semi_sync_master_clients", "Rpl_semi_sync_master_status")

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
