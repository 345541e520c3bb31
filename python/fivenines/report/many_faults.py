"""The outages of a run with many faults in few sentences: the worst, and what did no harm."""

from collections.abc import Sequence

from fivenines.analysis.cells import CellResult
from fivenines.analysis.wording import listed, milliseconds

MOST = 6
"""With more faults than these, not each of them gets sentences of its own."""

_WORST = 3


def worst_outages(faults: Sequence[tuple[str, list[CellResult]]]) -> list[str]:
    """A sentence for each solution: after which faults writes were away longest, and after which not.

    `faults`: the label of each and its cells. Of several cells of a solution the longest mean counts.
    """
    solutions = dict.fromkeys(cell.key.solution for _, cells in faults for cell in cells)
    return [sentence for one in solutions if (sentence := _sentence(one, faults))]


def _sentence(solution: str, faults: Sequence[tuple[str, list[CellResult]]]) -> str:
    away: dict[str, float] = {}
    gone: list[str] = []
    calm: list[str] = []
    for label, cells in faults:
        members = [c for c in cells if c.key.solution == solution and c.writes.points]
        if any(cell.writes.not_back for cell in members):
            gone.append(label)
        elif any(cell.writes.noticed for cell in members):
            away[label] = max(cell.writes.summary.mean or 0.0 for cell in members)
        elif members:
            calm.append(label)
    worst = sorted(away, key=lambda label: -away[label])[:_WORST]
    longest = listed([f"{label} ({milliseconds(away[label])})" for label in worst])
    parts = [
        f"writes were away longest after {longest}" if worst else "",
        f"not back in every trial after {listed(gone)}" if gone else "",
        f"not noticeably away after {listed(calm)}" if calm else "",
    ]
    text = "; ".join(part for part in parts if part)
    return f"{solution}: {text}." if text else ""
