"""Hiccups in turn, a part of the chapter `needless`: the share of hiccups that lead to a failover."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from fivenines.analysis.availability.in_turn import InTurn, yearly
from fivenines.analysis.cells import CellResult
from fivenines.analysis.decision.judging import share_bounds, share_text
from fivenines.analysis.wording import NOTHING, bearable, count, listed, number, percent, span
from fivenines.report.groups import Names
from fivenines.report.table import Table, right, without_empty

LEGEND = (
    " Hiccups in turn: several in one trial, on one cluster. They count until the first needless failover,"
    " and only if all nodes were in the states of the beginning when they began. A year: the share of"
    " hiccups that lead to a failover, by the `mtbf` that the experiment assumes between two hiccups."
)


@dataclass(frozen=True)
class Turns:
    """The hiccups in turn of a cell's trials."""

    cell: CellResult
    trials: Sequence[InTurn]

    @property
    def lengths(self) -> list[float]:
        """Return the lengths of the hiccups that count, in ms, ascending."""
        return sorted(length for one in self.trials for length in one.lengths)

    @property
    def failovers(self) -> int:
        """Return the number of needless failovers."""
        return sum(one.failover is not None for one in self.trials)

    @property
    def bounds(self) -> tuple[float, float]:
        """Return the 95 % interval of the share of hiccups that lead to a failover."""
        return share_bounds(self.failovers, len(self.lengths))

    @property
    def share(self) -> str:
        """Return this interval as a text."""
        return share_text(self.failovers, len(self.lengths))

    def yearly(self, share: float) -> float | None:
        """Return the needless failovers a year for a share of hiccups; None without an assumed rate."""
        return yearly(share, self.trials)


def turns(cells: Sequence[CellResult]) -> list[Turns]:
    """Return the cells whose trials have several hiccups, of which one counts at least."""
    found = [
        Turns(cell, [trial.in_turn for trial in cell.trials if trial.in_turn is not None]) for cell in cells
    ]
    return [one for one in found if one.lengths]


def turn_sentences(cells: Sequence[Turns]) -> list[str]:
    """Return a sentence for each cell, those with failovers first."""
    return [_sentence(one) for one in sorted(cells, key=lambda one: not one.failovers)]


def _sentence(one: Turns) -> str:
    lengths = one.lengths
    what = f"{count(len(lengths), 'hiccup')} of {span(lengths[0], lengths[-1], milli=True)} in turn"
    year = _year(one)
    expected = f", {year} a year" if year else ""
    share = one.share if one.failovers else f"at most {percent(100 * one.bounds[1])} %"
    share += f" of such hiccups lead to one (95 %){expected}"
    if not one.failovers:
        return f"{one.cell.called}: no failover in {what}; {share}."
    kinds = Counter(trial.failover for trial in one.trials if trial.failover is not None)
    how = listed([f"{kind} in {times}" for kind, times in kinds.items()])
    return f"{one.cell.called}: {count(one.failovers, 'failover')} ({how}) in {what}; {share}."


def _year(one: Turns) -> str:
    """Return the expected needless failovers a year; empty without an assumed rate."""
    low, high = one.bounds
    mean, least, most = (one.yearly(share) for share in (one.failovers / len(one.lengths), low, high))
    if mean is None or least is None or most is None:
        return ""
    return bearable(mean, least, most) if one.failovers else f"at most {number(most)}"


def turn_table(cells: Sequence[Turns], names: Names) -> Table:
    """Return a row for each cell: hiccups, failovers, and their share."""
    columns = [
        *("Cell", "Trials", "Hiccups", "Not counted", "Lengths", "Failovers"),
        *("Share, 95 % interval", "A year, 95 % interval"),
    ]
    rows = []
    for one in cells:
        lengths = one.lengths
        rows.append(
            [
                names.full(one.cell.key),
                str(len(one.trials)),
                str(len(lengths)),
                str(sum(trial.planned - len(trial.lengths) for trial in one.trials)),
                span(lengths[0], lengths[-1], milli=True),
                str(one.failovers) if one.failovers else NOTHING,
                one.share,
                _year(one),
            ]
        )
    table = Table("Hiccups in turn", columns, rows, 1, right(columns, "Cell"))
    return without_empty(table, "A year, 95 % interval")
