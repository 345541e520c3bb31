"""A failover manager of one's own, on a host of its own: any program that watches the nodes and promotes one.

What it is told are files made of templates. What it does is told by its log, by patterns that the user gives
(`marks`): without them nobody would know whom it has promoted.
"""

from typing import Any, Literal

from pydantic import Field

from fivenines.cluster.cluster import Cluster
from fivenines.cluster.events import ManagerEvent
from fivenines.cluster.topology import Topology
from fivenines.managers.base import Manager
from fivenines.managers.settings import ManagerSettings
from fivenines.programs.running import Running
from fivenines.programs.settings import ProgramParts
from fivenines.servers.base import Server
from fivenines.software.store import family_of


class ProgramManagerSettings(ProgramParts, ManagerSettings):
    """A program that watches the nodes and promotes another one when the primary dies."""

    host = "manager"
    section = "manager"
    failover_fact = "a program of the user's promotes a replica"

    kind: Literal["program"] = Field(description="a failover manager of your own")
    rejoins: bool = Field(
        False,
        description="whether it makes a server that was started again a member by itself; else fivenines "
        "does, as a person would",
    )

    @property
    def supervises(self) -> bool:
        return self.rejoins

    def problems_with(self, topology: Topology) -> list[str]:
        if self.rejoins and family_of(topology.engine) == "postgresql":
            return [
                "manager.rejoins: a former primary of PostgreSQL would start as a primary: leave it out, "
                "and it is rewound first"
            ]
        return []

    def problems(self) -> list[str]:
        """What is wrong with its templates, commands and marks."""
        found = super().problems()
        if not self.promotes:
            found.append(
                "manager.marks: nobody would know whom it promotes: give a line of its log that means "
                "promoted, as {says: 'promoted (?P<node>\\S+)', means: promoted}"
            )
        ready = self.ready
        if not (ready.port or ready.command or ready.says):
            found.append(
                "manager.ready: a fault must not come before it watches: say when it does, by port, "
                "command, or a line that it writes (says)"
            )
        if ready.path and not ready.port:
            found.append("manager.ready: path goes with port")
        return found


class ProgramManager(Manager[ProgramManagerSettings]):
    """A program that fails over."""

    settings_type = ProgramManagerSettings

    def __init__(self, settings: ProgramManagerSettings, solution: Cluster[Any]) -> None:
        super().__init__(settings, solution)
        self._running = Running(settings, solution, settings.host, (0, 0))

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
            node.start()
            node.wait_ready()

    @property
    def alive(self) -> bool:
        return self._running.process.alive

    @property
    def at_work(self) -> bool:
        return self._running.at_work
