"""Fault `command`: a command of the user's own breaks something, another one ends it."""

from contextlib import suppress
from typing import Annotated, Literal

from pydantic import Field

from fivenines.errors import FiveninesError
from fivenines.faults import targets
from fivenines.faults.base import Fault, Injection, Recovery, now
from fivenines.faults.context import FaultContext
from fivenines.faults.settings import NodeFaultSettings
from fivenines.lab import shell
from fivenines.units import Duration


class CommandSettings(NodeFaultSettings):
    """Commands run on this machine by its shell; `{node}`, `{host}` and `{port}` are the target's.

    They find `FIVENINES_NODES` (`node1=address:port node2=…`), `FIVENINES_PRIMARY`, `FIVENINES_TARGET`,
    `FIVENINES_HOST` and `FIVENINES_PORT` in their environment, and in the lab `FIVENINES_PID`, the first
    process of the target's host (`nsenter --target $FIVENINES_PID --net …`).
    """

    hits = "nodes"

    fault: Literal["command"] = Field(description="a command of yours")
    target: targets.NodeTarget = "primary"
    inject: Annotated[str, Field(min_length=1)] = Field(description="the command that breaks it")
    recover: str = Field("", description="the command that ends it; empty: it ends by itself")
    verify: str = Field(
        "",
        description="a command that succeeds once it is broken, and fails once that has ended; empty: the "
        "exit code of `inject` has to do",
    )
    duration: Duration | None = Field(5.0, description="time until `recover` runs; null: it never does")
    timeout: Annotated[Duration, Field(gt=0)] = Field(
        30.0, description="longest time that one of the commands may take"
    )


class Command(Fault[CommandSettings]):
    """Verified by the command `verify`, where there is one, else by the exit code."""

    settings_type = CommandSettings

    def inject(self, context: FaultContext) -> Injection:
        target = targets.resolve(self.settings.target, context)
        moment = now()
        told = [self._run(context, name, "inject") for name in target.hosts]
        seen = all(self._is_broken(context, name, True) for name in target.hosts)
        detail = "; ".join(told) + ("" if seen else "; `verify` does not see it")
        return Injection(target.hosts, target.role, moment, seen, detail, target.servers)

    def recover(self, context: FaultContext, injection: Injection) -> Recovery:
        moment = now()
        if not self.settings.recover:
            return Recovery(True, "it ends by itself", moment)
        told = [self._run(context, name, "recover") for name in injection.hosts]
        gone = all(self._is_broken(context, name, False) for name in injection.hosts)
        detail = "; ".join(told) + ("" if gone else "; `verify` still sees it")
        return Recovery(gone, detail, moment)

    def _run(self, context: FaultContext, name: str, which: Literal["inject", "recover"]) -> str:
        done = self._done(context, name, which)
        if done.code != 0:
            raise FiveninesError(f"the command `{which}` failed for {name}: {done.told}")
        return f"`{which}` for {name}: {done.told}"

    def _is_broken(self, context: FaultContext, name: str, wanted: bool) -> bool:
        """Whether `verify` says within a while what is wanted; it is asked again until it does."""
        if not self.settings.verify:
            return True
        return context.settles(
            lambda: (self._done(context, name, "verify").code == 0) is wanted, self.settings.timeout
        )

    def _done(self, context: FaultContext, name: str, which: str) -> shell.Done:
        server = context.solution.node(name)
        values = {"node": name, "host": server.host.address, "port": str(server.port)}
        command = shell.filled(str(getattr(self.settings, which)), values)
        log = context.lab.hosts[name].node / "log" / f"command-{which}.log"
        return shell.run(command, log, self.settings.timeout, environment(context, name))


def environment(context: FaultContext, name: str) -> dict[str, str]:
    """What a command for a node finds in its environment."""
    server = context.solution.node(name)
    primary = context.solution.primary()
    found = {
        "FIVENINES_NODES": " ".join(f"{node.name}={node.endpoint}" for node in context.solution.nodes),
        "FIVENINES_PRIMARY": primary.name if primary is not None else "",
        "FIVENINES_TARGET": name,
        "FIVENINES_HOST": server.host.address,
        "FIVENINES_PORT": str(server.port),
    }
    with suppress(FiveninesError):  # no host of the lab
        found["FIVENINES_PID"] = str(server.host.pid)
    return found
