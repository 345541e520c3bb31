"""The state of a run for the page, built from the run's journal (`results.journal`)."""

from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from fivenines.analysis.wording import count
from fivenines.results.journal import EVENTS, Line

Json = dict[str, Any]

# Largest number of messages kept.
MESSAGES = 30


@dataclass
class RunState:
    """The state of a run, from its journal.

    `rows` are all trials by id, in the order of the plan; `changed` those that changed since `take_changed`.
    `trial` is the running trial, or the oldest of several; `events` are its faults and their effects.
    """

    rows: dict[str, Json] = field(default_factory=dict)
    changed: set[str] = field(default_factory=set)
    messages: list[Json] = field(default_factory=list)
    options: Json = field(default_factory=dict)
    total: int = 0
    expected: float = 0.0
    over: int = 0
    durations: list[float] = field(default_factory=list)
    at_once: int = 1
    # The running trials by id, the oldest first.
    running: dict[str, Json] = field(default_factory=dict)
    # The events of each trial of this process.
    _events: dict[str, list[Json]] = field(default_factory=dict)
    # Whether the last process has closed the journal.
    closed: bool = True
    reason: str = ""
    preparing: str = ""

    @property
    def events(self) -> list[Json]:
        """Return the events of the trial shown, or of the last trial if none is running."""
        shown = next(iter(self.running), next(reversed(self._events), ""))
        return self._events.get(shown, [])

    @property
    def trial(self) -> Json | None:
        """Return the trial to show, or None."""
        return next(iter(self.running.values()), None)

    def plan(self, planned: list[Json]) -> None:
        """Add planned trials: `trial`, with `cell` or `cells`."""
        for one in planned:
            if one["trial"] not in self.rows:
                self._update(one["trial"], state="waiting", cells=_cells(one))

    def done(self, trial: str) -> None:
        """Mark a trial as complete."""
        if self.rows.get(trial, {}).get("state") != "done":
            self._update(trial, state="done")

    def take_changed(self) -> list[Json]:
        """Return the rows that changed since the last call."""
        found = [row for trial, row in self.rows.items() if trial in self.changed]
        self.changed.clear()
        return found

    def apply(self, line: Line) -> None:
        """Apply a line of the journal; unknown events are ignored."""
        if line["event"] not in EVENTS:
            return
        handler = getattr(self, "_" + line["event"].replace("-", "_"), None)
        if handler is not None:
            # A line without a required field is damaged or from another version.
            with suppress(KeyError, TypeError, ValueError):
                handler(line)

    def _run_opened(self, line: Line) -> None:
        if not line.get("resumed"):
            self.rows.clear()
        known = ("file", "trials", "only", "threshold", "form")
        self.options = {key: line.get(key) for key in known}
        self.closed, self.reason, self.preparing = False, "", "preparing"
        self.total = self.over = 0
        self.durations = []
        self._end_all()

    def _run_closed(self, line: Line) -> None:
        self.closed, self.reason, self.preparing = True, str(line.get("reason", "")), ""
        self._end_all()
        if self.reason:
            self._say(line, self.reason)

    def _engine(self, line: Line) -> None:
        self.preparing = f"engine {line['engine']}: {line['message']}{_percent(line)}"

    def _data_set(self, line: Line) -> None:
        self.preparing = f"data set: {line['message']}{_percent(line)}"

    def _campaign_started(self, line: Line) -> None:
        self.total, self.expected = int(line["total"]), float(line["expected_seconds"])
        self.at_once = int(line.get("at_once", 1))
        self.preparing = ""
        self.plan(line.get("work", []))

    def _trial_started(self, line: Line) -> None:
        self.plan([line])
        self._update(line["trial"], state="running", reason="")
        self.running[line["trial"]] = {
            "id": line["trial"],
            "index": line["index"],
            "cells": _cells(line),
            "began": line["at"],
            "phase": "set-up",
            "phase_at": line["at"],
            "phase_seconds": 0.0,
            "load": None,
            "worker": line.get("worker", ""),
        }
        self._events[line["trial"]] = []

    def _trial_phase(self, line: Line) -> None:
        if line["trial"] in self.running:
            self.running[line["trial"]] |= {
                "phase": line["phase"],
                "phase_at": line["at"],
                "phase_seconds": line["expected_seconds"],
            }

    def _load_started(self, line: Line) -> None:
        if line["trial"] in self.running:
            keys = ("unix", "warmup", "steady_end", "end")
            self.running[line["trial"]]["load"] = {key: line[key] for key in keys}

    def _trial_event(self, line: Line) -> None:
        event = {key: line[key] for key in ("t", "kind", "node", "detail")}
        self._events.setdefault(line["trial"], []).append(event)

    def _trial_finished(self, line: Line) -> None:
        keys = ("seconds", "tps", "outage_ms", "back", "lost", "controller_cpu", "serve_cpu")
        figures = {key: line.get(key) for key in keys}
        self._update(line["trial"], state="done", ended=line["at"], **figures)
        self.durations.append(float(line["seconds"]))
        self.over += 1
        self._end_trial(line["trial"])

    def _trial_broken(self, line: Line) -> None:
        again = bool(line["will_retry"])
        state = "running" if again else "broken"
        self._update(line["trial"], state=state, reason=line["reason"])
        then = "will be retried once" if again else "not retried; its logs are kept"
        self._say(line, f"{line['trial']} is broken: {line['reason']} ({then})")
        if not again:
            self.over += 1
            self._end_trial(line["trial"])

    def _worker_lost(self, line: Line) -> None:
        self._say(line, f"{line['worker']} is lost: {line['reason']}; {line['trial']} runs again")
        self._end_trial(line["trial"])

    def _cell_settled(self, line: Line) -> None:
        spared = int(line["spared"])
        if self.total:
            self.expected *= (self.total - spared) / self.total
        self.total -= spared
        for row in list(self.rows.values()):
            if row["state"] == "waiting" and row["cells"] == [line["cell"]]:
                self._update(row["id"], state="spared")
        cell = line["cell"]
        why = "settled" if line["measured"] else "not measured"
        trials = count(int(line["trials"]), "trial")
        text = f"{cell['solution']}, {cell['fault']}: {why} after {trials}; {line['spared']} spared"
        self._say(line, text)

    def _claims_decided(self, line: Line) -> None:
        spared = int(line["spared"])
        if self.total:
            self.expected *= (self.total - spared) / self.total
        self.total -= spared
        for row in list(self.rows.values()):
            if row["state"] == "waiting":
                self._update(row["id"], state="spared")
        why = "no claim needs more" if line["why"] == "decided" else "the time is over"
        self._say(line, f"{why} after {line['replications']} of each; {spared} spared")

    def _campaign_stopped(self, line: Line) -> None:
        self._say(line, f"stopped on request; {line['left']} left")

    def _update(self, trial: str, **fields: object) -> None:
        self.rows.setdefault(trial, {"id": trial, "cells": []}).update(fields)
        self.changed.add(trial)

    def _end_all(self) -> None:
        for trial in list(self.running):
            self._end_trial(trial)

    def _end_trial(self, trial: str) -> None:
        if self.running.pop(trial, None) is not None and self.rows[trial]["state"] == "running":
            self._update(trial, state="waiting")

    def _say(self, line: Line, text: str) -> None:
        self.messages = [*self.messages, {"at": line["at"], "text": text}][-MESSAGES:]


def _cells(work: Line) -> list[Json]:
    cell = work.get("cell")
    return [cell] if cell else list(work.get("cells") or [])


def _percent(line: Line) -> str:
    fraction = line.get("fraction")
    return "" if fraction is None else f" {fraction:.0%}"
