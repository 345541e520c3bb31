"""The chapter on detectable differences, and the repetitions that would detect smaller ones."""

from fivenines.analysis.statistics.power import MOST, POWER
from fivenines.analysis.statistics.resolution import SHARES, Resolution, by_interleaving, by_trials
from fivenines.analysis.wording import count, listed, number, percent
from fivenines.report.chapters.data import Data
from fivenines.report.html.section import Section, explained, folded
from fivenines.report.table import Table, right


def chapter(data: Data) -> Section:
    """Return the smallest differences that this run can detect."""
    table = resolution_table(data)
    if not table.rows:
        return Section("power", TITLE)
    smallest: dict[str, float] = {}
    for one in _resolutions(data):
        smallest[one.measure] = max(one.smallest, smallest.get(one.measure, 0.0))
    parts = [f"{measure} of {difference_text(share)} or more" for measure, share in smallest.items()]
    text = f"This run can detect differences in {listed(parts)}, in all conditions."
    return Section("power", TITLE, [text], drawers=[*folded(table), explained(LEGEND)])


TITLE = "Detectable differences"


LEGEND = (
    f"A true difference of at least this size is detected (its interval excludes 0) with a probability of"
    f" {POWER:.0%}. The estimate uses the spread of this run, which is uncertain with few repetitions: read"
    " the numbers as orders of magnitude."
).replace("%", " %")


def resolution_table(data: Data) -> Table:
    """Return a row for each measure of each group of solutions."""
    columns = [
        "Measure",
        "Conditions",
        "Sample size",
        "Spread",
        "Smallest detectable",
        *(f"For {100 * share:.0f} %" for share in SHARES),
    ]
    rows = [
        [
            one.measure.capitalize(),
            data.names.label(one.key) or "all cells",
            count(one.n, one.unit),
            f"{percent(100 * one.spread)} %",
            difference_text(one.smallest),
            *(_needed(one.needed[share], one.unit) for share in SHARES),
        ]
        for one in _resolutions(data)
    ]
    caption = "Smallest detectable difference, and repetitions that would detect smaller ones"
    return Table(caption, columns, rows, 2, right(columns, "Measure", "Conditions"))


def _resolutions(data: Data) -> list[Resolution]:
    return [*by_interleaving(data.blocks), *by_trials(data.done, speed=not data.blocks)]


def difference_text(share: float) -> str:
    """Return a difference as a percentage, or as a factor if it is large."""
    return f"{percent(100 * share)} %" if share < 1 else f"a factor of {number(1 + share)}"


def _needed(n: int | None, unit: str) -> str:
    return f"more than {number(MOST)}" if n is None else count(n, unit)
