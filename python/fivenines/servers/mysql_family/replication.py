"""Replication of one kind of server: the differences between MariaDB and MySQL."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from fivenines.servers.base import Value
from fivenines.servers.mysql_family.server import MysqlFamily

# SHOW REPLICA STATUS, by column; empty if a server follows no primary.
Status = Mapping[str, Any]

# ER_SOURCE_FATAL_ERROR_READING_BINLOG: the primary does not know the replica's position.
NOT_IN_THE_LOG = 1236


class Replicating(ABC):
    """Operations for one kind of server; statements are lists, to be run one after another."""

    # Column with the address of a replica's primary.
    source: ClassVar[str]

    # Columns that show whether a replica receives and applies.
    threads: ClassVar[tuple[str, str]]

    # Statements after which it is writable.
    writable: ClassVar[tuple[str, ...]]

    # Statements after which a primary is semi-synchronous.
    wait_for_replicas: ClassVar[tuple[str, ...]]

    # Status variable with the number of replicas that acknowledge.
    acknowledging: ClassVar[str]

    stall: ClassVar[str]
    # Statements that stop and start the applier.
    unstall: ClassVar[str]

    # Argument with which a server starts without continuing as a replica.
    idle: ClassVar[str]

    @abstractmethod
    def settings(self) -> dict[str, Value]:
        """Return settings of any node, which begins read-only."""

    @abstractmethod
    def semi_sync(self, mode: str, timeout_ms: int, count: int) -> dict[str, Value]:
        """Return settings for semi-synchronous replication that is not switched on yet at the primary."""

    # Setting with the number of applier threads.
    appliers: ClassVar[str]

    def applying(self, threads: int | None, mode: str | None) -> dict[str, Value]:
        """Return settings of a replica's applier threads; None: the server's defaults."""
        return {} if threads is None else {self.appliers: threads}

    @abstractmethod
    def follow(self, primary: str, password: str) -> list[str]:
        """Return statements that make a server the read-only replica of this address, by GTID."""

    def rejoin_arguments(self, semi_synchronous: bool) -> list[str]:
        """Return arguments of a server that starts to follow the current primary."""
        return [self.idle]

    def before_following(self) -> list[str]:
        """Return statements before `follow` on a server that may have been a primary."""
        return []

    @abstractmethod
    def behind(self, node: MysqlFamily, primary: MysqlFamily) -> str:
        """Return what a replica has not applied yet of the primary's changes; empty: nothing."""

    @abstractmethod
    def written(self, primary: MysqlFamily) -> Callable[[MysqlFamily], str]:
        """Take the primary's write position; return a check of what a replica has not applied up to it."""

    def diverged(self, node: MysqlFamily, primary: MysqlFamily, status: Status) -> bool:
        """Return whether a node has transactions that the primary does not have."""
        return bool(status) and int(status["Last_IO_Errno"]) == NOT_IN_THE_LOG
