"""Build the command prefix that enters namespaces of a first process: `fivenines-core init enter`."""

from typing import Literal

from fivenines.base.core import core_binary

Namespace = Literal["user", "mnt", "net", "pid"]


def enter(pid: int, *namespaces: Namespace) -> list[str]:
    """Return the prefix of a command that runs in these namespaces of a first process.

    nsenter does not work here: it stops together with its command, and a host with an uncollected command
    never ends. Programs of a host are started with `HostCommands.inside` instead, without privileges.

    Args:
        pid: PID of the first process, as seen from here.
        namespaces: entered in this order; `user` first, as it permits to enter the others.
    """
    into = f"--into={','.join(namespaces)}"
    return [str(core_binary()), "init", "enter", f"--target={pid}", into, "--"]
