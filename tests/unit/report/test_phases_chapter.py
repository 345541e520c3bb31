"""The chapters on phases and nines: figures, tables, sentences and exports."""

import csv
import io
import json
import re
from pathlib import Path

import pytest
from synthetic_run import Matrix, Recipe, write_run

from fivenines.analysis.availability.nines import assumed_mtbf, availabilities
from fivenines.analysis.cells import CellResult, analyse
from fivenines.analysis.performance.sweeps import compared
from fivenines.analysis.wording import NOTHING
from fivenines.report import tables, write_html
from fivenines.report.chapters.availability import nines, phases
from fivenines.report.chapters.availability.phases import phase_figures
from fivenines.report.chapters.data import Data
from fivenines.report.charts.phases import Bar, bars
from fivenines.report.charts.svg import to_svg
from fivenines.report.groups import groups_of, names_of
from fivenines.report.moments import moments
from fivenines.results import layout, store
from fivenines.results.records import Event
from fivenines.results.store import open_run

MATRIX = Matrix(
    [
        Recipe("managed", outage=4000.0, views=True),
        Recipe("alone", outage=3000.0, decides=False),
        Recipe("gone", outage=None),
        Recipe("slow", outage=8000.0, catch_up=9000.0),
    ]
)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_run(tmp_path_factory.mktemp("runs") / "phases", MATRIX)


@pytest.fixture(scope="module")
def cells(run: Path) -> list[CellResult]:
    return analyse(open_run(run))


def test_one_figure_with_a_bar_for_each_solution(cells: list[CellResult]) -> None:
    names = names_of(cells)
    (figure,) = [f for group in groups_of(cells, names) for f in phase_figures(group, names)]
    text = str(figure.svg)
    for solution in ("managed", "alone", "gone", "slow"):
        assert f">{solution}<" in text
    for name in ("detect", "promote", "route", "reconnect", "catch up"):
        assert f">{name}<" in text
    assert re.search(r"managed 4\.\d+ s, of which 9\d % detect;", figure.finding)
    assert re.search(r"alone 3\.\d+ s, of which 9\d % promote", figure.finding)
    assert re.search(
        r"gone at least 9\.\d+ s \(not recovered in 3 of 3 trials; did not end: promote\)", figure.finding
    )
    assert "did not end: promote" in figure.finding


def test_the_table_has_every_phase_and_marks_bounds(cells: list[CellResult]) -> None:
    found = list(phases.faults_of(cells))
    table = phases.phase_table(found, names_of(cells))
    rows = {(row[0], row[2]): row for row in table.rows}
    assert rows["managed", "detect"][3] == "3"
    assert ("alone", "detect") not in rows
    assert ("gone", "did not end: promote") in rows
    assert re.fullmatch(r"at least [\d.]+ s \(not ended in 3 of 3 trials\)", rows["slow", "catch up"][4])
    assert rows["slow", "until caught up"][7] == NOTHING
    assert all(len(row) == len(table.columns) for row in table.rows)


def test_brown_out_and_work_lost_have_a_table(run: Path) -> None:
    table = phases.effects_table(Data(open_run(run), compared(open_run(run))))
    rows = {row[0]: dict(zip(table.columns, row, strict=True)) for row in table.rows}
    assert "not recovered in 3 of 3" in rows["gone"]["Outage, writes"]
    assert rows["gone"]["Total, writes"] == rows["gone"]["Outage, writes"]
    assert rows["gone"]["Work lost"].startswith("at least ")
    assert rows["managed"]["Interruptions"] == "1"
    assert rows["managed"]["Brown-out"].endswith(" s)")
    assert rows["managed"]["Brown-out by chance"] == "0 %"


def test_nines_with_bounds(run: Path, cells: list[CellResult]) -> None:
    found = availabilities(cells, assumed_mtbf(open_run(run)))
    rows = {row[0]: row for row in nines.nines_table(found, names_of(cells)).rows}
    assert rows["managed"][4] == "90.0 d"
    assert re.fullmatch(r"99\.99994\d? % \(.*\)", rows["managed"][5])
    assert rows["gone"][5].startswith("at most 99.99")
    assert rows["gone"][7].startswith("at least ")
    assert "managed (kill primary) 6." in nines.sentence(found, names_of(cells))
    assert "at most" in nines.sentence(found, names_of(cells))


