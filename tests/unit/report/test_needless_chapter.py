"""The chapter on failovers although no server had died."""

from dataclasses import replace
from pathlib import Path

from synthetic_run import Matrix, Recipe, write_run

from fivenines.analysis.availability.at_rest import HOUR, Rest
from fivenines.analysis.availability.needless import Response
from fivenines.analysis.cells import CellResult, analyse
from fivenines.analysis.wording import NOTHING
from fivenines.report.chapters.availability.at_rest import at_rest, rest_sentences
from fivenines.report.chapters.availability.needless import (
    needless_table,
    needless_tables,
    responses,
    sentences,
)
from fivenines.report.groups import names_of
from fivenines.results.store import open_run


def cells(folder: Path, planted: dict[str, list[Response | None]], fault: str = "freeze") -> list[CellResult]:
    """Return cells whose trials have these responses."""
    trials = max(len(each) for each in planted.values())
    write_run(folder, Matrix([Recipe(name) for name in planted], faults=[fault], trials=trials))
    return [
        replace(
            cell,
            trials=[
                replace(trial, response=response)
                for trial, response in zip(cell.trials, planted[cell.key.solution], strict=True)
            ],
        )
        for cell in analyse(open_run(folder))
    ]


EXPELLED = Response("expelled", 3100.0, after_end=True, observed_ms=9000)
LATER = Response("promoted", 6000.0, after_end=False, observed_ms=9000)
ERRORS = Response("errors", observed_ms=9000)
DEAD = Response("none", observed_ms=9000, why="node1 died")


def test_each_solution_has_a_sentence_and_each_cell_a_row(tmp_path: Path) -> None:
    made = cells(tmp_path / "run", {"calm": [ERRORS, ERRORS, DEAD], "hasty": [EXPELLED, LATER, ERRORS]})
    found = responses(made)
    assert sentences(found) == [
        "hasty: a failover in 2 of 3 trials although no server had died: expelled in 1 and promoted in 1; "
        "in 1 trial the fault was already over.",
        "calm: no role changed in 2 trials.",
        "Not counted: 1 trial (node1 died).",
    ]
    table = needless_table(found, names_of(made))
    rows = {row[0]: dict(zip(table.columns, row, strict=True)) for row in table.rows}
    calm, hasty = rows["calm"], rows["hasty"]
    assert (calm["Trials"], calm["Errors only"], calm["Not counted"], calm["After"]) == (
        "2",
        "2",
        "1",
        NOTHING,
    )
    assert (hasty["Promoted"], hasty["Expelled"], hasty["Fault over"]) == ("1", "1", "1")
    assert hasty["After"] == "3.10 to 6.00 s" and calm["Failovers, 95 % interval"] == "0 to 78 %"


def test_without_a_fault_only_failovers_are_shown(tmp_path: Path) -> None:
    alone = Response("promoted", 2000.0, observed_ms=9000)
    made = cells(tmp_path / "run", {"calm": [ERRORS], "alone": [alone]}, "none")
    assert [one.cell.key.solution for one in responses(made)] == ["alone"]


def test_other_faults_have_no_chapter(tmp_path: Path) -> None:
    assert responses(cells(tmp_path / "run", {"alpha": [None]}, "kill")) == []


def test_failovers_at_rest_have_their_rate(tmp_path: Path) -> None:
    planted = {"calm": [Rest(HOUR), Rest(HOUR)], "hasty": [Rest(HOUR / 2, "promoted"), Rest(HOUR / 2)]}
    made = [
        replace(
            cell,
            trials=[
                replace(trial, rest=rest)
                for trial, rest in zip(cell.trials, planted[cell.key.solution], strict=True)
            ],
        )
        for cell in cells(tmp_path / "run", {"calm": [None, None], "hasty": [None, None]}, "kill")
    ]
    assert rest_sentences(at_rest(made)) == [
        "hasty: 1 failover (promoted in 1) at rest, in 1.00 h under load before any fault."
    ]
    (table,) = needless_tables(responses(made), at_rest(made), names_of(made))
    # Garwood's interval of one event is 0.0253 to 5.57; without an event the upper limit is 3.00.
    assert table.rows == [
        ["hasty", "2", "1.00 h", "1 failover (promoted in 1)", "0.0253 to 5.57"],
        ["calm", "2", "2.00 h", NOTHING, "at most 1.50"],
    ]


def test_the_time_at_rest_alone_is_no_chapter(tmp_path: Path) -> None:
    made = cells(tmp_path / "run", {"alpha": [None]}, "kill")
    assert at_rest(made) and needless_tables(responses(made), at_rest(made), names_of(made)) == []
