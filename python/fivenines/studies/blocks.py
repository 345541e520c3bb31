"""Figures of the blocks of an interleaved comparison, for the tests of claims.

A block deploys all solutions, and is to claims what a trial is elsewhere: it gives one value of each
solution, the geometric mean of its windows. Windows of a block say more about this deployment, and nothing
about the next one, so a claim is judged by the spread of blocks alone. The values of a block are paired, as
what the machine does to it affects all of its solutions.
"""

from collections.abc import Iterable

from fivenines.analysis.performance.interleaved import Window, block_mean, windows_of
from fivenines.analysis.performance.load import bottleneck
from fivenines.analysis.statistics.means import summarise
from fivenines.analysis.statistics.sequential import at_level, nominal_of_blocks
from fivenines.analysis.wording import count
from fivenines.results.records import CellKey
from fivenines.results.store import Run, StoredBlock
from fivenines.studies.claims.figures import Sample, TrialValue
from fivenines.studies.client_limited import Limited, mostly_limited
from fivenines.studies.measures import BLOCK_MEASURES

# Maximum share of failed transactions without a fault: with more, rates describe failures.
FEW_FAILED = 0.01


class BlockFigures:
    """Figures of a run's complete blocks."""

    def __init__(self, run: Run) -> None:
        self._nominal = nominal_of_blocks(run)
        self._blocks = [(block, windows_of(block)) for block in run.blocks if block.complete]

    def sample(self, measure: str, key: CellKey, part: str, limited: Limited = "hinder") -> Sample:
        """Return the value of each block that has a cell; the cell has no fault.

        Blocks are left out whole, so that the others stay paired.
        """
        name = BLOCK_MEASURES[measure]
        own = [
            (block, windows, place)
            for block, windows in self._blocks
            if (place := _place(block, key)) is not None
        ]
        if not own:
            return Sample(missing="no block is complete", source=part, unit="block")
        if limited == "leave out":
            free = [item for item in own if not any(_busy(item[0]))]
            if reason := mostly_limited(len(own) - len(free), len(own)):
                return Sample(missing=reason, source=part, unit="block")
            own = free
        means = [(block.record.id, block_mean(windows, place, name)) for block, windows, place in own]
        values = tuple(TrialValue(f"{part}/{block}", mean) for block, mean in means if mean is not None)
        if len(values) < len(own):
            missing = f"windows of {part} have too few answers for {measure}"
            return Sample(missing=missing, source=part, unit="block")
        busy = sum(_busy(block)[place] for block, _, place in own)
        failing = sum(_failed(windows, place) > FEW_FAILED for _, windows, place in own)
        blocks = count(len(own), "block")
        summary = summarise([item.value for item in values])
        return Sample(
            summary if self._nominal is None else at_level(summary, self._nominal),
            values,
            f"the client was the bottleneck in {busy} of {blocks}" if busy else "",
            f"more than {100 * FEW_FAILED:.0f} % of transactions failed in {failing} of {blocks}"
            if failing
            else "",
            source=part,
            unit="block",
        )


def _place(block: StoredBlock, key: CellKey) -> int | None:
    """Return the place of a cell among the sides of a block; None: it has no such side."""
    cells = [side.cell for side in block.record.sides]
    return cells.index(key) if key in cells else None


def _busy(block: StoredBlock) -> list[bool]:
    """Return for each side of a block whether the client was the bottleneck."""
    return [bool(bottleneck(side.load, watched=True)) for side in block.record.sides]


def _failed(windows: Iterable[Window], side: int) -> float:
    """Return the share of failed transactions in a solution's windows."""
    own = [item for item in windows if item.round and item.side == side]
    failed = sum(item.failed for item in own)
    return failed / (failed + sum(item.ok for item in own)) if failed else 0.0
