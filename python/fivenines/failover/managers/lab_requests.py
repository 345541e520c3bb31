"""Requests of failover managers to the lab, in place of a power switch or an administrator at a host."""

from typing import Any

from fivenines.base.errors import FiveninesError
from fivenines.failover.managers.base import Manager
from fivenines.results.records import FOUND_DEAD

# The possible requests, and the answer to each once it is done.
ANSWERS = {"fence": "fenced", "stop": "stopped", "start": "started", "entry": "moved"}


def serve(manager: Manager[Any], kind: str, name: str) -> None:
    """Fence (make sure that no process of its server is left), stop or start a node; return when done.

    `entry` is only recorded: the manager itself has moved the access layer's entry to the node.

    Raises:
        FiveninesError: it was not done; with the reason.
    """
    node = manager.solution.node(name)
    if kind == "fence":
        killed = node.process.kill() if node.process is not None else []
        if node.process is not None and not node.process.gone(killed):
            raise FiveninesError(f"fencing failed: processes of {name} are left after SIGKILL")
        manager.found_when_fenced = "" if killed else FOUND_DEAD
    elif kind == "stop":
        node.stop()
    elif kind == "start":
        manager.start_node(node)
    elif kind == "entry" and manager.entry is not None:
        manager.entry.moved(name)
    else:
        raise FiveninesError(
            f"{kind!r} is not a request: the lab can fence, stop or start a node, and note its entry"
        )
