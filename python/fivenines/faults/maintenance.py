"""Fault `maintenance`: a rolling restart, one server after the other, as for a new version or setting.

Replicas come first and the primary last, after it has handed its role over. The order by kinds of NDB's
servers is that of its manual, "Performing a Rolling Restart of an NDB Cluster".
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, WithJsonSchema

from fivenines.cluster.topology import Topology
from fivenines.errors import FiveninesError
from fivenines.faults import targets
from fivenines.faults.base import Fault, Injection, Recovery, now
from fivenines.faults.context import FaultContext
from fivenines.faults.settings import NodeFaultSettings
from fivenines.faults.stop import shut_down
from fivenines.faults.switchover import hand_over
from fivenines.servers.base import Server
from fivenines.units import Duration

_NODES = "nodes"
"""The word for all servers that clients speak to."""

_LOOK = 0.25
"""Seconds between two looks at the others: they must cost next to nothing."""

_LONGEST_WAIT = 120.0
"""Seconds that all other servers may take to be members before the next one would go down."""


def _checked(word: str) -> str:
    return word if word == _NODES else targets.node_target(word)


MaintenanceTarget = Annotated[
    str,
    Field(description="who is restarted: all servers, nodes (those that take SQL), or a target"),
    AfterValidator(_checked),
    WithJsonSchema({"type": "string", "allowed": f"all, {_NODES}, or a target as replica or node1"}),
]
"""A word for the servers that have their turn, one after the other."""


class MaintenanceSettings(NodeFaultSettings):
    """Each server is shut down, stays down for a while, and must be a working member before the next one."""

    fault: Literal["maintenance"] = Field(description="rolling restart, one server after the other")
    target: MaintenanceTarget = "all"
    down: Duration = Field(
        1.0,
        description="how long each server stays down, from the end of its shutdown on: the time in which "
        "it would be upgraded",
    )
    pause: Duration = Field(1.0, description="time from the return of a server to the turn of the next one")
    switchover: bool = Field(
        True,
        description="whether the primary hands its role over before its turn, where the solution can do "
        "that; else it is shut down as it is",
    )

    @property
    def lasts(self) -> float:
        """The first server's time; how long all take only their restarts show."""
        return self.down

    def expected(self, topology: Topology) -> float:
        servers = topology.count_of(self.target)
        return servers * (self.down + topology.restart_seconds) + (servers - 1) * self.pause

    def problems_with(self, topology: Topology) -> list[str]:
        return [] if self.target == _NODES else super().problems_with(topology)


@dataclass(frozen=True)
class _Course:
    """Who has had their turn, of whom."""

    chosen: frozenset[str]
    done: tuple[str, ...] = ()

    @property
    def left(self) -> frozenset[str]:
        return self.chosen.difference(self.done)

    def __str__(self) -> str:
        return f"{len(self.done)} of {len(self.chosen)}"


class Maintenance(Fault[MaintenanceSettings]):
    """Verified by the end of each server's processes; ended when the last one has been started again."""

    settings_type = MaintenanceSettings

    def inject(self, context: FaultContext) -> Injection:
        course = _Course(self._chosen(context))
        if not _others_work(context):
            raise FiveninesError("it was ended before anybody had a turn")
        return self._turn(context, course)

    def recover(self, context: FaultContext, injection: Injection) -> Recovery:
        return Recovery(True, f"{injection.held} servers had their turn")

    def follow(self, context: FaultContext, injection: Injection, away: str) -> Injection | None:
        course: _Course = injection.held
        (server,) = injection.servers
        if away:
            raise FiveninesError(
                f"{server.name} did not come back: stopped after {course} servers, {_left(course)}"
            )
        if isinstance(server, Server):
            draining = context.access.draining
            context.solution.undrain(draining, server)
            if draining is not None:
                draining.undrain(server.name)
        if not course.left:
            return None
        if not context.ended.wait(self.settings.pause) and _others_work(context):
            return self._turn(context, course)
        if context.why_ended:
            # who ends it by hand has what was wanted
            raise FiveninesError(f"{context.why_ended}: stopped after {course} servers, {_left(course)}")
        return None

    def _chosen(self, context: FaultContext) -> frozenset[str]:
        """The names of those who get their turn."""
        solution, word = context.solution, self.settings.target
        if word in ("all", _NODES):
            return frozenset(one.name for one in (solution.members if word == "all" else solution.nodes))
        servers = targets.resolve(word, context).servers
        if not servers:
            raise FiveninesError(f"no server is at {word}")
        return frozenset(one.name for one in servers)

    def _turn(self, context: FaultContext, course: _Course) -> Injection:
        """Take the next one down."""
        server = next(one for one in context.solution.maintenance_order() if one.name in course.left)
        course = replace(course, done=(*course.done, server.name))
        moment = now()
        context.note("maintenance", server.name, f"{course}")
        if isinstance(server, Server):
            self._relieve(context, server)
        clean, detail = shut_down((server,), context)
        context.note("stopped", server.name, detail)
        return Injection(
            (server.name,),
            self.settings.target,
            moment,
            clean,
            f"{server.name}: {detail}",
            (server,),
            held=course,
            lasts=(now() - moment) / 1e9 + self.settings.down,
            followed=bool(course.left),
        )

    def _relieve(self, context: FaultContext, server: Server) -> None:
        """Let others take over what clients want of a node before it goes down."""
        solution = context.solution
        wanted = self.settings.switchover and not solution.topology.without_switchover
        if wanted and solution.primary() is server:
            over = hand_over(context)
            context.note("handed over", server.name, over.told)
            _others_work(context, server.name)
        if (draining := context.access.draining) is not None:
            draining.drain(server.name)


def _others_work(context: FaultContext, but: str = "") -> bool:
    """Wait until all servers but one are members, and have applied what was written until they all were.

    False: it was to end before.

    Raises:
        FiveninesError: one does not become a member; nobody else may go down.
    """
    until = time.monotonic() + _LONGEST_WAIT
    others = _Others(context, but)
    while why := others.not_working():
        if time.monotonic() > until:
            raise FiveninesError(f"nobody else goes down: {why}")
        if context.ended.wait(_LOOK):
            return False
    return not context.ended.is_set()


class _Others:
    """All servers but one, until each is a member and has what was written when all of them were."""

    def __init__(self, context: FaultContext, but: str) -> None:
        self._solution = context.solution
        self._members = [one for one in context.solution.members if one.name != but]
        self._lacks: Callable[[Any], str] | None = None

    def not_working(self) -> str:
        """Why one of them does not work now; empty: all do."""
        try:
            return self._away() or self._behind()
        except Exception as error:
            return str(error) or type(error).__name__

    def _away(self) -> str:
        return next(filter(None, map(self._solution.not_joined_reason, self._members)), "")

    def _behind(self) -> str:
        if self._lacks is None:
            self._lacks = self._solution.written()
        nodes = [one for one in self._members if isinstance(one, Server)]
        return next(filter(None, map(self._lacks, nodes)), "")


def _left(course: _Course) -> str:
    return f"{', '.join(sorted(course.left))} had no turn" if course.left else "the last one"
