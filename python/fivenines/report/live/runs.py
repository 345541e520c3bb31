"""The runs of a folder: list, find, stop and continue them."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

from fivenines.base import locks
from fivenines.base.errors import FiveninesError, UsageError
from fivenines.results import journal, layout, parts, stops, store

Json = dict[str, Any]

# Seconds within which a continued run must lock its folder.
_STARTING = 60.0


@dataclass(frozen=True)
class Runs:
    """The runs below a folder, or a single run.

    Args:
        root: the folder.
    """

    root: Path

    def all(self) -> dict[str, Path]:
        """Return each run by its name, the newest first."""
        if is_run(self.root):
            return {self.root.absolute().name: self.root}
        try:
            found = dict(_below(self.root))
        except OSError:
            return {}
        return dict(sorted(found.items(), key=lambda one: _changed(one[1]), reverse=True))

    def find(self, name: str) -> Path:
        """Return the folder of a run; only names of existing runs are accepted.

        Raises:
            UsageError: there is no such run.
        """
        if (found := self.all().get(name)) is None:
            raise UsageError(f"unknown run {name!r}")
        return found

    def listed(self) -> list[Json]:
        """Return each run with its progress."""
        return [
            {"name": name, "running": holder(folder) is not None, **_counts(folder)}
            for name, folder in self.all().items()
        ]


def _below(root: Path) -> Iterator[tuple[str, Path]]:
    """Yield each run in a folder; those of parts under the names of both."""
    for path in root.iterdir():
        if is_run(path):
            yield path.name, path
        elif parts.is_group(path):
            yield from ((f"{path.name}:{one.name}", one) for one in path.iterdir() if is_run(one))


def is_run(folder: Path) -> bool:
    """Return whether a folder contains a run, also one that has just begun."""
    return (folder / layout.MANIFEST).is_file() or journal.path(folder).is_file()


def holder(folder: Path) -> locks.Holder | None:
    """Return the process that runs in a folder, or None."""
    return locks.active(folder / layout.LOCK)


def complete(folder: Path) -> set[str]:
    """Return the ids of complete trials and blocks."""
    found = set()
    for kind in (layout.TRIALS, layout.BLOCKS):
        try:
            names = os.listdir(folder / kind)  # noqa: PTH208  (called often)
        except OSError:
            continue
        found |= {name for name in names if not name.startswith(".") and ".broken-" not in name}
    return found


def planned(folder: Path) -> list[Json]:
    """Return the plan of the manifest; empty if there is no readable manifest yet."""
    try:
        return _planned(folder, (folder / layout.MANIFEST).stat().st_mtime_ns)
    except (FiveninesError, OSError):
        return []


@lru_cache(maxsize=256)
def _planned(folder: Path, _changed_at: int) -> list[Json]:
    manifest = store.open_manifest(folder)
    found = [(block.number, block.id, {"cells": block.cells}) for block in manifest.blocks]
    trials = [(one.number, one.id, {"cells": [one.cell]}) for one in manifest.plan]
    # In the order of the campaign: blocks precede trials of the same number.
    return [
        {"trial": name, "cells": [cell.model_dump() for cell in each["cells"]]}
        for _, name, each in sorted(found + trials, key=lambda one: one[0])
    ]


def resume(folder: Path, options: Mapping[str, Any]) -> None:
    """Continue a run in a separate process that outlives this one; its output goes to `resume.log`.

    Args:
        folder: the run.
        options: `file`, `trials`, `only`, `threshold` and `form` of its last start, from its journal.

    Raises:
        UsageError: the run is running.
        FiveninesError: it did not start, with the reason.
    """
    if (running := holder(folder)) is not None:
        raise UsageError(f"{folder.name} is already running: {running}")
    log = folder / layout.RESUME_LOG
    before = log.stat().st_size if log.exists() else 0
    with _begun(log) as stream:
        # After setsid has ended, the run is no child of this process and does not count as its usage.
        subprocess.run(
            ["setsid", "--fork", *command(folder, options)],
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=stream,
        )
    deadline = time.monotonic() + _STARTING
    while holder(folder) is None:
        output = log.read_bytes()[before:].decode(errors="replace")
        ended = any(line.startswith("error: ") for line in output.splitlines())
        if ended or time.monotonic() > deadline:
            last = output.strip().splitlines()[-1:] or ["it printed no message"]
            raise FiveninesError(f"{folder.name} was not continued: {last[0]}")
        time.sleep(0.05)


@contextmanager
def _begun(log: Path) -> Iterator[IO[bytes]]:
    try:
        with log.open("ab") as stream:
            yield stream
    except (OSError, subprocess.SubprocessError) as error:
        raise FiveninesError(f"{log.parent.name} was not continued: {error}") from error


def command(folder: Path, options: Mapping[str, Any]) -> list[str]:
    """Return the command line that continues a run; no value of the journal can become an option."""
    file = Path(str(options.get("file") or ""))
    if not file.is_file():
        file = folder / layout.SOURCE
    form = {"quick": ["--quick"], "full": ["--full"]}.get(str(options.get("form")), [])
    words = [sys.executable, "-m", "fivenines", "replicate" if form else "run", *form]
    words += ["--resume", "--progress", "plain"]
    if parts.is_group(folder.parent):
        words += [f"--part={folder.name}", f"--out={folder.parent.absolute()}"]
    else:
        words += [f"--out={folder.absolute()}"]
    if isinstance(options.get("trials"), int):
        words.append(f"--trials={options['trials']}")
    words += [f"--only={one}" for one in options.get("only") or []]
    words += [f"--threshold={one}" for one in options.get("threshold") or []]
    return [*words, "--", str(file.absolute())]


def stop(folder: Path) -> str:
    """Ask a run to stop after the current trial; return a description of its process.

    Raises:
        UsageError: the run is not running.
    """
    return str(stops.ask(folder))


def _counts(folder: Path) -> Json:
    done = complete(folder)
    work = planned(folder)
    return {
        "done": sum(one["trial"] in done for one in work),
        "planned": len(work),
        "report": (folder / layout.REPORT).is_file(),
        "changed": _changed(folder),
    }


def _changed(folder: Path) -> float:
    """Return the time of a run's last change, in seconds since 1970."""
    moments = [0.0]
    for name in (layout.MANIFEST, layout.JOURNAL):
        try:
            moments.append((folder / name).stat().st_mtime)
        except OSError:
            continue
    return max(moments)
