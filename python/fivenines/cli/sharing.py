"""What `--share` does: other accounts of this machine may read results."""

import stat
from pathlib import Path

from fivenines import paths, private
from fivenines.cli import console


def share(path: Path) -> None:
    """Let others read a file or a run's folder; says so, and what still keeps them out."""
    runs = paths.runs()
    if path.absolute().is_relative_to(runs.absolute()):
        # ours, and holds nothing but runs: to enter it is not to read what others of them say
        runs.chmod(stat.S_IMODE(runs.stat().st_mode) | 0o011)
    closed = private.share(path)
    console.note(f"shared: other accounts of this machine may read {path}")
    if closed:
        console.note(f"warning: {closed}, so they do not reach it yet", "yellow")
