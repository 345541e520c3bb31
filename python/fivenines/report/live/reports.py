"""The current report of a run: the one that the run has written, or a newer one."""

import asyncio
import sys
from collections.abc import Set
from pathlib import Path

from fivenines.base.errors import FiveninesError
from fivenines.report.live import runs
from fivenines.results import layout


class Reports:
    """Generate reports on demand, one at a time, in a separate low-priority process.

    Args:
        folder: where reports are stored; not in the run's folder, which belongs to its process.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._one_at_a_time = asyncio.Lock()

    async def of(self, run: Path) -> Path:
        """Return the file of a report with all complete trials.

        Raises:
            FiveninesError: generating it failed, with the reason.
        """
        own, done = run / layout.REPORT, runs.complete(run)
        if _has_all(own, run, done):
            return own
        async with self._one_at_a_time:
            made = self._folder / f"{run.absolute().name}-{_state(run)}.html"
            if not made.exists():
                await _make(run, made)
            return made


async def _make(run: Path, target: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "fivenines",
        "report",
        str(run.absolute()),
        "--output",
        str(target),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    _, output = await process.communicate()
    if process.returncode != 0:
        words = output.decode(errors="replace").strip().splitlines()[-1:]
        raise FiveninesError(words[0] if words else "the report could not be generated")


def _state(run: Path) -> str:
    """Return a key that changes with the run in this folder and its trials."""
    parts = (run / layout.MANIFEST, run / layout.TRIALS, run / layout.BLOCKS)
    known = [part.stat() for part in parts if part.exists()]
    return "-".join(f"{one.st_ino:x}.{one.st_mtime_ns:x}" for one in known)


def _has_all(report: Path, run: Path, done: Set[str]) -> bool:
    """Return whether the run's report was written after all these trials."""
    try:
        made = report.stat().st_mtime_ns
        records = (_record(run, trial) for trial in done)
        return all(made >= record.stat().st_mtime_ns for record in records)
    except OSError:
        return False


def _record(run: Path, trial: str) -> Path:
    folder = layout.trial_folder(run, trial)
    return folder / (layout.TRIAL if folder.parent.name == layout.TRIALS else layout.BLOCK)
