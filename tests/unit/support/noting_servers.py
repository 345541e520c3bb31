"""Solutions with simulated servers, which record calls and give fixed answers."""

from types import SimpleNamespace
from typing import Any

from fivenines.base.errors import FiveninesError
from fivenines.servers.mariadb.server import Mariadb
from fivenines.servers.mysql.server import Mysql
from fivenines.servers.postgres.server import Postgres
from fivenines.solutions.galera.settings import GaleraSettings
from fivenines.solutions.galera.solution import Galera
from fivenines.solutions.hot_standby.settings import HotStandbySettings
from fivenines.solutions.hot_standby.solution import HotStandby
from fivenines.solutions.replication.settings import ReplicationSettings
from fivenines.solutions.replication.solution import Replication
from fivenines.solutions.standalone import Standalone, StandaloneSettings


def galera(**given: Any) -> GaleraSettings:
    return GaleraSettings(**{"solution": "galera", **given})


def standby(**given: Any) -> HotStandbySettings:
    return HotStandbySettings(**{"solution": "hot-standby", **given})


def replication(**given: Any) -> ReplicationSettings:
    return ReplicationSettings(**{"solution": "replication", **given})


def standalone(**given: Any) -> StandaloneSettings:
    return StandaloneSettings(**{"solution": "standalone", **given})


class Noting:
    """Mixed into a server: records calls, and gives fixed answers."""

    def __init__(self, number: int, engine: Any) -> None:
        host: Any = SimpleNamespace(name=f"node{number}", address=f"10.99.0.{10 + number}")
        super().__init__(host, engine)  # type: ignore[call-arg]
        self.done: list[str] = []
        self.state: Any = None
        self.is_writable = self.answering = self.standby = False
        # Whether it cannot be rewound, nor copied from.
        self.spent = False
        self.sql: Any = SimpleNamespace(execute=self.execute, replica_status=lambda: self.state)

    @property
    def alive(self) -> bool:
        return self.answering

    def answers(self) -> bool:
        return self.answering

    def accepts_writes(self) -> bool | None:
        return self.is_writable if self.answering else None

    def start(self, *arguments: str) -> None:
        self.done.append(" ".join(["start", *arguments]))
        self.answering = True

    def wait_ready(self, timeout: float = 60.0) -> None:
        assert self.answering

    def execute(self, *statements: str, timeout: float = 30.0) -> None:
        self.done += statements

    def galera(self) -> Any:
        return self.state

    def recover_position(self) -> str:
        return str(self.state)

    def is_standby(self) -> bool:
        return self.standby

    def rewind(self, source: Any) -> None:
        self.done.append(f"rewind from {source.name}")
        if self.spent:
            raise FiveninesError("pg_rewind: error: could not open the log")

    def copy_from(self, source: Any) -> None:
        self.done.append(f"copy of {source.name}")
        if source.spent:
            raise FiveninesError("pg_basebackup: error: no connection")

    def set_system(self, name: str, value: Any) -> None:
        self.done.append(f"{name} = {value}")


class NotingMariadb(Noting, Mariadb):
    """A simulated MariaDB server."""


class NotingMysql(Noting, Mysql):
    """A simulated MySQL server."""


class NotingPostgres(Noting, Postgres):
    """A simulated PostgreSQL server."""


KINDS: dict[type[Any], tuple[type[Any], type[Any], str]] = {
    GaleraSettings: (Galera, NotingMariadb, "mariadb"),
    ReplicationSettings: (Replication, NotingMariadb, "mariadb"),
    HotStandbySettings: (HotStandby, NotingPostgres, "postgresql"),
    StandaloneSettings: (Standalone, NotingPostgres, "postgresql"),
}


def deployed(one: Any) -> Any:
    """Return the solution of these settings, with simulated servers."""
    kind, server, family = KINDS[type(one)]
    engine: Any = SimpleNamespace(family=family, file=lambda pattern, *_: f"/{pattern}")
    solution = kind(one, None, engine, None)
    solution.nodes = [server(number, engine) for number in range(1, one.traits.nodes + 1)]
    return solution
