"""What a page shows of a run, put together from the lines of its journal."""

from typing import Any

from fivenines.report.live.state import MESSAGES, RunState

CELL = {"solution": "pair", "workload": "oltp", "connections": 8, "network": "lan", "fault": "kill"}
WORK: list[dict[str, Any]] = [{"trial": name, "cell": CELL, "cells": []} for name in ("0001", "0002")]


def _state_of(*lines: dict[str, Any]) -> RunState:
    state = RunState()
    for at, line in enumerate(lines):
        state.apply({"at": float(at), **line})
    return state


def _opened(resumed: bool = False) -> dict[str, Any]:
    return {
        "event": "run-opened",
        "file": "/x.yaml",
        "trials": 3,
        "only": [],
        "threshold": [],
        "resumed": resumed,
    }


STARTED = {"event": "campaign-started", "total": 2, "expected_seconds": 50.0, "work": WORK}
TRIAL = {"event": "trial-started", "trial": "0001", "index": 1, "cell": CELL, "cells": []}
DONE = {"event": "trial-finished", "trial": "0001", "seconds": 41.0, "tps": 1254.0, "lost": 0}


def test_a_trial_goes_from_waiting_to_done_with_its_figures() -> None:
    state = _state_of(_opened(), STARTED)
    assert [row["state"] for row in state.take_changed()] == ["waiting", "waiting"]
    state.apply({"at": 5.0, **TRIAL})
    assert [row["id"] for row in state.take_changed()] == ["0001"]
    assert state.trial is not None and state.trial["began"] == 5.0
    state.apply({"at": 46.0, **DONE})
    (row,) = state.take_changed()
    assert (row["state"], row["tps"], row["lost"], row["outage_ms"]) == ("done", 1254.0, 0, None)
    found: Any = state.trial
    assert (found, state.over, state.durations) == (None, 1, [41.0])


def test_a_broken_trial_says_why() -> None:
    broken = {"event": "trial-broken", "trial": "0001", "reason": "no space", "will_retry": True}
    state = _state_of(_opened(), STARTED, TRIAL, broken)
    assert (state.rows["0001"]["state"], state.over) == ("running", 0)
    state.apply({"at": 9.0, **broken, "will_retry": False})
    assert (state.rows["0001"]["state"], state.rows["0001"]["reason"]) == ("broken", "no space")
    assert (state.over, state.trial) == (1, None)
    assert len(state.messages) == 2 and "not retried" in state.messages[-1]["text"]


def test_a_run_that_goes_on_keeps_what_is_done() -> None:
    ends = {"event": "run-closed", "reason": "interrupted"}
    state = _state_of(_opened(), STARTED, TRIAL, DONE, ends, _opened(resumed=True))
    assert (state.closed, state.over) == (False, 0)
    assert [row["state"] for row in state.rows.values()] == ["done", "waiting"]
    # a run that was killed in a trial did not finish it
    state = _state_of(_opened(), STARTED, TRIAL, _opened(resumed=True))
    assert [row["state"] for row in state.rows.values()] == ["waiting", "waiting"]
    # another run in a folder of that name has nothing of the first
    assert _state_of(_opened(), STARTED, _opened()).rows == {}


def test_a_cell_that_ends_early_has_trials_that_are_not_needed() -> None:
    settled = {"event": "cell-settled", "cell": CELL, "trials": 5, "measured": True, "spared": 1}
    state = _state_of(_opened(), STARTED)
    waiting = [row["id"] for row in state.rows.values() if row["cells"] == [CELL]]
    before = state.total
    state.apply({"at": 1.0, **settled})
    assert waiting and {state.rows[one]["state"] for one in waiting} == {"spared"}
    assert state.total == before - 1
    assert "settled after 5 trials; 1 spared" in state.messages[-1]["text"]


def test_a_line_without_its_fields_is_passed_over() -> None:
    state = _state_of(_opened(), STARTED)
    for line in ({"event": "trial-finished"}, {"event": "trial-event"}, {"event": "end-trial"}):
        state.apply({"at": 1.0, **line})
    assert len(state.rows) == 2


def test_what_is_not_known_is_passed_over_and_messages_are_bounded() -> None:
    state = _state_of(_opened(), {"event": "of-a-later-version", "cell": CELL}, STARTED)
    assert len(state.rows) == 2
    for _ in range(2 * MESSAGES):
        state.apply({"at": 1.0, "event": "run-closed", "reason": "x"})
    assert len(state.messages) == MESSAGES
