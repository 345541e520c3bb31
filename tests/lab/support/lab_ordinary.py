"""Run commands as an ordinary user in a test that runs as root."""

import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

import fivenines
from fivenines.base.core import core_binary

# An unassigned user id: this user owns nothing on the machine.
UID = 54321


def ordinary(command: Sequence[str], home: Path, cache: Path) -> list[str]:
    """Return the command line that runs a command as an ordinary user.

    Files that this user cannot read but must (a virtual environment below /root, say) are mounted at the same
    path, in a separate mount namespace.
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
    """Return shell commands that mount readable folders over those that only root may enter."""
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
    # fivenines may have set a umask in this process that hides new files.
    return "set -e; umask 022; " + script + "exec "


def hand_over(folder: Path) -> None:
    """Give the ordinary user this folder and everything below it."""
    if os.geteuid() != 0:
        return
    for path in [folder, *folder.rglob("*")]:
        os.lchown(path, UID, UID)
