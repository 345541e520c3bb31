"""Fault `maintenance`: restart one server after the other, as for a new version or setting.

Replicas come first and the primary last, after a switchover. The order of NDB's kinds of servers follows its
manual, "Performing a Rolling Restart of an NDB Cluster".
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, WithJsonSchema

from fivenines.base.errors import FiveninesError
from fivenines.base.units import Duration
from fivenines.faults import targets
from fivenines.faults.base import Fault, Injection, Recovery, now
from fivenines.faults.context import FaultContext
from fivenines.faults.nodes.stop import shut_down
from fivenines.faults.nodes.switchover import hand_over
from fivenines.faults.settings import NodeFaultSettings
from fivenines.servers.base import Server
from fivenines.servers.cluster.topology import Topology

# Target word for all servers that accept SQL.
_NODES = "nodes"

# Seconds between two checks of the other servers, rare enough to cost next to nothing.
_CHECK_INTERVAL = 0.25

# Seconds until all other servers must be members; otherwise no further server is shut down.
_LONGEST_WAIT = 120.0


def _checked(word: str) -> str:
    return word if word == _NODES else targets.node_target(word)


# Target word for the servers to restart, one after the other.
MaintenanceTarget = Annotated[
    str,
    Field(description="servers to restart: all, nodes (those that accept SQL), or a target"),
    AfterValidator(_checked),
    WithJsonSchema({"type": "string", "allowed": f"all, {_NODES}, or a target such as replica or node1"}),
]


class MaintenanceSettings(NodeFaultSettings):
    """Shut each server down and restart it; it must be a working member before the next one follows."""

    fault: Literal["maintenance"] = Field(description="restart one server after the other (rolling)")
    target: MaintenanceTarget = "all"
    down: Duration = Field(
        1.0, description="time that each server stays down after its shutdown, as for an upgrade"
    )
    pause: Duration = Field(
        1.0, description="time from the recovery of one server to the shutdown of the next one"
    )
    switchover: bool = Field(
        True, description="make a switchover before the primary's shutdown, if the solution supports it"
    )

    @property
    def lasts(self) -> float:
        """Return the first server's downtime, in seconds. The total is known only after all restarts."""
        return self.down

    def expected(self, topology: Topology) -> float:
        servers = topology.count_of(self.target)
        return servers * (self.down + topology.restart_seconds) + (servers - 1) * self.pause

    def problems_with(self, topology: Topology) -> list[str]:
        return [] if self.target == _NODES else super().problems_with(topology)


@dataclass(frozen=True)
class _Progress:
    """The servers to restart, and those that have been restarted."""

    chosen: frozenset[str]
    done: tuple[str, ...] = ()

    @property
    def left(self) -> frozenset[str]:
        return self.chosen.difference(self.done)

    def __str__(self) -> str:
        return f"{len(self.done)} of {len(self.chosen)}"


class Maintenance(Fault[MaintenanceSettings]):
    """Verified when each server's processes have ended; ends with the start of the last server."""

    settings_type = MaintenanceSettings

    def inject(self, context: FaultContext) -> Injection:
        progress = _Progress(self._chosen(context))
        if not _others_work(context):
            raise FiveninesError("the rolling restart was cancelled before the first server")
        return self._restart_next(context, progress)

    def recover(self, context: FaultContext, injection: Injection) -> Recovery:
        return Recovery(True, f"{injection.state} servers restarted")

    def follow(self, context: FaultContext, injection: Injection, away: str) -> Injection | None:
        progress: _Progress = injection.state
        (server,) = injection.servers
        if away:
            raise FiveninesError(
                f"{server.name} did not recover: stopped after {progress} servers, {_remaining(progress)}"
            )
        if isinstance(server, Server):
            draining = context.access.draining
            if context.solution.switchover is not None:
                context.solution.switchover.undrain(draining, server)
            if draining is not None:
                draining.undrain(server.name)
        if not progress.left:
            return None
        if not context.ended.wait(self.settings.pause) and _others_work(context):
            return self._restart_next(context, progress)
        if context.why_ended:
            # If a user ends the fault, the early end is intended and no error.
            raise FiveninesError(
                f"{context.why_ended}: stopped after {progress} servers, {_remaining(progress)}"
            )
        return None

    def _chosen(self, context: FaultContext) -> frozenset[str]:
        """Return the names of the servers to restart."""
        solution, word = context.solution, self.settings.target
        if word in ("all", _NODES):
            return frozenset(
                member.name for member in (solution.members if word == "all" else solution.nodes)
            )
        servers = targets.resolve(word, context).servers
        if not servers:
            raise FiveninesError(f"the target {word} has no server")
        return frozenset(server.name for server in servers)

    def _restart_next(self, context: FaultContext, progress: _Progress) -> Injection:
        """Shut the next server down."""
        order = context.solution.maintenance_order()
        server = next(member for member in order if member.name in progress.left)
        progress = replace(progress, done=(*progress.done, server.name))
        moment = now()
        context.note("maintenance", server.name, f"{progress}")
        if isinstance(server, Server):
            self._drain(context, server)
        clean, detail = shut_down((server,), context)
        context.note("stopped", server.name, detail)
        return Injection(
            (server.name,),
            self.settings.target,
            moment,
            clean,
            f"{server.name}: {detail}",
            (server,),
            state=progress,
            lasts=(now() - moment) / 1e9 + self.settings.down,
            followed=bool(progress.left),
        )

    def _drain(self, context: FaultContext, server: Server) -> None:
        """Move the primary's role and the clients to other nodes before a node's shutdown."""
        solution = context.solution
        possible = self.settings.switchover and not solution.topology.without_switchover
        if possible and solution.roles.certain_primary() is server:
            over = hand_over(context)
            context.note("handed over", server.name, over.detail)
            _others_work(context, server.name)
        if (draining := context.access.draining) is not None:
            draining.drain(server.name)


def _others_work(context: FaultContext, but: str = "") -> bool:
    """Wait until all servers except `but` are members and have applied all earlier writes.

    Returns False if the fault was ended meanwhile.

    Raises:
        FiveninesError: a server does not become a member in time.
    """
    until = time.monotonic() + _LONGEST_WAIT
    others = _Others(context, but)
    while why := others.not_working():
        if time.monotonic() > until:
            raise FiveninesError(f"no further server is shut down: {why}")
        if context.ended.wait(_CHECK_INTERVAL):
            return False
    return not context.ended.is_set()


class _Others:
    """All servers except one, until each is a member and has applied what was written before that."""

    def __init__(self, context: FaultContext, but: str) -> None:
        self._solution = context.solution
        self._members = [member for member in context.solution.members if member.name != but]
        self._lacks: Callable[[Any], str] | None = None

    def not_working(self) -> str:
        """Return why a server does not work yet; empty if all work."""
        try:
            return self._not_joined() or self._behind()
        except Exception as error:
            return str(error) or type(error).__name__

    def _not_joined(self) -> str:
        return next(filter(None, map(self._solution.membership.not_joined_reason, self._members)), "")

    def _behind(self) -> str:
        if self._lacks is None:
            self._lacks = self._solution.membership.written()
        nodes = [member for member in self._members if isinstance(member, Server)]
        return next(filter(None, map(self._lacks, nodes)), "")


def _remaining(progress: _Progress) -> str:
    left = ", ".join(sorted(progress.left))
    return f"{left} not restarted" if left else "all were shut down"
