"""Time lines in the page count every success, fit the budget, and have a note on what was left out."""

import base64
import gzip
import json
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from synthetic_run import QUICKSTART, write_run

from fivenines.analysis.cells import analyse
from fivenines.analysis.trials import TrialMeasures
from fivenines.report.html.timelines import Plan, packed, plan, view
from fivenines.results.store import open_run


@pytest.fixture(scope="module")
def trials(tmp_path_factory: pytest.TempPathFactory) -> list[TrialMeasures]:
    matrix = replace(QUICKSTART, recipes=QUICKSTART.recipes[:1], trials=4)
    run = open_run(write_run(tmp_path_factory.mktemp("lines") / "run", matrix))
    (cell,) = analyse(run)
    return list(cell.trials)


def unpacked(trials: list[TrialMeasures], planned: Plan) -> dict[str, Any]:
    text = packed(trials, planned, lambda trial: f"about {trial.record.id}", lambda _: "label")
    found: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(text)))
    return found


@pytest.mark.parametrize("fine", [True, False])
def test_every_success_is_counted_once(trials: list[TrialMeasures], fine: bool) -> None:
    found = unpacked(trials, Plan(fine, 9))
    assert [one["id"] for one in found["trials"]] == [one.record.id for one in trials]
    for one, trial in zip(found["trials"], trials, strict=True):
        start, end = view(trial)
        steps = one["panels"]["writes"]["steps"]
        assert {width for _, width, _ in steps} == ({10} if fine else {10, 100})
        first = start // 100 * 100
        last = first + (end - first) // 100 * 100
        inside = (trial.timeline.slot >= first) & (trial.timeline.slot < last)
        assert sum(sum(counts) for _, _, counts in steps) == trial.timeline.writes[inside].sum()
        # one stretch ends where the next begins
        for (at, width, counts), (after, _, _) in pairwise(steps):
            assert at + width * len(counts) / 1000 == pytest.approx(after, abs=2e-4)


def test_time_counts_from_the_fault(trials: list[TrialMeasures]) -> None:
    for one in unpacked(trials, Plan(False, 9))["trials"]:
        assert one["from"] == pytest.approx(-3, abs=1e-3)
        (start, end, label), *_ = one["panels"]["writes"]["gaps"]
        assert start == pytest.approx(0, abs=0.03)
        assert 3 < end < 6
        assert label == "label"
        # the end of an interruption is known to 10 ms
        (near,) = [w for at, w, c in one["panels"]["writes"]["steps"] if at <= end < at + w * len(c) / 1000]
        assert near == 10


def test_the_budget_reduces_detail_first_and_then_trials(trials: list[TrialMeasures]) -> None:
    assert plan([trials]) == Plan(True, 4)
    detail = plan([trials], budget=11_000)
    assert (detail.fine, detail.trials) == (False, 4)
    assert len(packed(trials, detail, lambda _: "", lambda _: "")) < 11_000
    few = plan([trials], budget=5_000)
    assert not few.fine
    assert 1 <= few.trials < 4
    assert plan([trials], budget=0) == Plan(False, 1)
    assert plan([]) == Plan(True, 0)


def test_a_note_states_what_was_left_out(trials: list[TrialMeasures]) -> None:
    assert unpacked(trials, Plan(True, 4))["note"] == "Counted in steps of 10 ms."
    note = unpacked(trials, Plan(False, 2))["note"]
    assert "of 100 ms elsewhere" in note
    assert "Shows 2 of 4 trials, to keep the file small." in note
