"""The chapter on dead zones, from planted trials."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from synthetic_run import Matrix, Recipe, write_run

from fivenines.analysis.availability.needless import Response
from fivenines.analysis.performance.sweeps import Compared, compared
from fivenines.analysis.statistics.threshold import Threshold
from fivenines.report.chapters.availability import severity
from fivenines.report.chapters.data import Data
from fivenines.report.export import documents
from fivenines.results import layout, store
from fivenines.results.records import PlannedSeverity
from fivenines.results.store import Run, open_run

# Value, share served, and whether it failed over.
ZONE = [
    (0.1, 0.9, False),
    (0.15, 0.9, False),
    (0.18, 0.9, False),
    (0.19, 0.8, False),
    (0.21, 0.2, False),
    (0.22, 0.2, False),
    (0.3, 0.1, False),
    (2.0, 0.1, False),
    (2.9, 0.1, False),
    (3.1, 0.1, True),
    (3.2, 0.1, True),
    (8.0, 0.1, True),
]
# It fails over before it is starved.
QUICK = [(value, 0.95, value > 0.2) for value, _, _ in ZONE]
PLANTED = {"zone": ZONE, "quick": QUICK}
DELAY = PlannedSeverity(of="delay", unit="time", at_least=0.005, at_most=20.0)


def planted(folder: Path, search: PlannedSeverity = DELAY) -> Data:
    """Return a run whose freezes are a search for a severity with planted outcomes."""
    write_run(folder, Matrix([Recipe(name) for name in PLANTED], faults=["kill", "freeze"], trials=len(ZONE)))
    manifest = open_run(folder).manifest
    plan = [
        item.model_copy(update={"severity": search} if item.cell.fault == "freeze" else {})
        for item in manifest.plan
    ]
    store.write_json(
        folder / layout.MANIFEST,
        manifest.model_copy(
            update={"plan": plan, "experiment": {**manifest.experiment, "trials": len(ZONE)}}
        ),
    )
    run = open_run(folder)
    return Data(run, _with_trials(run))


def _with_trials(run: Run) -> Compared:
    swept = compared(run)
    searched = [
        replace(
            cell,
            trials=[
                replace(
                    trial,
                    record=trial.record.model_copy(update={"severity": value}),
                    response=Response(
                        "promoted" if failed else "none",
                        ms=2000.0 if failed else None,
                        hiccup_ms=9000.0,
                        served=served,
                    ),
                )
                for trial, (value, served, failed) in zip(
                    cell.trials, PLANTED[cell.key.solution], strict=True
                )
            ],
        )
        for cell in swept.searched
    ]
    return replace(swept, searched=searched)


def test_a_dead_zone_is_named_first(tmp_path: Path) -> None:
    data = planted(tmp_path / "run")
    first, second = (answer.text for answer in severity.severity_answers(data.run, data.swept))
    assert first.startswith("zone, freeze: dead zone from a delay of 20"), first
    assert " ms to 2.95 s:" in first and "fewer than half of the transactions are served" in first, first
    assert second.startswith("quick, freeze: no dead zone shown."), second


def test_the_chapter_has_a_row_and_a_drawing_for_each_search(tmp_path: Path) -> None:
    data = planted(tmp_path / "run")
    section = severity.chapter(data)
    (table,) = section.every_table
    rows = {row[0].partition(",")[0]: row for row in table.rows}
    assert [rows[name][5] for name in PLANTED][1] == "none shown" and rows["zone"][5] == "201 ms to 2.95 s"
    assert rows["zone"][6] == "10 %", "the smallest share that was served without a failover"
    (figure,) = section.figures
    assert "delay, in seconds" in str(figure.svg)
    # Means over trials with different severities have no meaning.
    assert {cell.key.fault for cell in data.cells} == {"kill"}


def test_shares_are_shown_as_percentages(tmp_path: Path) -> None:
    loss = PlannedSeverity(of="loss", unit="share", at_least=0.01, at_most=0.9)
    data = planted(tmp_path / "run", loss)
    text = severity.severity_answers(data.run, data.swept)[0].text
    assert "%" in text and "ms" not in text


def test_exports_have_the_searches(tmp_path: Path) -> None:
    data = planted(tmp_path / "run")
    exported = json.loads(documents.tables(data.run, "json"))
    assert {one["search"]["of"] for one in exported["severities"]} == {"delay"}
    assert all({"tries", "starved", "failover", "zone"} <= set(one) for one in exported["severities"])
    assert "Severity from which half is not served" in documents.tables(data.run, "md")


def test_a_run_without_a_search_has_no_chapter(tmp_path: Path) -> None:
    write_run(tmp_path / "run", Matrix([Recipe("a")], faults=["kill"]))
    run = open_run(tmp_path / "run")
    assert not severity.chapter(Data(run, compared(run))).every_table


@pytest.mark.parametrize(("value", "text"), [(0.141, "141 ms"), (1.23456, "1.23 s"), (0.005, "5.00 ms")])
def test_times_are_readable(value: float, text: str) -> None:
    assert severity.value_text(value, "time") == text


def test_a_zone_without_an_end_is_drawn_as_far_as_trials_exclude_a_failover(tmp_path: Path) -> None:
    data = planted(tmp_path / "run")
    (zone,) = [one for one in data.severities if one.cell.key.solution == "zone"]
    open_ended = replace(zone, failover=Threshold("never", 12, low=8.0))
    assert open_ended.zone is not None and open_ended.zone.end is None
    band = severity.band(open_ended)
    assert band is not None and band[1] == 8.0 < DELAY.at_most
