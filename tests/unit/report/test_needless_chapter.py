"""The chapter on failovers although no server had died."""

from pathlib import Path

from planted_cells import planted_cells

from fivenines.analysis.availability.at_rest import HOUR, Rest
from fivenines.analysis.availability.in_turn import InTurn
from fivenines.analysis.availability.needless import Response
from fivenines.analysis.cells import CellResult
from fivenines.analysis.wording import NOTHING
from fivenines.base.units import YEAR
from fivenines.report.chapters.availability.at_rest import at_rest, rest_sentences
from fivenines.report.chapters.availability.in_turn import turn_sentences, turn_table, turns
from fivenines.report.chapters.availability.needless import (
    needless_table,
    needless_tables,
    responses,
    sentences,
)
from fivenines.report.groups import names_of


def cells(folder: Path, planted: dict[str, list[Response | None]], fault: str = "freeze") -> list[CellResult]:
    """Return cells whose trials have these responses."""
    return planted_cells(folder, "response", planted, fault)


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
    made = planted_cells(tmp_path / "run", "rest", planted, "kill")
    assert rest_sentences(at_rest(made)) == [
        "hasty: 1 failover (promoted in 1) at rest, in 1.00 h under load before any fault."
    ]
    (table,) = needless_tables(responses(made), at_rest(made), names_of(made))
    # Garwood's interval of one event is 0.0253 to 5.57; without an event the upper limit is 3.00.
    assert table.rows == [
        ["hasty", "2", "1.00 h", "1 failover (promoted in 1)", "0.0253 to 5.57"],
        ["calm", "2", "2.00 h", NOTHING, "at most 1.50"],
    ]


def in_turn(folder: Path, mtbf: float | None) -> list[CellResult]:
    """Return a cell without a failover in 20 hiccups, and one with two in seven."""
    lengths = tuple(1000.0 * n for n in range(1, 11))
    planted = {
        "calm": [InTurn(lengths, 10, None, mtbf), InTurn(lengths, 10, None, mtbf)],
        "hasty": [InTurn(lengths[:3], 10, "promoted", mtbf), InTurn(lengths[:4], 10, "demoted", mtbf)],
    }
    return planted_cells(folder, "in_turn", planted, "freeze")


def test_hiccups_in_turn_have_their_share_and_their_number_a_year(tmp_path: Path) -> None:
    made = in_turn(tmp_path / "run", YEAR / 10)
    found = turns(made)
    # Clopper and Pearson: 0 of 20 is at most 13.9 % (one-sided), 2 of 7 is 3.7 to 71 %.
    assert turn_sentences(found) == [
        "hasty: 2 failovers (promoted in 1 and demoted in 1) in 7 hiccups of 1.00 to 4.00 s in turn; "
        "3.7 to 71 % of such hiccups lead to one (95 %), 2.9 (0.4 to 7.1) a year.",
        "calm: no failover in 20 hiccups of 1.00 to 10.0 s in turn; at most 14 % of such hiccups lead to one "
        "(95 %), at most 1.39 a year.",
    ]
    assert turn_table(found, names_of(made)).rows == [
        ["calm", "2", "20", "0", "1.00 to 10.0 s", NOTHING, "0 to 14 %", "at most 1.39"],
        ["hasty", "2", "7", "13", "1.00 to 4.00 s", "2", "3.7 to 71 %", "2.9 (0.4 to 7.1)"],
    ]


def test_without_an_assumed_rate_there_is_no_number_a_year(tmp_path: Path) -> None:
    made = in_turn(tmp_path / "run", None)
    table = turn_table(turns(made), names_of(made))
    assert table.columns[-1] == "Share, 95 % interval"
    assert not any("a year" in text for text in turn_sentences(turns(made)))


def test_the_time_at_rest_alone_is_no_chapter(tmp_path: Path) -> None:
    made = cells(tmp_path / "run", {"alpha": [None]}, "kill")
    assert at_rest(made) and needless_tables(responses(made), at_rest(made), names_of(made)) == []
