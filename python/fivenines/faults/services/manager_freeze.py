"""Fault `manager-freeze`: send SIGSTOP to the failover manager's processes, SIGCONT later. Servers go on."""

from collections.abc import Callable, Iterator, Sequence
from signal import SIGCONT, SIGSTOP, Signals
from typing import Literal

import psutil
from pydantic import Field

from fivenines.base import core
from fivenines.base.errors import FiveninesError
from fivenines.base.listing import until_none_is_new
from fivenines.base.units import Duration
from fivenines.faults import targets
from fivenines.faults.base import Fault, Injection, Recovery, now
from fivenines.faults.context import FaultContext
from fivenines.faults.frozen import resumed, stopped
from fivenines.faults.settings import NodeFaultSettings
from fivenines.lab.processes.look import Command
from fivenines.servers.cluster.topology import Topology


class ManagerFreezeSettings(NodeFaultSettings):
    """Stop the failover manager's processes with SIGSTOP, and resume them later; servers and clients go on.

    A manager on a separate host is stopped there, whatever the target. Of one that runs on the nodes, as
    Patroni and Pacemaker do, the processes on the target node are stopped.
    """

    fault: Literal["manager-freeze"] = Field(description="stop the failover manager's processes with SIGSTOP")
    target: targets.NodeTarget = "primary"
    duration: Duration | None = Field(
        5.0, description="time until the processes resume (SIGCONT); null: they stay stopped"
    )

    def problems_with(self, topology: Topology) -> list[str]:
        if not topology.manager_host and not topology.decides_on_nodes:
            return [f"{topology.solution} has no program that manages its failover"]
        if topology.decides_on_nodes and topology.machines == "virtual-machines":
            return ["managers in virtual machines cannot be frozen: use freeze or partition"]
        return super().problems_with(topology)


class ManagerFreeze(Fault[ManagerFreezeSettings]):
    """Verified by the state of all processes in /proc: T, and not T after the end."""

    settings_type = ManagerFreezeSettings

    def inject(self, context: FaultContext) -> Injection:
        target = self._target(context)
        found = {host: list(_programs(context, host)) for host in target.hosts}
        hosts = tuple(host for host, own in found.items() if own)
        programs = [program for own in found.values() for program in own]
        if not programs:
            raise FiveninesError("fault manager-freeze: this deployment has no program that manages failover")
        moment = now()
        verified, detail = stopped(_signal_all(context, programs, SIGSTOP), _WHOSE)
        return Injection(hosts, "manager", moment, verified, detail, target.servers, programs)

    def recover(self, context: FaultContext, injection: Injection) -> Recovery:
        moment = now()
        return resumed(_signal_all(context, injection.state, SIGCONT), moment, _WHOSE)

    def _target(self, context: FaultContext) -> targets.Target:
        """Return the manager's own host; without one, the target with its servers, which may be replaced."""
        own = context.manager.settings.host if context.manager is not None else ""
        return targets.Target("manager", (own,)) if own else targets.resolve(self.settings.target, context)


def _programs(context: FaultContext, host: str) -> Iterator[Command]:
    if context.manager is not None:
        yield from context.manager.programs(host)
    yield from context.solution.failover_programs(host)


def _signal_all(context: FaultContext, programs: Sequence[Command], number: Signals) -> list[psutil.Process]:
    """Signal all processes of these programs but servers, and those that start meanwhile."""
    signalled = []
    for process, send in until_none_is_new(lambda: _members(context, programs)):
        send(process, number)
        signalled.append(process)
    return signalled


def _members(
    context: FaultContext, programs: Sequence[Command]
) -> Iterator[tuple[psutil.Process, Callable[[psutil.Process, Signals], None]]]:
    """Return the processes of these programs, each with what sends it a signal.

    Servers and our own program may be among them, and are left out: a server that Patroni starts on a faulty
    disk waits for our program at each flush.
    """
    servers = {
        process
        for member in context.solution.members
        if member.process is not None
        for process in member.process.members()
    }
    for program in programs:
        for process in program.members():
            if process not in servers and not _is_ours(process):
                yield process, program.send


def _is_ours(process: psutil.Process) -> bool:
    try:
        return bool(process.name() == core.NAME)
    except psutil.NoSuchProcess:
        return False


_WHOSE = " of the manager"
