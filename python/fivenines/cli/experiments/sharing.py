"""`--share`: let other accounts of this machine read results."""

import stat
from pathlib import Path

from fivenines.base import paths, private
from fivenines.cli.output import console


def share(path: Path) -> None:
    """Let others read a file or a run's folder, and warn if a parent folder is closed to them."""
    runs = paths.runs()
    if path.absolute().is_relative_to(runs.absolute()):
        # The folder contains only runs. Entering it does not permit reading other runs.
        runs.chmod(stat.S_IMODE(runs.stat().st_mode) | 0o011)
    closed = private.share(path)
    console.note(f"shared: other accounts of this machine can read {path}")
    if closed:
        console.note(f"warning: {closed}, so other accounts cannot reach it yet", "yellow")
