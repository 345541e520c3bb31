"""A run's journal: what happened in it, one JSON object a line, in the order in which it happened.

Only the run writes to it, and only at its end (`runner.journal`); any number of processes read it while it
grows. A line that was torn by a kill is left as it is and passed over: what comes after it begins on a line
of its own.
"""

import json
import os
from pathlib import Path
from typing import Any

from fivenines.results import layout

# Raised where older readers would misread a line.
FORMAT = 1

Line = dict[str, Any]

# Each kind of line and its fields; each has `at` (seconds since 1970) and `event` (its kind) as well.
#
# A reader passes over kinds and fields that it does not know.
EVENTS: dict[str, dict[str, str]] = {
    "run-opened": {
        "format": "version of this format",
        "pid": "the process that writes from here on",
        "fivenines": "its version",
        "file": "absolute path of the experiment file",
        "trials": "`--trials`, or null",
        "only": "each `--only`",
        "threshold": "each `--threshold`",
        "form": "of a study: quick or full; else empty",
        "resumed": "whether the folder held a run before",
    },
    "engine": {
        "engine": "an engine that is being fetched or built",
        "message": "what is done",
        "fraction": "how much of it, from 0 to 1, or null",
    },
    "data-set": {"message": "what is done", "fraction": "how much of it, or null"},
    "campaign-started": {
        "total": "trials and blocks that are to be done now",
        "expected_seconds": "how long that should take",
        "at_most": "whether it may be fewer, as trials are added until a measure is known",
        "longest": "whether `expected_seconds` is an upper bound, as loads end when their work is done",
        "at_once": "so many run side by side",
        "work": "each of them in order: `trial` (its id), and `cell`, or the `cells` of an interleaved comparison",
    },
    "trial-started": {
        "trial": "id of the trial or interleaved",
        "index": "from 1 to `total`",
        "worker": "who carries it out, where there are several; else empty",
        "cell": "of a trial: solution, workload, connections, network, fault; else null",
        "cells": "those of an interleaved comparison",
    },
    "trial-phase": {
        "trial": "id",
        "phase": "what it does now",
        "expected_seconds": "for how long; 0: not known",
    },
    "load-started": {
        "trial": "id",
        "unix": "t = 0 of the trial's figures and events, in seconds since 1970",
        "warmup": "seconds until the steady window begins",
        "steady_end": "and ends",
        "end": "and the load ends",
    },
    "trial-live": {
        "trial": "id",
        "t": "seconds since the load's start",
        "tps": "transactions per second in the last second",
        "qps": "statements, likewise",
        "errors": "since the start",
        "p95_ms": "95th percentile of the response times of the last second",
        "ok": "transactions that succeeded since the start",
        "failed": "those that failed",
        "in_doubt": "those whose commit was not answered",
        "connected": "connections that are usable now",
    },
    "trial-event": {
        "trial": "id",
        "t": "ms since the load's start",
        "kind": "fault, ended, or what was done then: missed, decided, fenced, promoted, ...",
        "node": "where, or empty",
        "detail": "in words",
    },
    "trial-finished": {
        "trial": "id",
        "seconds": "how long it took in all",
        "tps": "transactions per second in the steady window, or null",
        "outage_ms": "longest interruption of writes, 0 without any, or null",
        "back": "false: the service was not back at the end, so that the outage is a lower bound",
        "lost": "acknowledged rows that are gone, or null",
        "failed": "transactions that failed though nothing was broken; 0 in a trial with a fault",
        "controller_cpu": "CPU of the controller while the load ran, in shares of a core, or null",
        "serve_cpu": "the same of live pages on this machine",
    },
    "trial-broken": {
        "trial": "id",
        "reason": "why it is worth nothing",
        "will_retry": "whether it is tried once more",
    },
    "worker-lost": {
        "worker": "who is gone",
        "trial": "the trial that runs again",
        "reason": "as far as it is known",
    },
    "result-dropped": {
        "worker": "a lost one that delivered a result later",
        "trial": "the trial that another worker was given meanwhile; its own result is the one that counts",
    },
    "cell-settled": {
        "cell": "solution, workload, connections, network, fault: it needs no more trials",
        "trials": "complete ones",
        "measured": "false: none of them has the measure, so that more would not tell it",
        "spared": "trials that are not done",
        "seconds": "what those would have taken",
    },
    "campaign-stopped": {
        "left": "trials still to be done when the run was stopped",
        "reason": "why no further one begins, as a budget; empty: somebody asked for that",
    },
    "campaign-finished": {"folder": "the run"},
    "run-closed": {"reason": "empty: it came to its end; else why not"},
    "result": {"run": "the run's folder", "report": "the report's file", "summary": "rows as of `--json`"},
}

# Printed by `--progress json`, not in the file: a trial's own tables have these figures.
PRINTED_ONLY = ("trial-live", "result")


def path(run: Path) -> Path:
    """Return the journal of a run."""
    return run / layout.JOURNAL


class Tail:
    """Reads what a growing file of lines has got since the last time; a line under way is left for later.

    A file that is not there yet has nothing; one that became shorter, or another one of that name, is read
    from its beginning.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._at = 0
        self._inode = 0

    def read(self) -> list[str]:
        """Return the new lines, whole ones, without their ends."""
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
    """Return the events of lines; what is none, as a torn line, is passed over."""
    result = []
    for line in lines:
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if isinstance(event, dict) and isinstance(event.get("event"), str):
            result.append(event)
    return result
