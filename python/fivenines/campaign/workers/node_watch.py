"""Waits for a task on another machine while its cluster lists that machine as alive.

Ray never fails the task of a machine that hangs. It lists the machine as dead, and delivers the task's result
as a success if it arrives later (seen with Ray 2.60.0).
"""

import threading
import time
from collections.abc import Callable, Collection
from concurrent.futures import Future, wait
from typing import TypeVar

from fivenines.campaign.workers.base import WorkerLostError

Result = TypeVar("Result")

# Polling interval of the list in seconds; Ray takes a minute to update it.
EVERY = 2.0


class NodeList:
    """The machines that a cluster lists as alive, queried at most once per `EVERY` for all waiting threads.

    Args:
        alive: asks the cluster for their identifiers.
        clock: seconds, for tests.
    """

    def __init__(
        self, alive: Callable[[], Collection[str]], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._alive, self._clock = alive, clock
        self._lock = threading.Lock()
        self._known: Collection[str] = ()
        self._asked: float | None = None

    def has(self, node: str) -> bool:
        """Return whether a machine is listed as alive."""
        with self._lock:
            now = self._clock()
            if self._asked is None or now - self._asked >= EVERY:
                self._known, self._asked = self._alive(), now
            return node in self._known


def await_result(
    result: "Future[Result]",
    is_alive: Callable[[], bool],
    late: Callable[[], None] = lambda: None,
    every: float = EVERY,
) -> Result:
    """Wait for a result, and discard it if it arrives later.

    Args:
        result: what is awaited.
        is_alive: whether the machine is still listed.
        late: called, in another thread, if a result arrives after the machine was given up.
        every: polling interval in seconds.

    Raises:
        WorkerLostError: the machine is listed as dead.
        BaseException: what the task itself raised.
    """
    while not wait([result], timeout=every).done:
        if not is_alive():
            result.add_done_callback(lambda done: late() if _succeeded(done) else None)
            raise WorkerLostError("the machine is listed as dead")
    return result.result()


def _succeeded(done: "Future[Result]") -> bool:
    return not done.cancelled() and done.exception() is None
