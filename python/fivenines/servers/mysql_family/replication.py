"""How one kind of server is told to replicate, and what it says of it: what MariaDB and MySQL do apart."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from fivenines.servers.base import Value
from fivenines.servers.mysql_family.server import MysqlFamily

Status = Mapping[str, Any]
"""SHOW REPLICA STATUS, by column; empty where a server follows nobody."""

NOT_IN_THE_LOG = 1236
"""ER_SOURCE_FATAL_ERROR_READING_BINLOG: the primary does not know the position that a replica is at."""


class Replicating(ABC):
    """One kind of server; statements are lists, to be run one after another."""

    source: ClassVar[str]
    """The column with the address of whom a replica follows."""

    threads: ClassVar[tuple[str, str]]
    """The columns that say whether a replica receives and applies."""

    writable: ClassVar[tuple[str, ...]]
    """Statements after which it takes writes."""

    wait_for_replicas: ClassVar[tuple[str, ...]]
    """Statements after which a primary is semi-synchronous."""

    acknowledging: ClassVar[str]
    """The status variable with the number of replicas that acknowledge."""

    stall: ClassVar[str]
    unstall: ClassVar[str]
    """Statements that end and begin the applying of what is received."""

    idle: ClassVar[str]
    """The argument with which a server starts that does not go on as a replica by itself."""

    @abstractmethod
    def settings(self) -> dict[str, Value]:
        """Settings of any node, that begins read-only."""

    @abstractmethod
    def semi_sync(self, mode: str, timeout_ms: int, count: int) -> dict[str, Value]:
        """Settings for semi-synchronous replication that is not switched on yet at the primary."""

    appliers: ClassVar[str]
    """The setting with the number of threads that apply."""

    def applying(self, threads: int | None, mode: str | None) -> dict[str, Value]:
        """Settings of a replica's threads that apply; None: as the server has it by itself."""
        return {} if threads is None else {self.appliers: threads}

    @abstractmethod
    def follow(self, primary: str, password: str) -> list[str]:
        """Statements that make a server the read-only replica of the one at this address, by GTID."""

    def rejoin_arguments(self, semi_synchronous: bool) -> list[str]:
        """Arguments of a server that starts to follow the primary of now."""
        return [self.idle]

    def before_following(self) -> list[str]:
        """Statements before `follow` on a server that may have been a primary."""
        return []

    @abstractmethod
    def behind(self, node: MysqlFamily, primary: MysqlFamily) -> str:
        """What a replica has not applied yet of what the primary has written; empty: nothing."""

    @abstractmethod
    def written(self, primary: MysqlFamily) -> Callable[[MysqlFamily], str]:
        """What the primary has written until now: asked of a replica, what of that it has not applied yet."""

    def diverged(self, node: MysqlFamily, primary: MysqlFamily, status: Status) -> bool:
        """Whether a node has transactions that the primary does not have."""
        return bool(status) and int(status["Last_IO_Errno"]) == NOT_IN_THE_LOG
