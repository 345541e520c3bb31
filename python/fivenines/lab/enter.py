"""The command prefix that enters namespaces of a first process: `fivenines-core init enter`."""

from typing import Literal

from fivenines.core import core_binary

Namespace = Literal["user", "mnt", "net", "pid", "uts", "ipc"]


def enter(pid: int, *namespaces: Namespace, root: bool = False) -> list[str]:
    """What stands before a command that is to run in these namespaces of a first process, in this order.

    Not nsenter: that stops itself with its command, and a host whose command nobody collects never ends.

    Args:
        pid: of the first process, as seen from here.
        namespaces: `user` first, as it gives the right to enter the others.
        root: whether the command sees the root of the first process, and begins in `/`.
    """
    ways = ["--root"] if root else []
    return [
        str(core_binary()), "init", "enter", f"--target={pid}", f"--into={','.join(namespaces)}",
        *ways, "--",
    ]  # fmt: skip
