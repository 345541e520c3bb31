"""How nodes become members again after a fault: one restart at a time, as a person would do it."""

import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from fivenines.deployment.deployed import Deployed
from fivenines.servers.base import Server
from fivenines.servers.member import Member

# Seconds between two looks at the nodes while the load runs: the controller must cost next to nothing.
POLL = 0.25

# Restarts of one node until it is left alone.
_ATTEMPTS = 3

_BETWEEN_ATTEMPTS = 1.0

# Seconds that a node has to join after its restart, also when that was just before the deadline.
_GRACE = 5.0


@dataclass
class Return:
    """What became of one node; moments in ns of CLOCK_MONOTONIC. `reason`: why it is not a member.

    `failure`: why its last restart failed.
    """

    restarted_ns: int | None = None
    rejoined_ns: int | None = None
    reason: str = ""
    failure: str = ""
    # When its last restart was done, in seconds of CLOCK_MONOTONIC.
    started: float = 0.0


class NodeRecovery:
    """Brings nodes back. `deadline` in seconds of CLOCK_MONOTONIC; `note` is told of each step.

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
        self._one_at_a_time = threading.Lock()
        self.held: Counter[str] = Counter()
        """Faults that hold a node now, by its name: nobody restarts it."""
        self.busy: Counter[str] = Counter()
        """The same, and faults whose nodes are on their way back."""

    @property
    def manager_at_work(self) -> bool:
        """Return whether a failover goes on, which a person does not meddle with."""
        at_work = self._manager is not None and self._manager.at_work
        return at_work or self._access.at_work

    def left(self) -> float:
        """Return seconds until the deadline, at least one."""
        now = time.monotonic()
        return self.until(now) - now

    def until(self, since: float) -> float:
        """Return the moment until which a wait lasts that began then, in seconds of CLOCK_MONOTONIC.

        Whoever waits asks each time: the deadline may have come nearer.
        """
        return since + max(1.0, min(self._patience, self._deadline - since))

    def hurry(self, deadline: float) -> None:
        """Wait no longer than until this moment, also who waits already."""
        self._deadline = min(self._deadline, deadline)

    def recover(self, nodes: Sequence[Member]) -> dict[str, Return]:
        """Make these nodes members again; what became of each, by name, at the deadline at the latest.

        Restarts come one after another, in the solution's order; each node is watched on its own, so that
        the moment of its return is its own, too.
        """
        returns = {node.name: Return() for node in nodes}
        before: threading.Event | None = None
        watchers = []
        for node in self._solution.restart_order(nodes):
            after = threading.Event()
            watchers.append(
                threading.Thread(
                    target=self._watch, args=(node, returns[node.name], before, after), daemon=True
                )
            )
            before = after
        for watcher in watchers:
            watcher.start()
        for watcher in watchers:
            watcher.join()
        return returns

    def _watch(
        self, node: Member, told: Return, before: threading.Event | None, after: threading.Event
    ) -> None:
        """See one node through; its first look waits for `before`, and lets the next node look by `after`."""
        if before is not None:
            before.wait()
        attempts = Counter[str]()
        since = time.monotonic()
        try:
            while not self._look(node, told, attempts, after):
                after.set()
                # who has just been started again gets a moment to join
                until = max(self.until(since), told.started + _GRACE)
                if time.monotonic() > until:
                    waited = until - since
                    why = told.failure or told.reason
                    told.reason = f"{node.name} did not rejoin within {waited:.3g} s: {why}"
                    return
                time.sleep(POLL)
        except Exception as error:
            told.reason = f"{type(error).__name__}: {error}"
        finally:
            after.set()

    def _look(self, node: Member, told: Return, attempts: Counter[str], begun: threading.Event) -> bool:
        """Look at a node once, restart it if that is what it needs; whether that is the end of it."""
        told.reason = self._reason(node)
        if not told.reason:
            told.rejoined_ns = time.monotonic_ns()
            self._note("rejoined", node.name, "")
            return True
        if self.held[node.name] > 0:
            told.reason = "another fault holds it"
        elif self.manager_at_work:
            told.reason = "the failover manager is at work"
        elif not node.alive or self.unexpected_primary_reason(node):
            if attempts[node.name] >= _ATTEMPTS:
                return False
            attempts[node.name] += 1
            self._restart(node, told, begun)
            if not node.alive and attempts[node.name] < _ATTEMPTS:
                time.sleep(_BETWEEN_ATTEMPTS)
        return False

    def _restart(self, node: Member, told: Return, begun: threading.Event) -> None:
        told.restarted_ns = told.restarted_ns or time.monotonic_ns()
        try:
            with self._one_at_a_time:
                # the next node may ask for its turn now
                begun.set()
                why = self.unexpected_primary_reason(node) if node.alive else ""
                # while others had their turn it may have been started along with one of them
                if why or not node.alive:
                    self._note("restarted", node.name, why)
                    if node.alive:
                        node.put_down()
                    self._deployed.start_node(node)
                    if isinstance(node, Server):
                        # what ended a whole host ended this, too
                        self._access.start_on(node)
            told.reason, told.started = "it was just started", time.monotonic()
            told.failure = ""
        except Exception as error:
            told.reason = told.failure = str(error) or type(error).__name__

    def _reason(self, node: Member) -> str:
        if node.frozen:
            return f"{node.name} is frozen"
        try:
            return self._solution.not_joined_reason(node)
        except Exception as error:
            return str(error) or type(error).__name__

    def unexpected_primary_reason(self, node: Member) -> str:
        """Return why a live node will not become a member by itself; empty if it may, or is one."""
        if node.frozen:
            return ""
        try:
            return self._solution.unexpected_primary_reason(node)
        except Exception:
            return ""

    def reasons(self, nodes: Iterable[Member]) -> dict[str, str]:
        """Return why each of these nodes is not a member now; empty where it is one."""
        return {node.name: self._reason(node) for node in nodes}
