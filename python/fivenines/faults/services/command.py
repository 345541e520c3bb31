"""Fault `command`: run a custom command to inject a fault, and another one to end it."""

from contextlib import suppress
from typing import Annotated, Literal

from pydantic import Field

from fivenines.base.errors import FiveninesError
from fivenines.base.units import Duration
from fivenines.faults import targets
from fivenines.faults.base import Fault, Injection, Recovery, now
from fivenines.faults.context import FaultContext
from fivenines.faults.settings import NodeFaultSettings
from fivenines.lab.processes import placeholders, shell
from fivenines.lab.processes.fixed_result import fixed_result


class CommandSettings(NodeFaultSettings):
    """Run custom shell commands on this machine. `{node}`, `{host}` and `{port}` stand for the target's.

    Their environment has `FIVENINES_NODES` (`node1=address:port node2=…`), `FIVENINES_PRIMARY`,
    `FIVENINES_TARGET`, `FIVENINES_HOST` and `FIVENINES_PORT`. In the lab it also has `FIVENINES_PID`, the
    first process of the target's host (`nsenter --target $FIVENINES_PID --net …`).
    """

    hits = "nodes"

    fault: Literal["command"] = Field(description="run custom commands that inject and end a fault")
    target: targets.NodeTarget = "primary"
    inject: Annotated[str, Field(min_length=1)] = Field(description="command that injects the fault")
    recover: str = Field("", description="command that ends the fault; empty: the fault ends by itself")
    verify: str = Field(
        "",
        description="command that succeeds while the fault is in effect, and fails otherwise; empty: only "
        "the exit code of `inject` is checked",
    )
    duration: Duration | None = Field(5.0, description="time until `recover` runs; null: it never runs")
    timeout: Annotated[Duration, Field(gt=0)] = Field(30.0, description="time limit for each command")
    hiccup: bool = Field(
        False,
        description="the commands kill no server: a failover is needless, and `search` and `lengths` can be "
        "used",
    )

    @property
    def harmless(self) -> bool:
        return self.hiccup

    def problems(self) -> list[str]:
        commands = {"inject": self.inject, "recover": self.recover, "verify": self.verify}
        problems = placeholders.problems(commands)
        fixed = fixed_result(self.verify)
        if fixed is not None:
            result = "succeeds" if fixed else "fails"
            problems.append(
                f"verify: {self.verify.strip()!r} always {result}: write a command that succeeds while the "
                "fault is in effect and fails otherwise, or leave `verify` out"
            )
        if self.hiccup and not (self.recover or self.verify):
            problems.append("hiccup: its end must be known: set `recover`, or `verify`")
        return problems

    def length_problem(self) -> str:
        return "" if self.recover else "only `recover` ends a command at a chosen time: set it"


class Command(Fault[CommandSettings]):
    """Verified by the command `verify` if it is set, otherwise by the exit code."""

    settings_type = CommandSettings

    def inject(self, context: FaultContext) -> Injection:
        target = targets.resolve(self.settings.target, context)
        # The commands may make it silent: it is not asked again.
        primary = context.solution.roles.certain_primary()
        before = primary.name if primary is not None else ""
        moment = now()
        messages = [self._run(context, name, "inject", before) for name in target.hosts]
        verified = all(self._verify_is(True, context, name, before) for name in target.hosts)
        detail = "; ".join(messages) + ("" if verified else "; `verify` did not confirm the fault")
        return Injection(target.hosts, target.role, moment, verified, detail, target.servers, state=before)

    def recover(self, context: FaultContext, injection: Injection) -> Recovery:
        if not self.settings.recover:
            over = all(
                self._verify_is(False, context, name, str(injection.state)) for name in injection.hosts
            )
            detail = "the fault ends by itself" if over else "`verify` still detects the fault"
            return Recovery(over, detail, now())
        moment = now()
        primary = context.solution.roles.primary()
        at_end = primary.name if primary is not None else str(injection.state)
        messages = [self._run(context, name, "recover", at_end) for name in injection.hosts]
        ended = all(self._verify_is(False, context, name, at_end) for name in injection.hosts)
        detail = "; ".join(messages) + ("" if ended else "; `verify` still detects the fault")
        return Recovery(ended, detail, moment)

    def _run(
        self, context: FaultContext, name: str, which: Literal["inject", "recover"], primary: str
    ) -> str:
        done = self._done(context, name, which, primary)
        if done.code != 0:
            raise FiveninesError(f"the command `{which}` failed for {name}: {done.summary}")
        return f"`{which}` for {name}: {done.summary}"

    def _verify_is(self, in_effect: bool, context: FaultContext, name: str, primary: str) -> bool:
        """Repeat `verify` until it reports this state; False if it does not within `timeout`."""
        if not self.settings.verify:
            return True
        return context.settles(
            lambda: (self._done(context, name, "verify", primary).code == 0) is in_effect,
            self.settings.timeout,
        )

    def _done(self, context: FaultContext, name: str, which: str, primary: str) -> shell.Done:
        server = context.solution.node(name)
        values = {"node": name, "host": server.host.address, "port": str(server.port)}
        command = placeholders.filled(str(getattr(self.settings, which)), values)
        log = context.lab.hosts[name].node / "log" / f"command-{which}.log"
        return shell.run(command, log, self.settings.timeout, environment(context, name, primary))


def environment(context: FaultContext, name: str, primary: str) -> dict[str, str]:
    """Return the environment variables of a command for a node."""
    server = context.solution.node(name)
    variables = {
        "FIVENINES_NODES": " ".join(f"{node.name}={node.endpoint}" for node in context.solution.nodes),
        "FIVENINES_PRIMARY": primary,
        "FIVENINES_TARGET": name,
        "FIVENINES_HOST": server.host.address,
        "FIVENINES_PORT": str(server.port),
    }
    with suppress(FiveninesError):  # The server is not on a host of the lab.
        variables["FIVENINES_PID"] = str(server.host.pid)
    return variables
