"""A proxy of one's own in front of the nodes, on a host of its own: any program that listens on a port.

What it is told are files made of templates; when it lets clients in is asked of it; where it does not find
a new primary by itself, it is told once the failover manager has promoted one.
"""

import signal
from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any, Literal

from pydantic import Field

from fivenines.access.base import Access
from fivenines.access.settings import AccessSettings
from fivenines.cluster.capabilities import Drain
from fivenines.cluster.cluster import Cluster
from fivenines.cluster.endpoints import Endpoints
from fivenines.cluster.events import ManagerEvent
from fivenines.lab.process import Process
from fivenines.programs import templates
from fivenines.programs.running import Running
from fivenines.programs.settings import Port, ProgramParts
from fivenines.units import Duration


class ProgramSettings(ProgramParts, AccessSettings):
    """Any program that listens on a port, told by files made of templates."""

    host = "proxy"
    section = "access"

    kind: Literal["program"] = Field(description="through a program of your own")
    write_port: Port = Field(description="where clients connect to write")
    read_port: Port | None = Field(
        None, description="where clients connect to read only, if it has such a port"
    )
    on_promotion: (
        Literal["nothing", "restart"] | Annotated[str, Field(pattern="^SIG")] | list[str]
    ) = Field(
        "nothing",
        description="what is done when another node was promoted, after its files were made anew: "
        "nothing (it finds the primary by itself), a signal as SIGHUP, a command on its host, or restart",
    )
    drain: list[str] = Field(
        default_factory=list,
        description="a command on its host that takes a node out of service before that is stopped as "
        "planned (templates, with the name `node`, too)",
    )
    undrain: list[str] = Field(
        default_factory=list, description="a command on its host that undoes `drain`"
    )
    looks_every: Duration = Field(
        0.0, description="time between two of its own looks at the nodes; 0: it does not look"
    )

    @property
    def switches_over(self) -> bool:
        return bool(self.switchover)

    @property
    def watch_period(self) -> float:
        return self.looks_every

    def problems(self) -> list[str]:
        """What is wrong with its templates, commands and marks."""
        how = self.on_promotion
        if isinstance(how, str) and how.startswith("SIG") and how not in signal.Signals.__members__:
            return [f"access.on_promotion: there is no signal {how}"]
        found = super().problems()
        for key, words in (("drain", self.drain), ("undrain", self.undrain)):
            found += [
                f"access.{key}: {told}"
                for word in words
                if (told := templates.problem(word, "node"))
            ]
        if bool(self.drain) != bool(self.undrain):
            found.append("access: drain and undrain go together")
        return found

    def commands(self) -> dict[str, Sequence[str]]:
        how = self.on_promotion
        return super().commands() | ({"on_promotion": how} if isinstance(how, list) else {})


class Program(Access[ProgramSettings]):
    """A program between clients and nodes."""

    settings_type = ProgramSettings

    def __init__(self, settings: ProgramSettings, solution: Cluster[Any]) -> None:
        super().__init__(settings, solution)
        ports = (settings.write_port, settings.read_port or 0)
        self._running = Running(settings, solution, settings.host, ports)

    def start(self) -> None:
        self._running.start()
        if self.settings.on_promotion != "nothing":
            told = partial(self._running.follow, how=self.settings.on_promotion)
            self.solution.on_appointed.append(told)

    def restart(self) -> None:
        self._running.restart()

    @property
    def process(self) -> Process:
        return self._running.process

    @property
    def promotes(self) -> bool:
        return self.settings.promotes and self.process.alive

    @property
    def draining(self) -> Drain | None:
        return self if self.settings.drain else None

    def drain(self, name: str) -> None:
        """Take a node out of service by the user's command."""
        self._running.run(self.settings.drain, node=name)

    def undrain(self, name: str) -> None:
        """Let a drained node be chosen again, by the user's command."""
        self._running.run(self.settings.undrain, node=name)

    def switch_over(self) -> str:
        return self._running.switch_over()

    def endpoints(self) -> Endpoints:
        address, settings = self._running.host.address, self.settings
        reads = bool(self.solution.endpoints().read) and settings.read_port is not None
        return Endpoints.of_one(
            f"{address}:{settings.write_port}", [f"{address}:{settings.read_port}"] if reads else []
        )

    def events(self) -> list[ManagerEvent]:
        return self._running.events()
