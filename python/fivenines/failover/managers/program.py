"""A custom failover manager on a separate host: any program that watches the nodes and promotes one.

Files from templates configure it. Its events come from its log, by patterns that the user provides (`marks`):
without them the new primary would be unknown.
"""

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import Field

from fivenines.failover.managers.base import Manager
from fivenines.failover.managers.settings import ManagerSettings
from fivenines.failover.programs.running import Running
from fivenines.failover.programs.settings import ProgramParts
from fivenines.lab.processes.look import Command
from fivenines.servers.base import Server
from fivenines.servers.cluster.cluster import Cluster
from fivenines.servers.cluster.events import ManagerEvent
from fivenines.servers.cluster.topology import Topology
from fivenines.servers.daemon import daemon
from fivenines.software.store import family_of


class ProgramManagerSettings(ProgramParts, ManagerSettings):
    """A program that watches the nodes and promotes another one when the primary dies."""

    host = "manager"
    section = "manager"
    failover_fact = "a custom program promotes a replica"

    kind: Literal["program"] = Field(description="a custom failover manager")
    rejoins: bool = Field(
        False,
        description="whether it makes a restarted server a member by itself; otherwise automatic remediation "
        "does: fivenines lets the server join again",
    )

    @property
    def supervises(self) -> bool:
        return self.rejoins

    def problems_with(self, topology: Topology) -> list[str]:
        if self.rejoins and family_of(topology.engine) == "postgresql":
            return [
                "manager.rejoins: a former primary of PostgreSQL would start as a primary: leave it out, "
                "and fivenines rewinds the server first"
            ]
        return []

    def problems(self) -> list[str]:
        """Return what is wrong with its templates, commands and marks."""
        problems = super().problems()
        if not self.promotes:
            problems.append(
                "manager.marks: the new primary would be unknown: add a log line that means promoted, as "
                "{says: 'promoted (?P<node>\\S+)', means: promoted}"
            )
        ready = self.ready
        if not (ready.port or ready.command or ready.says):
            problems.append(
                "manager.ready: a fault must not come before it watches: set port, command, or says (a line "
                "of its output)"
            )
        if ready.path and not ready.port:
            problems.append("manager.ready: path needs port")
        return problems


class ProgramManager(Manager[ProgramManagerSettings]):
    """A custom program that fails over."""

    settings_type = ProgramManagerSettings

    def __init__(self, settings: ProgramManagerSettings, solution: Cluster[Any]) -> None:
        super().__init__(settings, solution)
        self._running = Running(settings, solution, settings.host, (0, 0))

    def configure(self) -> None:
        self._running.configure()

    def start(self) -> None:
        self._running.start()

    def stop(self) -> None:
        self._running.stop()

    def restart(self) -> None:
        self._running.restart()

    def kill(self) -> None:
        self._running.kill()

    def events(self) -> list[ManagerEvent]:
        return self._running.events()

    def switch_over(self) -> str:
        return self._running.switch_over()

    def start_on(self, node: Server) -> None:
        if self.settings.rejoins:
            daemon(node).start()
            node.wait_ready()

    @property
    def alive(self) -> bool:
        return self._running.process.alive

    def programs(self, host: str) -> Sequence[Command]:
        return [self._running.process] if host == self.settings.host else []

    @property
    def at_work(self) -> bool:
        return self._running.at_work