def test_without_assumptions_the_chapter_explains_how_to_add_them(cells: list[CellResult]) -> None:
    found = availabilities(cells, {})
    assert nines.sentence(found, names_of(cells)) == ""
    (text,) = nines.texts(found)
    assert "Set `availability: {mtbf: {kill: 90d}}`" in text
    assert nines.texts([]) == []


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.25, "250 ms"),
        (12.3, "12.3 s"),
        (90, "1.50 min"),
        (7200, "2.00 h"),
        (86_400, "24.0 h"),
        (7_776_000, "90.0 d"),
    ],
)
def test_long_times(seconds: float, text: str) -> None:
    assert nines.long_time(seconds) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [(1.0, "100 %"), (0.9, "90.0 %"), (0.9995, "99.950 %"), (0.999987, "99.9987 %"), (0.2, "20.0 %")],
)
def test_shares_keep_two_digits_after_the_nines(share: float, text: str) -> None:
    assert nines.share_text(share) == text


def test_nines_may_be_infinite() -> None:
    assert nines.nines_text(float("inf")) == "∞"


def test_a_chart_of_nothing_but_a_bound_is_drawn() -> None:
    text = str(to_svg(bars([Bar("gone", "> 9 s", "not back", [], bound=9.0)])))
    assert "gone" in text
    assert "▸" in text


def test_all_that_happened_is_on_one_clock(cells: list[CellResult]) -> None:
    trial = cells[0].trials[0]
    found = moments(trial, since=3000.0)
    texts = [moment.text for moment in found]
    assert [moment.t for moment in found] == sorted(moment.t for moment in found)
    assert not any(text.startswith("fault") for text in texts)
    for expected in (
        "decided node2: most advanced",
        "a node accepts writes",
        "the write endpoint answers",
        "the load writes again",
        "restarted node1",
    ):
        assert any(expected in text for text in texts), expected
    assert any(text.startswith("caught up") for text in texts)
    assert "failure detected" not in texts


def test_several_faults_and_their_ends_are_marked(tmp_path: Path) -> None:
    copy = write_run(tmp_path / "run", Matrix([Recipe("managed", outage=3000.0)], trials=1))
    stored = open_run(copy).complete[0]
    (first,) = stored.record.faults
    second = first.model_copy(update={"at": first.at + 6000, "ended": first.at + 7000})
    events = [*stored.record.events, Event(t=second.at, kind="fault", node="node2", detail="kill")]
    changes = {"faults": [first, second], "events": events}
    store.write_json(stored.folder / layout.TRIAL, stored.record.model_copy(update=changes))
    found = moments(analyse(open_run(copy))[0].trials[0], since=3000.0)
    assert [moment.t for moment in found if moment.fault] == [6.0]
    assert [moment.text for moment in found if round(moment.t, 3) == 7.0] == ["ended node1"]
    page = write_html(copy).read_text()
    assert "1: kill primary" in page
    assert "2: kill primary" in page


def test_the_page_states_the_composition_of_the_failover_time(run: Path) -> None:
    page = write_html(run).read_text().replace("\N{NO-BREAK SPACE}", " ")
    assert re.search(r"From the fault \(kill\) to the first write of the load: managed 4\.\d+ s", page)
    assert "Nines under the assumed failure rates: " in page
    assert 'id="phases"' in page
    assert 'id="nines"' in page


def test_exports_have_phases_and_nines(run: Path) -> None:
    data = json.loads(tables(run, "json"))
    (fault,) = data["cells"][0]["faults"]
    assert fault["phases"]["detect"]["summary"]["n"] == 3
    assert fault["phases"]["catch up"]["open"] == 0
    assert data["availability"][0]["mtbf_s"] == 7_776_000
    assert data["availability"][2]["bound"] == "at most"
    (first, *_) = csv.DictReader(io.StringIO(tables(run, "csv")))
    assert float(first["phase_promote_ms_mean"]) == pytest.approx(120, abs=2)
    assert float(first["work_lost_transactions_mean"]) > 1000
    text = tables(run, "md")
    for caption in ("Phases of each failover", "brown-out", "Availability by MTBF"):
        assert caption in text


def test_without_faults_there_is_no_chapter(tmp_path: Path) -> None:
    copy = write_run(tmp_path / "run", Matrix([Recipe("calm")], faults=["none"], trials=2))
    page = write_html(copy).read_text()
    assert 'id="phases"' not in page
    assert 'id="nines"' not in page
