"""What the lab does for a failover manager that asks: as a power switch, or a person at a host, would."""

from typing import Any

from fivenines.errors import FiveninesError
from fivenines.managers.base import Manager

ANSWERS = {"fence": "fenced", "stop": "stopped", "start": "started", "entry": "moved"}
"""What can be asked, and the answer once it is done."""


def serve(manager: Manager[Any], kind: str, name: str) -> None:
    """Fence (make sure that no process of its server is left), stop or start a node; done on return.

    `entry` is noted only: whoever says it has moved the entry of the access layer there.

    Raises:
        FiveninesError: it was not done; says why.
    """
    node = manager.solution.node(name)
    if kind == "fence":
        if node.process is not None and not node.process.gone(node.process.kill()):
            raise FiveninesError(f"fencing failed: processes of {name} are left after SIGKILL")
    elif kind == "stop":
        node.stop()
    elif kind == "start":
        manager.start_node(node)
    elif kind == "entry" and manager.entry is not None:
        manager.entry.moved(name)
    else:
        raise FiveninesError(f"the lab does not know how to {kind} a node")
