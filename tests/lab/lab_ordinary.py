"""Becoming an ordinary user in the middle of a test that root runs."""

import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

import fivenines
from fivenines.core import core_binary

# Nobody's user id: such a user owns nothing on the machine.
UID = 54321


def ordinary(command: Sequence[str], home: Path, cache: Path) -> list[str]:
    """The command, run by an ordinary user: ourselves, or when we are root somebody without a name.

    What this user must read but cannot (a virtual environment below /root, say) is shown to it at the
    same place, in a mount namespace of its own.
    """
    core = core_binary()
    variables = [
        f"HOME={home}",
        f"FIVENINES_CACHE={cache}",
        f"FIVENINES_CORE={core}",
        "LANG=C.UTF-8",
        "COLUMNS=200",
        f"PYTHONPATH={os.environ.get('PYTHONPATH', '')}",
        f"PATH={Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin",
    ]
    plain = ["env", "-i", *variables, *command]
    if os.geteuid() != 0:
        return plain
    needed = {
        Path(sys.prefix),
        Path(sys.base_prefix),
        core.parent,
        core.resolve().parent,
        Path(fivenines.__file__).parents[1],
        Path(__file__).parent,
        home,
        cache,
    }
    become = ["setpriv", f"--reuid={UID}", f"--regid={UID}", "--clear-groups", "--", *plain]
    return ["unshare", "--mount", "sh", "-c", _opened(needed, home) + shlex.join(become)]


def _opened(needed: set[Path], home: Path) -> str:
    """Shell commands that put readable folders in the place of those that only root may enter."""
    closed: dict[Path, list[Path]] = {}
    for path in sorted(needed):
        barred = [parent for parent in reversed(path.parents) if not parent.stat().st_mode & 1]
        if barred:
            closed.setdefault(barred[0], []).append(path)
    script = ""
    for number, (folder, paths) in enumerate(closed.items()):
        stand_in = home / f".open{number}"
        script += f"mkdir -p {stand_in}; mount -t tmpfs -o mode=755 tmpfs {stand_in}; "
        for path in paths:
            target = stand_in / path.relative_to(folder)
            script += f"mkdir -p {target}; mount --rbind {path} {target}; "
        script += f"mount --rbind {stand_in} {folder}; "
    # a product that ran in this process before may have left a umask that hides what is made here
    return "set -e; umask 022; " + script + "exec "


def hand_over(folder: Path) -> None:
    """Let the ordinary user own this folder and all below it."""
    if os.geteuid() != 0:
        return
    for path in [folder, *folder.rglob("*")]:
        os.lchown(path, UID, UID)
