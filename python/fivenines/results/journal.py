"""A run's journal: its events in chronological order, one JSON object per line.

Only the run appends to it (`campaign.journal`); any number of processes may read it meanwhile. A line that
was torn by a kill stays in the file, and readers skip it: the next event begins on a new line.
"""

import json
import os
from pathlib import Path
from typing import Any

from fivenines.results import layout

# Format version, raised when older readers would misread a line.
FORMAT = 1

Line = dict[str, Any]

# Each kind of event and its fields. All have `at` (seconds since 1970) and `event` (the kind) in addition.
#
# A reader must skip kinds and fields that it does not know.
EVENTS: dict[str, dict[str, str]] = {
    "run-opened": {
        "format": "version of this format",
        "pid": "process that writes from here on",
        "fivenines": "its version",
        "file": "absolute path of the experiment file",
        "trials": "`--trials`, or null",
        "only": "each `--only`",
        "threshold": "each `--threshold`",
        "form": "of a study: quick or full; else empty",
        "resumed": "whether the folder contained a run before",
    },
    "engine": {
        "engine": "engine that is being downloaded or built",
        "message": "current step",
        "fraction": "progress from 0 to 1, or null",
    },
    "data-set": {"message": "current step", "fraction": "progress from 0 to 1, or null"},
    "campaign-started": {
        "total": "number of trials and blocks to run now",
        "expected_seconds": "expected duration",
        "at_most": "whether `total` is an upper bound, as trials are added until a measure is known",
        "longest": "whether `expected_seconds` is an upper bound, as loads end when their work is done",
        "at_once": "number of parallel trials",
        "work": "each trial or block in order: `trial` (its id), and its `cell`, or a block's `cells`",
    },
    "trial-started": {
        "trial": "id of the trial or block",
        "index": "from 1 to `total`",
        "worker": "worker that runs it, where there are several; else empty",
        "cell": "of a trial: solution, workload, connections, network, fault; else null",
        "cells": "cells of a block",
    },
    "trial-phase": {
        "trial": "id",
        "phase": "current phase",
        "expected_seconds": "expected duration of the phase; 0: not known",
    },
    "load-started": {
        "trial": "id",
        "unix": "t = 0 of the trial's figures and events, in seconds since 1970",
        "warmup": "seconds until the steady window begins",
        "steady_end": "seconds until the steady window ends",
        "end": "seconds until the load ends",
    },
    "trial-live": {
        "trial": "id",
        "t": "seconds since the load's start",
        "tps": "transactions per second in the last second",
        "qps": "statements per second in the last second",
        "errors": "errors since the start",
        "p95_ms": "95th percentile of the response times of the last second",
        "ok": "transactions that succeeded since the start",
        "failed": "transactions that failed since the start",
        "in_doubt": "transactions without an answer to their commit",
        "connected": "usable connections",
    },
    "trial-event": {
        "trial": "id",
        "t": "ms since the load's start",
        "kind": "fault, ended, or an event of the failover: missed, decided, fenced, promoted, ...",
        "node": "node of the event, or empty",
        "detail": "description",
    },
    "trial-finished": {
        "trial": "id",
        "seconds": "duration of the trial",
        "tps": "transactions per second in the steady window, or null",
        "outage_ms": "longest interruption of writes, 0 without any, or null",
        "back": "false: service was still unavailable at the end, so the outage is a lower bound",
        "lost": "acknowledged rows that are lost, or null",
        "failed": "transactions that failed in a trial without a fault; 0 in a trial with one",
        "controller_cpu": "CPU of the controller while the load ran, in cores, or null",
        "serve_cpu": "CPU of live pages on this machine, in cores, or null",
    },
    "trial-broken": {
        "trial": "id",
        "reason": "why the trial is broken",
        "will_retry": "whether the trial is retried",
    },
    "worker-lost": {
        "worker": "lost worker",
        "trial": "trial that runs again",
        "reason": "why it was lost, if known",
    },
    "result-dropped": {
        "worker": "lost worker that delivered a result late",
        "trial": "trial that another worker runs meanwhile; the other worker's result counts",
    },
    "cell-settled": {
        "cell": "solution, workload, connections, network, fault: it needs no more trials",
        "trials": "number of complete trials",
        "measured": "false: none of them has the measure, so more trials would not help",
        "spared": "number of trials removed from the plan",
        "seconds": "expected duration of these",
    },
    "claims-decided": {
        "replications": "trials of each cell, and blocks, that were planned until then",
        "why": "decided: no claim of the study needs more; time: the time of the part is over",
        "spared": "number of trials and blocks removed from the plan",
        "seconds": "expected duration of these",
    },
    "campaign-stopped": {
        "left": "trials that were not run",
        "reason": "why no further trial begins, as a budget; empty: a user stopped the run",
    },
    "campaign-finished": {"folder": "folder of the run"},
    "run-closed": {"reason": "why the run ended early; empty: it is complete"},
    "result": {"run": "the run's folder", "report": "the report's file", "summary": "rows as in `--json`"},
}

# Printed by `--progress json`, and not written to the file: a trial's tables have these figures.
PRINTED_ONLY = ("trial-live", "result")


def path(run: Path) -> Path:
    """Return the journal of a run."""
    return run / layout.JOURNAL


class Tail:
    """Reads the lines that were appended to a file since the last read; an incomplete last line waits.

    A missing file has no lines. A file that was truncated or replaced is read from its beginning.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._at = 0
        self._inode = 0

    def read(self) -> list[str]:
        """Return the new complete lines, without line ends."""
        try:
            with self._file.open("rb") as stream:
                result = os.fstat(stream.fileno())
                if result.st_ino != self._inode or result.st_size < self._at:
                    self._at, self._inode = 0, result.st_ino
                stream.seek(self._at)
                text = stream.read()
        except OSError:
            return []
        whole = text[: text.rfind(b"\n") + 1]
        self._at += len(whole)
        return whole.decode(errors="replace").splitlines()


def parsed(lines: list[str]) -> list[Line]:
    """Return the events of lines; skip whatever is no event, as a torn line."""
    result = []
    for line in lines:
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if isinstance(event, dict) and isinstance(event.get("event"), str):
            result.append(event)
    return result
