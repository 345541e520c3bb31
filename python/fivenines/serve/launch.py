"""Starts processes at the priority that this program had at first.

The server's own thread has given up its priority for good, as only root could raise it again, and what it
starts has no more. The main thread has kept it, and starts what shall be measured.

Source: nice is a thread's on Linux, and inherited by what it starts: sched(7), setpriority(2).
"""

import os
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future

LOWEST = 19

Work = Callable[[], None]


class Launcher:
    """Does work in the thread that calls `serve`, for all the others."""

    def __init__(self) -> None:
        self._asked: queue.Queue[tuple[Work, Future[None]] | None] = queue.Queue()

    def do(self, work: Work) -> None:
        """Have it done and wait; raises what it raises."""
        done: Future[None] = Future()
        self._asked.put((work, done))
        done.result()

    def serve(self) -> None:
        """Do what is asked for until `end`."""
        while (asked := self._asked.get()) is not None:
            work, done = asked
            try:
                done.set_result(work())
            except Exception as error:
                done.set_exception(error)

    def end(self) -> None:
        """Nothing more is done."""
        self._asked.put(None)


def give_way() -> None:
    """From now on this thread, and whatever it starts, runs when nobody else wants the processor."""
    os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), LOWEST)
