"""Claims as they are shown: printed events, figures of several places, ends of intervals."""

from pathlib import Path

import pytest

from fivenines.analysis.statistics.means import of_moments
from fivenines.report.charts.claims import ratio_ticks
from fivenines.studies.claims.figures import Events, Level, Place, Sample, Variants
from fivenines.studies.claims.greater import Greater
from fivenines.studies.figures_shown import figures_table
from fivenines.studies.judged import StudyResult, judge
from fivenines.studies.models import Unavailable
from fivenines.studies.source import parse_study

STUDY = """\
study: small
cite: {authors: [A. Person], title: On servers, year: 2020}
parts:
  loss:
    experiment:
      workloads: [oltp_read_write]
      solutions: [{solution: hot-standby, name: pair}]
      faults: [{fault: kill, name: one down}, {fault: kill, name: other down}]
      connections: [8]
published:
  - {source: T1, measure: lost, part: loss, solution: pair, fault: one down, n: 40, seen: SEEN}
  - {source: T2, measure: outage_writes, part: loss, solution: pair, by: fault, n: 5,
     mean: {one down: 100, other down: 3000}, sd: {one down: 1, other down: 1}}
claims:
  - id: nothing-lost
    says: Nothing is lost.
    test: {never: {measure: lost, part: loss, solution: pair, fault: one down}}
  - id: goes-on
    says: Service goes on.
    test:
      all:
        - {limit: {measure: outage_writes, part: loss, solution: pair, fault: one down, at_most: 1s}}
        - {limit: {measure: outage_writes, part: loss, solution: pair, fault: other down, at_most: 1s}}
"""


def _result(tmp_path: Path, seen: int = 0) -> StudyResult:
    loaded = parse_study(STUDY.replace("SEEN", str(seen)), "x.yaml")
    return judge(loaded.study, "full", loaded.experiments["full"], tmp_path)


def test_printed_events_are_judged(tmp_path: Path) -> None:
    for seen, outcome in ((0, "holds"), (3, "does not hold")):
        printed = _result(tmp_path, seen).claims[0].printed
        assert printed is not None and printed.outcome == outcome


def test_figures_of_several_places_stand_beside_each_other(tmp_path: Path) -> None:
    table = figures_table(_result(tmp_path).claims[1])
    assert [row[0] for row in table.rows] == ["one down", "other down"]
    assert ["100" in row[-1] for row in table.rows] == [True, False]


def test_a_figure_in_a_scale_of_its_own_has_no_unit(tmp_path: Path) -> None:
    scaled = STUDY.replace("n: 5,", "n: 5, scale: idle = 100,").replace("SEEN", "0")
    loaded = parse_study(scaled, "x.yaml")
    result = judge(loaded.study, "full", loaded.experiments["full"], tmp_path)
    printed = [row[-1] for row in figures_table(result.claims[1]).rows]
    assert all("idle = 100" in text for text in printed)
    assert not any(" ms" in text or " s " in text for text in printed), printed


def test_a_table_leaves_the_reason_of_what_cannot_run_to_the_verdict(tmp_path: Path) -> None:
    loaded = parse_study(STUDY.replace("SEEN", "0"), "x.yaml")
    why = {"loss": Unavailable(why="there is no cloud account")}
    study = loaded.study.model_copy(update={"unavailable": why})
    result = judge(study, "full", loaded.experiments["full"], tmp_path)
    claim = result.claims[1]
    assert any("no cloud account" in atom.sentence for atom in claim.verdict.atoms)
    assert {row[2] for row in figures_table(claim).rows} == {"cannot be run here"}


class _Wide:
    """Figures whose ratio may be any, down to 0."""

    def sample(self, _measure: str, place: Place) -> Sample:
        return Sample(of_moments(3, *((110.0, 120.0) if place.solution == "a" else (100.0, 40.0))))

    def events(self, _measure: str, _place: Place) -> Events:
        return Events()

    def variants(self, _place: Place) -> Variants:
        return Variants()

    def levels(self, _axis: str, _place: Place) -> list[Level]:
        return []


def test_no_ratio_is_shown_below_nothing() -> None:
    test = Greater.model_validate({"measure": "tps", "a": "a", "b": "b"})
    (atom,) = test.atoms(_Wide())
    assert atom.span is not None and atom.span.low == 0.0
    assert "(0 to 9.37)" in atom.sentence
    assert atom.status == "inconclusive"


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (0.73, 1.9, [0.8, 1, 1.25, 1.5]),
        (0.4, 25, [0.5, 0.8, 1, 1.25, 1.5, 2, 3, 5, 10, 20]),
        (0.005, 4000, [0.01, 0.1, 1, 10, 100, 1000]),
    ],
)
def test_an_axis_of_ratios_has_places_on_both_sides_of_1(low: float, high: float, ticks: list[float]) -> None:
    assert ratio_ticks(low, high) == pytest.approx(ticks)
