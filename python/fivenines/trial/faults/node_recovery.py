"""Return of nodes after a fault: one restart at a time, as an operator would do it."""

import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from fivenines.base.threads import Background
from fivenines.servers.base import Server
from fivenines.servers.daemon import daemon
from fivenines.servers.member import Member
from fivenines.trial.deployment.deployed import Deployed

# Polling interval of nodes during the load, in seconds: the controller must use little CPU.
POLL = 0.25

# Maximum number of restarts of a node.
_ATTEMPTS = 3

_BETWEEN_ATTEMPTS = 1.0

# Seconds that a node has to join after its restart, even just before the deadline.
_GRACE = 5.0


@dataclass
class Return:
    """Result for one node; times in ns of CLOCK_MONOTONIC. `reason`: why it is not a member.

    `failure`: why its last restart failed.
    """

    restarted_ns: int | None = None
    rejoined_ns: int | None = None
    reason: str = ""
    failure: str = ""
    # Time of its last restart, in seconds of CLOCK_MONOTONIC.
    started: float = 0.0


class NodeRecovery:
    """Brings nodes back. `deadline` in seconds of CLOCK_MONOTONIC; `note` is called with each step.

    `patience` bounds each wait in seconds where the deadline is far away.
    """

    def __init__(
        self,
        deployed: Deployed,
        note: Callable[[str, str, str], None],
        deadline: float,
        patience: float = math.inf,
    ) -> None:
        self._deployed = deployed
        self._solution = deployed.solution
        self._manager = deployed.manager
        self._access = deployed.access
        self._note = note
        self._deadline = deadline
        self._patience = patience
        self._restarting = threading.Lock()
        # Number of faults that keep a node down, by its name: it is not restarted.
        self.held: Counter[str] = Counter()
        # `held`, plus faults whose nodes are returning.
        self.busy: Counter[str] = Counter()

    @property
    def manager_at_work(self) -> bool:
        """Return whether a failover is in progress, which a restart must not disturb."""
        at_work = self._manager is not None and self._manager.at_work
        return at_work or self._access.at_work

    def left(self) -> float:
        """Return the seconds until the deadline, at least 1."""
        now = time.monotonic()
        return self.until(now) - now

    def until(self, since: float) -> float:
        """Return the end of a wait that began at `since`, in seconds of CLOCK_MONOTONIC.

        A waiting thread calls it repeatedly, as the deadline may have moved.
        """
        return since + max(1.0, min(self._patience, self._deadline - since))

    def hurry(self, deadline: float) -> None:
        """Set the deadline, also for threads that already wait."""
        self._deadline = min(self._deadline, deadline)

    def recover(self, nodes: Sequence[Member]) -> dict[str, Return]:
        """Make these nodes members again; return the result for each, by name, at the deadline at the latest.

        Restarts are sequential, in the solution's order. A separate thread polls each node, so that the time
        of its return is exact.
        """
        returns = {node.name: Return() for node in nodes}
        before: threading.Event | None = None
        watchers = []
        for node in self._solution.membership.restart_order(nodes):
            after = threading.Event()
            watchers.append(Background(target=self._watch, args=(node, returns[node.name], before, after)))
            before = after
        for watcher in watchers:
            watcher.start()
        for watcher in watchers:
            watcher.join()
        return returns

    def _watch(
        self, node: Member, result: Return, before: threading.Event | None, after: threading.Event
    ) -> None:
        """Bring one node back; its first check waits for `before`, and `after` releases the next node."""
        if before is not None:
            before.wait()
        attempts = Counter[str]()
        since = time.monotonic()
        try:
            while not self._look(node, result, attempts, after):
                after.set()
                # A node that was just restarted gets time to join.
                until = max(self.until(since), result.started + _GRACE)
                if time.monotonic() > until:
                    waited = until - since
                    why = result.failure or result.reason
                    result.reason = f"{node.name} did not rejoin within {waited:.3g} s: {why}"
                    return
                time.sleep(POLL)
        except Exception as error:
            result.reason = f"{type(error).__name__}: {error}"
        finally:
            after.set()

    def _look(self, node: Member, result: Return, attempts: Counter[str], begun: threading.Event) -> bool:
        """Check a node once, restart it if necessary, and return whether it is done."""
        result.reason = self._reason(node)
        if not result.reason:
            result.rejoined_ns = time.monotonic_ns()
            self._note("rejoined", node.name, "")
            return True
        if self.held[node.name] > 0:
            result.reason = "another fault keeps it down"
        elif self.manager_at_work:
            result.reason = "the failover manager is at work"
        elif not node.alive or self.unexpected_primary_reason(node):
            if attempts[node.name] >= _ATTEMPTS:
                return False
            attempts[node.name] += 1
            self._restart(node, result, begun)
            if not node.alive and attempts[node.name] < _ATTEMPTS:
                time.sleep(_BETWEEN_ATTEMPTS)
        return False

    def _restart(self, node: Member, result: Return, begun: threading.Event) -> None:
        result.restarted_ns = result.restarted_ns or time.monotonic_ns()
        try:
            with self._restarting:
                # The next node may queue for its turn now.
                begun.set()
                why = self.unexpected_primary_reason(node) if node.alive else ""
                # The restart of another node may have started this one as well.
                if why or not node.alive:
                    self._note("restarted", node.name, why)
                    if node.alive:
                        daemon(node).put_down()
                    self._deployed.start_node(node)
                    if isinstance(node, Server):
                        # The end of the whole host ended this process, too.
                        self._access.start_on(node)
            result.reason, result.started = "it was just started", time.monotonic()
            result.failure = ""
        except Exception as error:
            result.reason = result.failure = str(error) or type(error).__name__

    def _reason(self, node: Member) -> str:
        if node.frozen:
            return f"{node.name} is frozen"
        try:
            return self._solution.membership.not_joined_reason(node)
        except Exception as error:
            return str(error) or type(error).__name__

    def unexpected_primary_reason(self, node: Member) -> str:
        """Return why a live node will not become a member by itself; empty if it may, or is a member."""
        if node.frozen:
            return ""
        try:
            return self._solution.membership.unexpected_primary_reason(node)
        except Exception:
            return ""

    def reasons(self, nodes: Iterable[Member]) -> dict[str, str]:
        """Return why each of these nodes is not a member now; empty for members."""
        return {node.name: self._reason(node) for node in nodes}
