"""The command prefix that enters namespaces of a first process: `fivenines-core init enter`."""

from typing import Literal

from fivenines.core import core_binary

Namespace = Literal["user", "mnt", "net", "pid"]


def enter(pid: int, *namespaces: Namespace) -> list[str]:
    """What stands before a command that is to run in these namespaces of a first process, in this order.

    Not nsenter: that stops itself with its command, and a host whose command nobody collects never ends.

    Programs of a host's own are started by `Host.inside` instead, which gives them no privileges.

    Args:
        pid: of the first process, as seen from here.
        namespaces: `user` first, as it gives the right to enter the others.
    """
    into = f"--into={','.join(namespaces)}"
    return [str(core_binary()), "init", "enter", f"--target={pid}", into, "--"]
