"""Fault `manager-freeze`: send SIGSTOP to the failover manager's processes, SIGCONT later. Servers go on."""

from collections.abc import Iterator
from signal import SIGCONT, SIGSTOP, Signals
from typing import Literal

import psutil
from pydantic import Field

from fivenines.base.core import core_binary
from fivenines.base.errors import FiveninesError
from fivenines.base.units import Duration
from fivenines.faults import targets
from fivenines.faults.base import Fault, Injection, Recovery, now
from fivenines.faults.context import FaultContext
from fivenines.faults.settings import NodeFaultSettings
from fivenines.lab.processes.look import Command
from fivenines.lab.processes.process import all_in_state
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
        stopped = _signal_all(context, programs, SIGSTOP)
        verified = bool(stopped) and all_in_state(stopped, stopped=True)
        detail = f"SIGSTOP to {len(stopped)} processes of the manager" + (
            "" if verified else ", not all stopped"
        )
        return Injection(hosts, "manager", moment, verified, detail, target.servers, programs)

    def recover(self, context: FaultContext, injection: Injection) -> Recovery:
        programs: list[Command] = injection.state
        moment = now()
        resumed = _signal_all(context, programs, SIGCONT)
        if not resumed:
            return Recovery(True, "no process to resume: all were killed meanwhile", moment)
        verified = all_in_state(resumed, stopped=False)
        detail = f"SIGCONT to {len(resumed)} processes of the manager" + (
            "" if verified else ", not all resumed"
        )
        return Recovery(verified, detail, moment)

    def _target(self, context: FaultContext) -> targets.Target:
        """Return the manager's own host; without one, the target with its servers, which may be replaced."""
        own = context.manager.settings.host if context.manager is not None else ""
        return targets.Target("manager", (own,)) if own else targets.resolve(self.settings.target, context)


def _programs(context: FaultContext, host: str) -> Iterator[Command]:
    if context.manager is not None:
        yield from context.manager.programs(host)
    yield from context.solution.failover_programs(host)


def _signal_all(context: FaultContext, programs: list[Command], number: Signals) -> list[psutil.Process]:
    """Signal all processes of these programs but servers, then those that started meanwhile."""
    signalled: dict[psutil.Process, None] = {}
    while fresh := {
        process: program for program, process in _members(context, programs) if process not in signalled
    }:
        for process, program in fresh.items():
            program.send(process, number)
            signalled[process] = None
    return list(signalled)


def _members(context: FaultContext, programs: list[Command]) -> Iterator[tuple[Command, psutil.Process]]:
    """Return the processes of these programs, without servers and our own program, which may be among them.

    A server that Patroni starts on a faulty disk waits for our program at each flush.
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
                yield program, process


def _is_ours(process: psutil.Process) -> bool:
    try:
        return bool(process.name() == core_binary().name)
    except psutil.NoSuchProcess:
        return False
