"""Writes the events of a campaign to a run's journal: see `results.journal`."""

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import IO, Any

from fivenines import __version__
from fivenines.experiment.interleaved_plan import Block
from fivenines.experiment.plan import Trial
from fivenines.results import journal, layout
from fivenines.results.journal import FORMAT, PRINTED_ONLY, Line
from fivenines.results.records import TrialRecord
from fivenines.trial.progress import (
    CampaignFinished,
    CampaignStarted,
    CampaignStopped,
    CellSettled,
    ClaimsDecided,
    DataSet,
    EnginePull,
    LoadStarted,
    Progress,
    ResultDropped,
    TrialBroken,
    TrialEvent,
    TrialFinished,
    TrialLive,
    TrialPhase,
    TrialStarted,
    WorkerLost,
)

# Reasons why a run ended, for errors without a message.
_UNSAID: dict[type[BaseException], str] = {KeyboardInterrupt: "interrupted"}

Wall = Callable[[], float]

_NAMES: dict[type[Any], str] = {
    EnginePull: "engine",
    DataSet: "data-set",
    CampaignStarted: "campaign-started",
    TrialStarted: "trial-started",
    TrialPhase: "trial-phase",
    LoadStarted: "load-started",
    TrialLive: "trial-live",
    TrialEvent: "trial-event",
    TrialFinished: "trial-finished",
    TrialBroken: "trial-broken",
    WorkerLost: "worker-lost",
    ResultDropped: "result-dropped",
    CellSettled: "cell-settled",
    ClaimsDecided: "claims-decided",
    CampaignStopped: "campaign-stopped",
    CampaignFinished: "campaign-finished",
}


def line_of(event: Progress, at: float) -> Line:
    """Return an event as a line of the journal; `at` is now, in seconds since 1970."""
    name = _NAMES.get(type(event), type(event).__name__)
    return {"at": round(at, 3), "event": name, **_fields(event)}


def opened(file: Path, trials: int | None, only: list[str], threshold: list[str], form: str = "") -> Line:
    """Return the fields of a run's first line: its process, and the options for resuming it."""
    return {
        "format": FORMAT,
        "pid": os.getpid(),
        "fivenines": __version__,
        "file": str(file.absolute()),
        "trials": trials,
        "only": only,
        "threshold": threshold,
        "form": form,
    }


class Journal:
    """The journal of a run that this process has locked.

    An error of the journal does not end a run: other components report a full disk.
    """

    def __init__(self, run: Path, wall: Wall = time.time) -> None:
        self._path = journal.path(run)
        self._wall = wall
        self._stream: IO[bytes] | None = None

    def __call__(self, event: Progress) -> None:
        """Write an event, unless it is only printed."""
        line = line_of(event, self._wall())
        if line["event"] not in PRINTED_ONLY:
            self._write(line)

    def note(self, event: str, **fields: object) -> None:
        """Write a line that is no event of the campaign."""
        self._write({"at": round(self._wall(), 3), "event": event, **fields})

    def close(self) -> None:
        """Stop writing."""
        if self._stream is not None:
            self._stream.close()

    def _write(self, line: Line) -> None:
        with suppress(OSError):
            if self._stream is None:
                torn = _is_torn(self._path)
                # Unbuffered: a line is one write, so that readers see whole lines.
                self._stream = self._path.open("ab", buffering=0)
                if torn:
                    self._stream.write(b"\n")
            self._stream.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")


@contextmanager
def journal_of(run: Path, begins: Line, wall: Wall = time.time) -> Iterator[Journal]:
    """Write the journal of a run within this context; remove it from a folder that became no run."""
    resumed = (run / layout.MANIFEST).exists()
    written = Journal(run, wall)
    written.note("run-opened", **begins, resumed=resumed)
    reason = ""
    try:
        yield written
    except BaseException as error:
        reason = str(error) or _UNSAID.get(type(error), type(error).__name__)
        raise
    finally:
        written.note("run-closed", reason=reason)
        written.close()
        if not (run / layout.MANIFEST).exists():
            journal.path(run).unlink(missing_ok=True)


def _fields(event: Progress) -> Line:
    match event:
        case CampaignStarted(total, expected_seconds, work, at_most, longest, at_once):
            planned = [{"trial": item.id, **_work(item)} for item in work]
            return {
                "total": total,
                "expected_seconds": expected_seconds,
                "at_most": at_most,
                "longest": longest,
                "at_once": at_once,
                "work": planned,
            }
        case CellSettled(record) | ClaimsDecided(record):
            return dict(record.model_dump(mode="json"))
        case TrialStarted(trial, index, worker):
            return {"trial": trial.id, "index": index, "worker": worker, **_work(trial)}
        case TrialFinished(record, figures):
            alone = record if isinstance(record, TrialRecord) else None
            return {
                "trial": record.id,
                "seconds": record.seconds,
                **asdict(figures),
                "controller_cpu": alone.controller_cpu if alone else None,
                "serve_cpu": alone.serve_cpu if alone else None,
            }
        case CampaignFinished(folder):
            return {"folder": str(folder)}
    # Events of plugins are written as well, as far as JSON can represent them.
    fields = asdict(event) if is_dataclass(event) else {}
    if "trial_id" in fields:
        fields = {"trial": fields.pop("trial_id"), **fields}
    return {name: json.loads(json.dumps(value, default=str)) for name, value in fields.items()}


def _work(work: Trial | Block) -> Line:
    if isinstance(work, Block):
        return {"cell": None, "cells": [cell.key.model_dump() for cell in work.cells]}
    return {"cell": work.cell.key.model_dump(), "cells": []}


def _is_torn(path: Path) -> bool:
    """Return whether the last line is incomplete, as its writer was killed."""
    try:
        with path.open("rb") as stream:
            stream.seek(-1, os.SEEK_END)
            return stream.read(1) != b"\n"
    except OSError:
        return False  # no file, or an empty one
