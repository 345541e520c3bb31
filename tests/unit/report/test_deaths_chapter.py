"""The chapter on deaths in turn on one cluster."""

from dataclasses import replace
from pathlib import Path

import pytest
from planted_cells import planted_cells

from fivenines.analysis.availability.deaths_in_turn import Death, Deaths
from fivenines.analysis.cells import CellResult
from fivenines.analysis.wording import NOTHING
from fivenines.report.chapters.availability.deaths_in_turn import fresh_table, turn_answers, turn_table, turns
from fivenines.report.groups import names_of


def deaths(*outages: float, lost: tuple[int, ...] = (), planned: int = 0) -> Deaths:
    rows = (*lost, *[0] * (len(outages) - len(lost)))
    made = tuple(
        Death(number + 1, outage, True, own)
        for number, (outage, own) in enumerate(zip(outages, rows, strict=True))
    )
    return Deaths(made, planned or len(made))


@pytest.fixture(name="made")
def made_fixture(tmp_path: Path) -> list[CellResult]:
    """Return a cell without lost rows in 40 deaths, and one that lost some in two of six."""
    planted = {
        "safe": [deaths(*[1000.0] * 10, *[1100.0] * 10), deaths(*[1100.0] * 10, *[1000.0] * 10)],
        "lossy": [
            deaths(900.0, 950.0, 910.0, lost=(0, 7), planned=5),
            deaths(900.0, 940.0, 930.0, lost=(2,)),
        ],
    }
    return planted_cells(tmp_path / "run", "deaths", planted, "kill")


def test_lost_rows_are_judged_by_death(made: list[CellResult]) -> None:
    texts = {answer.text for answer in turn_answers(made)}
    # Clopper and Pearson: 0 of 40 is at most 7.2 % (one-sided), 2 of 6 is 4.3 to 78 %.
    assert texts >= {
        "safe: no acknowledged row lost in 40 deaths in turn on 2 clusters; "
        "at most 7.2 % of such deaths lose one (95 %).",
        "lossy: 9 acknowledged rows lost in 2 of 6 deaths in turn on 2 clusters, at most 7 at once; "
        "4.3 to 78 % of such deaths lose rows (95 %).",
    }


def test_an_effect_of_the_order_is_said(made: list[CellResult]) -> None:
    first, loss, *_ = turn_answers(made)
    assert "neighbours +" in first.text and first.text.startswith("safe: the outages")
    assert loss.text.startswith("lossy: 9 acknowledged rows lost")
    assert not any("depend on their order" in one.text and "lossy" in one.text for one in turn_answers(made))


def test_each_cell_has_a_row(made: list[CellResult]) -> None:
    table = turn_table(turns(made), names_of(made))
    rows = {row[0]: dict(zip(table.columns, row, strict=True)) for row in table.rows}
    lossy = rows["lossy"]
    assert (lossy["Clusters"], lossy["Deaths"], lossy["Not counted"]) == ("2", "6", "2")
    assert (lossy["With lost rows"], lossy["Lost rows"], lossy["Longest"]) == ("2", "9", "950 ms")
    assert rows["safe"]["Share, 95 % interval"] == "0 to 7.2 %"


def test_rows_that_are_not_known_are_not_zero(tmp_path: Path) -> None:
    unclear = Deaths((Death(1, 900.0, False, None), Death(2, None, False, None)), 2)
    unknown = planted_cells(tmp_path / "run", "deaths", {"safe": [unclear], "lossy": [unclear]}, "kill")
    row = turn_table(turns(unknown), names_of(unknown)).rows[0]
    assert row[5] == "at least 900 ms" and row[8:] == [NOTHING, NOTHING, NOTHING]
    assert turn_answers(unknown) == []


def test_fresh_clusters_are_those_with_the_same_fault_once(made: list[CellResult]) -> None:
    assert fresh_table(turns(made), names_of(made)).rows, "the planted cells have single kills themselves"
    (first,) = [one for one in turns(made) if one.cell.key.solution == "safe"]
    assert first.fresh is not None and first.quotient is not None
    alone = [replace(cell, faults=[*cell.faults, *cell.faults]) for cell in made]
    assert all(one.fresh is None for one in turns(alone))
