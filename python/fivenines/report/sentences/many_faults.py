"""Summarise the outages of a run with many faults: the worst, and the faults without a noticeable outage."""

from collections.abc import Sequence

from fivenines.analysis.availability.outages import Outages
from fivenines.analysis.cells import CellResult
from fivenines.analysis.wording import listed, mean_with_interval, milliseconds

# A run with more faults gets sentences per solution instead of per fault.
MOST = 6

_WORST = 3


def worst_outages(faults: Sequence[tuple[str, list[CellResult]]]) -> list[str]:
    """Return a sentence for each solution: the faults with the longest outages, and those without one.

    `faults` are labels with their cells. Of several cells of a solution the longest mean counts. Outages
    without recovery are lower bounds and come first.
    """
    solutions = dict.fromkeys(cell.key.solution for _, cells in faults for cell in cells)
    return [sentence for one in solutions if (sentence := _worst_of(one, faults))]


def _worst_of(solution: str, faults: Sequence[tuple[str, list[CellResult]]]) -> str:
    outage: dict[str, Outages] = {}
    not_recovered: list[str] = []
    calm: list[str] = []
    for label, cells in faults:
        members = [c.writes for c in cells if c.key.solution == solution and c.writes.points]
        noticed = [outages for outages in members if outages.noticed]
        if any(outages.not_recovered for outages in noticed):
            worst = max(noticed, key=lambda one: (one.not_recovered > 0, one.summary.mean or 0.0))
            not_recovered.append(f"{mean_with_interval(worst.summary, milli=True)} after {label}")
        elif noticed:
            outage[label] = max(noticed, key=lambda one: one.total.mean or 0.0)
        elif members:
            calm.append(label)
    order = sorted(outage, key=lambda label: -(outage[label].total.mean or 0.0))[:_WORST]
    longest = listed([f"{label} ({_brief(outage[label])})" for label in order])
    others = "otherwise " if not_recovered else ""
    parts = [
        f"writes were unavailable {listed(not_recovered)}" if not_recovered else "",
        f"{others}writes were unavailable longest after {longest}" if order else "",
        f"no noticeable outage after {listed(calm)}" if calm else "",
    ]
    text = "; ".join(part for part in parts if part)
    return f"{solution}: {text}." if text else ""


def _brief(outages: Outages) -> str:
    longest, total = (milliseconds(one.mean or 0.0) for one in (outages.summary, outages.total))
    return f"{longest}, {total} in all" if outages.several else longest
