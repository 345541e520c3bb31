"""What differences the run can detect, and how many repetitions would detect others."""

from fivenines.analysis.power import MOST, POWER
from fivenines.analysis.resolution import SHARES, Resolution, by_interleaving, by_trials
from fivenines.analysis.wording import count, listed, number, percent
from fivenines.report.chapters.data import Data
from fivenines.report.section import Section, explained, folded
from fivenines.report.table import Table, right


def chapter(data: Data) -> Section:
    """How large a difference must be for this run to detect it."""
    table = resolution_table(data)
    if not table.rows:
        return Section("power", TITLE)
    smallest: dict[str, float] = {}
    for one in _found(data):
        smallest[one.measure] = max(one.smallest, smallest.get(one.measure, 0.0))
    parts = [f"{measure} from {told_from(share)} on" for measure, share in smallest.items()]
    text = f"This run can detect differences in {listed(parts)}, in all conditions."
    return Section("power", TITLE, [text], drawers=[*folded(table), explained(LEGEND)])


TITLE = "Detectable differences"


LEGEND = (
    f"A difference that is there is detected (its interval excludes 0) with a chance of {POWER:.0%}"
    " if it is at least so large. From the spread that this run has seen, which is itself uncertain with few"
    " repetitions: take the numbers for orders of magnitude."
).replace("%", " %")


def resolution_table(data: Data) -> Table:
    """A row for each measure of each group of solutions."""
    columns = [
        "Measure",
        "Conditions",
        "Seen",
        "Spread of one",
        "Detected from",
        *(f"For {100 * share:.0f} %" for share in SHARES),
    ]
    rows = [
        [
            one.measure.capitalize(),
            data.names.label(one.key) or "all cells",
            count(one.n, one.unit),
            f"{percent(100 * one.spread)} %",
            told_from(one.smallest),
            *(_needed(one.needed[share], one.unit) for share in SHARES),
        ]
        for one in _found(data)
    ]
    caption = "The smallest difference that is detected, and repetitions that would detect others"
    return Table(caption, columns, rows, 2, right(columns, "Measure", "Conditions"))


def _found(data: Data) -> list[Resolution]:
    return [*by_interleaving(data.blocks), *by_trials(data.done, speed=not data.blocks)]


def told_from(share: float) -> str:
    """A difference as a percentage, or as a factor where it is large."""
    return f"{percent(100 * share)} %" if share < 1 else f"a factor of {number(1 + share)}"


def _needed(n: int | None, unit: str) -> str:
    return f"more than {number(MOST)}" if n is None else count(n, unit)
