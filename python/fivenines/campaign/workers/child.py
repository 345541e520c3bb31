"""Program of a worker process on this machine: runs orders on its CPUs.

    python -m fivenines.campaign.workers.child FD NAME NEIGHBOURS PROCESSOR...

Orders and messages are pickled and pass through one socket. When the other end closes, the process cancels
the current trial, removes its folder, and ends.
"""

# ruff: noqa: PLC0415  (processors are given before libraries count them)

import os
import signal
import sys
import threading
import traceback
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from fivenines.base.threads import Background

if TYPE_CHECKING:
    from fivenines.results.records import WorkerRecord

_OVER = None


def main() -> None:
    """Carry out orders until the other end is closed."""
    descriptor, name, neighbours, *processors = sys.argv[1:]
    cores = [int(processor) for processor in processors]
    # Child processes inherit the CPUs: sched_setaffinity(2).
    os.sched_setaffinity(0, cores)
    connection = Connection(int(descriptor))
    os.set_inheritable(connection.fileno(), False)
    orders: SimpleQueue[Any] = SimpleQueue()
    Background(target=_listen, args=(connection, orders)).start()
    _work(connection, orders, _described(name, int(neighbours), cores))


def _listen(connection: "Connection[Any, Any]", orders: "SimpleQueue[Any]") -> None:
    try:
        while True:
            orders.put(connection.recv())
    except (EOFError, OSError):
        orders.put(_OVER)
        # Without the controller the trial is useless.
        os.kill(os.getpid(), signal.SIGINT)


def _work(connection: "Connection[Any, Any]", orders: "SimpleQueue[Any]", where: "WorkerRecord") -> None:
    from fivenines.base.errors import FiveninesError
    from fivenines.campaign.workers.base import perform, unexpected

    telling = threading.Lock()

    def tell(kind: str, message: object) -> None:
        # events come from several threads
        with telling:
            connection.send((kind, message))

    while (order := orders.get()) is not _OVER:
        try:
            delivered = perform(order, lambda event: tell("event", event), where)
        except FiveninesError as error:
            tell("failed", error)
        except Exception as error:
            # An exception that cannot be pickled is sent as text.
            tell("failed", unexpected(error, "".join(traceback.format_exception(error))))
        else:
            tell("done", delivered)


def _described(name: str, neighbours: int, cores: list[int]) -> "WorkerRecord":
    import platform

    from fivenines.results.records import WorkerRecord

    return WorkerRecord(name=name, host=platform.node(), cores=cores, neighbours=neighbours)


if __name__ == "__main__":
    try:
        main()
    except (KeyboardInterrupt, BrokenPipeError, ConnectionError):
        sys.exit(130)
