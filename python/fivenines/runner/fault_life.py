"""The life of a fault as types: each state has the one step that leads to the next, so none can be left out.

Planned --inject--> AtWork --recover--> Recovered --bring_back--> Returned --follow--> AtWork
          `-------> Refused
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from fivenines.errors import FiveninesError
from fivenines.faults.base import Fault, Injection, Recovery
from fivenines.faults.context import FaultContext
from fivenines.faults.settings import FaultSettings
from fivenines.runner.node_recovery import NodeRecovery, Return


@dataclass(frozen=True)
class Refused:
    """It could not be injected; the moment in ns of CLOCK_MONOTONIC."""

    monotonic_ns: int
    reason: str


@dataclass(frozen=True)
class Recovered:
    """Its cause is gone, or could not be taken away (`failure`); its nodes are not members yet.

    With a recovery, `failure` says why what was to follow did not.
    """

    injection: Injection
    recovery: Recovery | None
    failure: str = ""
    # What became of each node, once they were brought back.
    returns: dict[str, Return] = field(default_factory=dict)

    def bring_back(self, node_recovery: NodeRecovery) -> "Returned":
        """Make the nodes members again; returns when they are, or are known not to be."""
        servers = self.injection.servers
        try:
            returns = node_recovery.recover(servers)
        except Exception as error:
            returns = {server.name: Return(reason=words(error)) for server in servers}
        return Returned(self.injection, self.recovery, self.failure, returns)


class Returned(Recovered):
    """Its nodes are members again, or it is known why not."""

    def fell_out(self, name: str, reason: str) -> None:
        """Note that a node which had come back is not a member any more."""
        if name in self.returns:
            self.returns[name].reason = reason
            self.returns[name].rejoined_ns = None

    def follow(self, fault: Fault[FaultSettings], context: FaultContext) -> "AtWork | Returned":
        """Do what comes next; where nothing does it stays as it is."""
        away = "; ".join(item.reason for item in self.returns.values() if item.reason)
        try:
            injection = fault.follow(context, self.injection, away)
        except Exception as error:
            return replace(self, failure="; ".join(filter(None, (self.failure, words(error)))))
        return self if injection is None else AtWork(fault, context, injection)


@dataclass(frozen=True)
class AtWork:
    """It took effect, or at least what it does was done."""

    fault: Fault[FaultSettings]
    context: FaultContext
    injection: Injection

    @property
    def lasts(self) -> float | None:
        """Return seconds until it ends; None: it never does."""
        lasts = self.injection.lasts
        return self.fault.settings.lasts if lasts is None else lasts

    def recover(self, before: Callable[[], None]) -> Recovered:
        """Take the cause away, when `before` returns."""
        try:
            before()
            return Recovered(self.injection, self.fault.recover(self.context, self.injection))
        except Exception as error:
            return Recovered(self.injection, None, words(error))


@dataclass(frozen=True)
class Planned:
    """Its moment has not come yet."""

    fault: Fault[FaultSettings]
    context: FaultContext

    def inject(self) -> AtWork | Refused:
        """Break it now."""
        try:
            return AtWork(self.fault, self.context, self.fault.inject(self.context))
        except Exception as error:
            return Refused(time.monotonic_ns(), words(error))


Life = Planned | Refused | AtWork | Recovered


def words(error: Exception) -> str:
    """Return what an error says, with its kind where it is not one of ours."""
    text = str(error).strip()
    return text if isinstance(error, FiveninesError) and text else f"{type(error).__name__}: {text}"
