"""States of a fault as types: each state has the step that leads to the next, so none can be skipped.

Planned --inject--> AtWork --recover--> Recovered --bring_back--> Returned --follow--> AtWork
          `-------> Refused
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from fivenines.base.errors import FiveninesError
from fivenines.base.units import format_duration
from fivenines.faults.base import Fault, Injection, Recovery
from fivenines.faults.context import FaultContext
from fivenines.faults.settings import FaultSettings
from fivenines.trial.faults.node_recovery import NodeRecovery, Return

# Seconds, and share of its length, by which a fault may last longer without a remark.
_LATE = 0.1


@dataclass(frozen=True)
class Refused:
    """A fault that could not be injected; the time in ns of CLOCK_MONOTONIC."""

    monotonic_ns: int
    reason: str


@dataclass(frozen=True)
class Recovered:
    """A fault that was removed, or could not be removed (`failure`); its nodes are not members yet.

    With a recovery, `failure` says why the following fault did not happen.
    """

    injection: Injection
    recovery: Recovery | None
    failure: str = ""
    # Result for each node, after their return.
    returns: dict[str, Return] = field(default_factory=dict)

    def bring_back(self, node_recovery: NodeRecovery) -> "Returned":
        """Make the nodes members again; return when they are, or cannot become members."""
        servers = self.injection.servers
        try:
            returns = node_recovery.recover(servers)
        except Exception as error:
            returns = {server.name: Return(reason=words(error)) for server in servers}
        return Returned(self.injection, self.recovery, self.failure, returns)


class Returned(Recovered):
    """A fault whose nodes are members again, or known not to return."""

    def fell_out(self, name: str, reason: str) -> None:
        """Record that a returned node is no longer a member."""
        if name in self.returns:
            self.returns[name].reason = reason
            self.returns[name].rejoined_ns = None

    def follow(self, fault: Fault[FaultSettings], context: FaultContext) -> "AtWork | Returned":
        """Inject the following fault, if there is one."""
        missing = "; ".join(item.reason for item in self.returns.values() if item.reason)
        try:
            injection = fault.follow(context, self.injection, missing)
        except Exception as error:
            return replace(self, failure="; ".join(filter(None, (self.failure, words(error)))))
        return self if injection is None else AtWork(fault, context, injection)


@dataclass(frozen=True)
class AtWork:
    """A fault that took effect, or at least was carried out."""

    fault: Fault[FaultSettings]
    context: FaultContext
    injection: Injection

    @property
    def lasts(self) -> float | None:
        """Return the seconds until the fault ends; None: never."""
        lasts = self.injection.lasts
        return self.fault.settings.lasts if lasts is None else lasts

    def recover(self, before: Callable[[], None]) -> Recovered:
        """Remove the fault after `before` returns."""
        try:
            before()
            recovery = self.fault.recover(self.context, self.injection)
            return Recovered(self.injection, self._with_length(recovery))
        except Exception as error:
            return Recovered(self.injection, None, words(error))

    def _with_length(self, recovery: Recovery) -> Recovery:
        """Return the end of the fault, with its length if it lasted longer than requested.

        To verify that a fault took effect may take longer than the fault should last. Faults that stop
        servers wait for a new primary.
        """
        lasts = self.lasts
        if lasts is None or self.fault.stops_servers:
            return recovery
        lasted = (recovery.monotonic_ns - self.injection.monotonic_ns) / 1e9
        if lasted - lasts <= max(_LATE, _LATE * lasts):
            return recovery
        length = f"it lasted {lasted:.1f} s instead of {format_duration(lasts)}"
        return replace(recovery, detail=f"{recovery.detail}; {length}" if recovery.detail else length)


@dataclass(frozen=True)
class Planned:
    """A fault that is not due yet."""

    fault: Fault[FaultSettings]
    context: FaultContext

    def inject(self) -> AtWork | Refused:
        """Inject the fault now."""
        # A switchover that fails may have changed roles before it says so.
        begun = time.monotonic_ns()
        try:
            return AtWork(self.fault, self.context, self.fault.inject(self.context))
        except Exception as error:
            return Refused(begun, words(error))


Life = Planned | Refused | AtWork | Recovered


def words(error: Exception) -> str:
    """Return the message of an error, with its type unless it is a FiveninesError."""
    text = str(error).strip()
    return text if isinstance(error, FiveninesError) and text else f"{type(error).__name__}: {text}"
