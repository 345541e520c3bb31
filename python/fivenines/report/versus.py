"""Two runs against each other in words: regressions first, and what else differs between them."""

from collections.abc import Sequence
from typing import Any

from fivenines.analysis.statistics import Summary
from fivenines.analysis.versus import Change, Happened, Versus
from fivenines.analysis.wording import NOTHING, count, listed, mean_with_interval, percent
from fivenines.report.groups import Names
from fivenines.report.table import Table, right, without_empty
from fivenines.results.records import CellKey


def sentences(found: Versus, allowed: float) -> list[str]:
    """The outcome first; then what limits the comparison."""
    worse = [one for one in found.changes if one.worse_than(allowed)]
    better = [one for one in found.changes if one.better]
    looked = len(found.changes)
    beyond = f" by more than {percent(100 * allowed)} %" if allowed else ""
    chance = (
        f"; by chance alone about {max(1, round(looked / 20))} would differ" if looked > 9 else ""
    )
    if not looked:
        return [
            "Nothing could be compared: no cell (solution, workload, connections, network, fault) has "
            "complete trials in both runs. Duets are not compared."
        ]
    said = [
        f"{count(len(worse), 'measure')} of {looked} worse{beyond}, {len(better)} better, by 95 % intervals"
        f"{chance}."
    ]
    new = [one for one in found.happened if one.new]
    if new:
        said.append(f"New: {listed([_happened(one) for one in new])}.")
    if found.environment:
        many = count(len(found.environment), "difference")
        said.append(
            f"The runs differ in more than what was measured ({many}): ratios may be due to it."
        )
    for what, keys in (("earlier", found.only_before), ("later", found.only_after)):
        if keys:
            said.append(f"{count(len(keys), 'cell')} only in the {what} run.")
    return said


def changes_table(found: Versus, names: Names, allowed: float, every: bool) -> Table:
    """A row for each measure that changed, the worst first; `every`: also for those that are not told to."""
    shown = [one for one in found.changes if every or one.difference.differs]
    rows = [
        [
            _word(one, allowed), one.measure.title, one.key.solution, names.label(one.key),
            _ratio(one), _mean(one, one.difference.b), _mean(one, one.difference.a),
        ]
        for one in sorted(shown, key=_order)
    ]  # fmt: skip
    columns = [
        "Verdict",
        "Measure",
        "Solution",
        "Conditions",
        "Later / earlier",
        "Earlier",
        "Later",
    ]
    table = Table("Changes", columns, rows, 3, right(columns, *columns[:4]))
    return without_empty(table, "Conditions")


def environment_table(found: Versus) -> Table:
    """What else differs between the runs."""
    rows = [list(row) for row in found.environment]
    return Table("What else differs between the runs", ["What", "Earlier", "Later"], rows)


def as_json(found: Versus) -> dict[str, Any]:
    """For programs."""
    return {
        "changes": [
            {
                **one.key.model_dump(), "measure": one.measure.name,
                "verdict": "worse" if one.worse else "better" if one.better else "not told apart",
                "ratio": one.difference.ratio,
                "ratio_95": [one.difference.ratio_low, one.difference.ratio_high],
                "earlier": one.difference.b.mean, "later": one.difference.a.mean,
                "trials": [one.difference.b.n, one.difference.a.n],
            }
            for one in found.changes
        ],
        "events": [
            {**one.key.model_dump(), "measure": one.measure.name,
             "earlier": list(one.before), "later": list(one.after)}
            for one in found.happened
        ],
        "only_earlier": [key.model_dump() for key in found.only_before],
        "only_later": [key.model_dump() for key in found.only_after],
        "environment": [
            {"what": what, "earlier": old, "later": new} for what, old, new in found.environment
        ],
    }  # fmt: skip


def keys_of(found: Versus) -> Sequence[CellKey]:
    """The cells that both runs have."""
    return list(dict.fromkeys(one.key for one in found.changes))


def _happened(one: Happened) -> str:
    return f"{one.measure.noun} in {one.after[0]} of {count(one.after[1], 'trial')} of {one.key.solution}"


def _word(one: Change, allowed: float) -> str:
    if one.worse_than(allowed):
        return "✗ worse"
    if one.worse:
        return "✗ worse, allowed" if allowed else "✗ worse"
    return "✓ better" if one.better else "? not told"


def _order(one: Change) -> tuple[int, float]:
    """The worst first."""
    ratio = one.difference.ratio or 1.0
    loss = 1 / ratio if one.measure.more and ratio else ratio
    return (0 if one.worse else 2 if one.better else 1), -loss


def _ratio(one: Change) -> str:
    difference = one.difference
    if difference.ratio is None:
        return NOTHING
    low, high = difference.ratio_low, difference.ratio_high
    if low is None or high is None:
        return f"{difference.ratio:.2f}"
    return f"{difference.ratio:.2f} ({low:.2f} to {high:.2f})"


def _mean(one: Change, summary: Summary) -> str:
    return mean_with_interval(summary, milli=one.measure.kind == "time")
