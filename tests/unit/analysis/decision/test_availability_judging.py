"""Availability as a requirement: met only if each fault with an assumed rate was measured."""

from pathlib import Path

import pytest
from synthetic_run import Matrix, Recipe, write_run

from fivenines.analysis.decision.judging import Judgement
from fivenines.analysis.measures.condition import parse_requirement
from fivenines.analysis.measures.decide import DecideSettings
from fivenines.report.sentences.decision import Verdict, decide_together
from fivenines.report.sentences.evidence import evidence, mark, share_text, short
from fivenines.results.store import open_run

DAY = 86_400.0


def _decided(folder: Path, mtbf: dict[str, float], limit: str = "99.999%", gone: int = 0) -> Verdict:
    given = Recipe("one", outage=4000.0, gone=gone)
    run = open_run(write_run(folder / "run", Matrix([given], trials=5)))
    settings = DecideSettings.model_validate({"requirements": [f"availability >= {limit}"], "by": []})
    (found,) = decide_together({"": run}, settings, mtbf=mtbf)
    return found


def _judged(verdict: Verdict) -> Judgement:
    (found,) = verdict.decision.candidate("one").judgements
    return found


def test_a_short_outage_once_in_90_days_meets_five_nines(tmp_path: Path) -> None:
    found = _judged(_decided(tmp_path, {"kill": 90 * DAY}))
    assert found.status == "met" and found.estimate is not None
    assert found.estimate.value == pytest.approx(1 - 4 / (90 * DAY), abs=2e-7)
    assert short(found).startswith("✓ 99.9999") and "failed" not in mark(found)


def test_the_same_outage_once_an_hour_misses_them(tmp_path: Path) -> None:
    verdict = _decided(tmp_path, {"kill": 3600.0})
    assert _judged(verdict).status == "missed"
    assert verdict.sentence == "No solution meets the requirements: each one violates at least one."
    assert "availability 99.8" in verdict.lines[0]


def test_a_fault_that_was_not_injected_keeps_the_answer_open(tmp_path: Path) -> None:
    verdict = _decided(tmp_path, {"kill": 90 * DAY, "partition": 90 * DAY})
    found = _judged(verdict)
    assert found.status == "inconclusive" and found.missing == ("no outage by partition",)
    assert evidence(found).endswith("; no outage by partition")
    assert any("no outage by partition" in line for line in verdict.lines + verdict.reasons)


def test_what_is_missed_already_is_missed_whatever_else_would_fail(tmp_path: Path) -> None:
    assert _judged(_decided(tmp_path, {"kill": 3600.0, "partition": DAY})).status == "missed"


def test_without_a_rate_availability_is_not_measured(tmp_path: Path) -> None:
    found = _judged(_decided(tmp_path, {"partition": DAY}))
    assert found.status == "inconclusive" and short(found) == "? not measured"
    assert evidence(found) == "not measured (no outage by partition, no MTBF of kill)"


def test_a_trial_without_recovery_never_meets_it(tmp_path: Path) -> None:
    found = _judged(_decided(tmp_path, {"kill": 90 * DAY}, gone=1))
    assert found.status == "inconclusive" and evidence(found).startswith("at most 99.99")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("availability <= 99%", "more availability is better: write >="),
        ("availability >= 100%", "a share below 1"),
        ("availability p95 >= 99%", "no percentiles"),
    ],
)
def test_a_limit_without_sense_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_requirement(text)


def test_an_availability_cannot_be_a_preference() -> None:
    with pytest.raises(ValueError, match="availability is a requirement, not a preference"):
        DecideSettings.model_validate({"prefer": ["availability"]})


@pytest.mark.parametrize(
    ("share", "text"), [(0.99999, "99.99900 %"), (0.999914, "99.9914 %"), (0.5, "50.0 %"), (1.0, "100 %")]
)
def test_shares_have_a_digit_behind_their_nines(share: float, text: str) -> None:
    assert share_text(share) == text
