"""A custom proxy in front of the nodes, on a separate host: any program that listens on a port.

Files from templates configure it, and a readiness check finds out when it accepts clients. If it does not
find a new primary by itself, fivenines notifies it after the failover manager has promoted one.
"""

import signal
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from fivenines.base.threads import Background
from fivenines.failover.programs.running import Running
from fivenines.failover.programs.settings import Port, ProgramParts
from fivenines.failover.proxies.base import Access
from fivenines.failover.proxies.settings import AccessSettings
from fivenines.lab.processes.process import Process
from fivenines.servers.cluster.capabilities import Drain
from fivenines.servers.cluster.cluster import Cluster
from fivenines.servers.cluster.endpoints import Endpoints
from fivenines.servers.cluster.events import ManagerEvent


class ProgramSettings(ProgramParts, AccessSettings):
    """Any program that listens on a port, configured by files from templates."""

    host = "proxy"
    section = "access"

    kind: Literal["program"] = Field(description="through a custom proxy")
    write_port: Port = Field(description="port for writes")
    read_port: Port | None = Field(None, description="port for reads only, if it has one")
    on_promotion: Literal["nothing", "restart"] | Annotated[str, Field(pattern="^SIG")] | list[str] = Field(
        "nothing",
        description="action after a promotion, once its files are rendered again: nothing (it finds the "
        "primary "
        "by itself), a signal such as SIGHUP, a command on its host, or restart",
    )
    drain: list[str] = Field(
        default_factory=list,
        description="a command on its host that takes a node out of service before a planned stop (templates "
        "allowed, with the name `node`)",
    )
    undrain: list[str] = Field(default_factory=list, description="a command on its host that undoes `drain`")

    def problems(self) -> list[str]:
        """Return what is wrong with its templates, commands and marks."""
        how = self.on_promotion
        if isinstance(how, str) and how.startswith("SIG") and how not in signal.Signals.__members__:
            return [f"access.on_promotion: there is no signal {how}"]
        problems = super().problems()
        if self.promotes and how != "nothing":
            problems.append("access.on_promotion: it promotes by itself (marks): leave on_promotion out")
        if bool(self.drain) != bool(self.undrain):
            problems.append("access: drain and undrain go together: set both, or neither")
        return problems

    def commands(self) -> dict[str, Sequence[str]]:
        how = self.on_promotion
        own = {"drain": self.drain, "undrain": self.undrain}
        return super().commands() | own | ({"on_promotion": how} if isinstance(how, list) else {})

    def further(self, key: str) -> Sequence[str]:
        return ("node",) if key in ("drain", "undrain") else ()


class Program(Access[ProgramSettings]):
    """A program between clients and nodes."""

    settings_type = ProgramSettings

    def __init__(self, settings: ProgramSettings, solution: Cluster[Any]) -> None:
        super().__init__(settings, solution)
        ports = (settings.write_port, settings.read_port or 0)
        self._running = Running(settings, solution, settings.host, ports)
        self._drained: set[str] = set()

    def configure(self) -> None:
        self._running.configure()

    def start(self) -> None:
        self._running.start()
        if self.settings.on_promotion != "nothing":
            self.solution.roles.on_appointed.append(self._follow)

    def stop(self) -> None:
        self._running.stop()

    def _follow(self, _name: str) -> None:
        # Failures are only recorded: the promotion is done, and its reporter must go on.
        how = self.settings.on_promotion
        Background(target=self._running.follow, args=(how,)).start()

    def restart(self) -> None:
        self._running.restart()

    @property
    def process(self) -> Process:
        return self._running.process

    @property
    def promotes(self) -> bool:
        return self.settings.promotes and self.process.alive

    @property
    def at_work(self) -> bool:
        return self._running.at_work

    @property
    def draining(self) -> Drain | None:
        return self if self.settings.drain else None

    def drain(self, name: str) -> str:
        """Take a node out of service with the user's command."""
        # A switchover drains the primary, and a planned stop afterwards would drain it again.
        if name not in self._drained:
            self._running.run(self.settings.drain, node=name)
            self._drained.add(name)
        return "drained by the command of the access layer"

    def undrain(self, name: str) -> None:
        """Let clients reach a drained node again, with the user's command."""
        if name in self._drained:
            self._running.run(self.settings.undrain, node=name)
            self._drained.discard(name)

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
