"""Start processes at the original priority of this program.

The server's thread has lowered its priority, which only root could raise again, and its children inherit it.
The main thread keeps the original priority and starts the runs.

Source: on Linux, the nice value belongs to a thread and is inherited: sched(7), setpriority(2).
"""

import os
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future

LOWEST = 19

Work = Callable[[], None]


class Launcher:
    """Run functions in the thread that calls `serve`."""

    def __init__(self) -> None:
        self._queue: queue.Queue[tuple[Work, Future[None]] | None] = queue.Queue()

    def do(self, work: Work) -> None:
        """Run a function in that thread and wait for it; raises what it raises."""
        done: Future[None] = Future()
        self._queue.put((work, done))
        done.result()

    def serve(self) -> None:
        """Run functions until `end` is called."""
        while (entry := self._queue.get()) is not None:
            work, done = entry
            try:
                done.set_result(work())
            except Exception as error:
                done.set_exception(error)

    def end(self) -> None:
        """Stop running functions."""
        self._queue.put(None)


def give_way() -> None:
    """Lower the priority of this thread and its children to the lowest."""
    os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), LOWEST)
