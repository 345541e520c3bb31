"""The outages of a run with many faults in few sentences: the worst, and what did no harm."""

from collections.abc import Sequence

from fivenines.analysis.cells import CellResult
from fivenines.analysis.outages import Outages
from fivenines.analysis.wording import listed, mean_with_interval, milliseconds

MOST = 6
"""With more faults than these, not each of them gets sentences of its own."""

_WORST = 3


def worst_outages(faults: Sequence[tuple[str, list[CellResult]]]) -> list[str]:
    """A sentence for each solution: after which faults writes were unavailable longest, and after which not.

    `faults`: the label of each and its cells. Of several cells of a solution the longest mean counts; where
    service was not back it is a lower bound, and named first.
    """
    solutions = dict.fromkeys(cell.key.solution for _, cells in faults for cell in cells)
    return [sentence for one in solutions if (sentence := _worst_of(one, faults))]


def _worst_of(solution: str, faults: Sequence[tuple[str, list[CellResult]]]) -> str:
    away: dict[str, Outages] = {}
    gone: list[str] = []
    calm: list[str] = []
    for label, cells in faults:
        members = [c.writes for c in cells if c.key.solution == solution and c.writes.points]
        noticed = [outages for outages in members if outages.noticed]
        if any(outages.not_recovered for outages in noticed):
            worst = max(noticed, key=lambda one: (one.not_recovered > 0, one.summary.mean or 0.0))
            gone.append(f"{mean_with_interval(worst.summary, milli=True)} after {label}")
        elif noticed:
            away[label] = max(noticed, key=lambda one: one.total.mean or 0.0)
        elif members:
            calm.append(label)
    order = sorted(away, key=lambda label: -(away[label].total.mean or 0.0))[:_WORST]
    longest = listed([f"{label} ({_brief(away[label])})" for label in order])
    parts = [
        f"writes were unavailable {listed(gone)}" if gone else "",
        f"{'else ' if gone else ''}writes were unavailable longest after {longest}" if order else "",
        f"not noticeably unavailable after {listed(calm)}" if calm else "",
    ]
    text = "; ".join(part for part in parts if part)
    return f"{solution}: {text}." if text else ""


def _brief(outages: Outages) -> str:
    longest, total = (milliseconds(one.mean or 0.0) for one in (outages.summary, outages.total))
    return f"{longest}, {total} in all" if outages.several else longest
