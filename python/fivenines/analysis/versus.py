"""Comparison of runs with a baseline: each measure of a cell as a ratio, and other differences.

A ratio is that of the means, with Fieller's interval (see `statistics`). Where several runs are compared
with one baseline, each interval has a level of 1 - 0.05 / k for k runs (Bonferroni; Dunn, J. Am. Stat.
Assoc. 56 (1961) 52): then all k intervals of a measure and cell are valid together with 95 %. There is no
correction over measures and cells. Some of many ratios differ by chance: one in twenty of those whose true
value is 1. So a regression is reported with the number of ratios that were compared.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from fivenines.analysis.cells import CellResult
from fivenines.analysis.environment import Environment, environment
from fivenines.analysis.measured import EVENTS, seen_in, summary_of, values_of
from fivenines.analysis.measures.measure import Value
from fivenines.analysis.measures.measures import MEASURES, USUAL, Measure
from fivenines.analysis.performance.interleaved import InterleavedResult, interleaved_results
from fivenines.analysis.performance.interleaved_changes import Standing, block_summaries, standings
from fivenines.analysis.performance.sweeps import compared
from fivenines.analysis.statistics.means import (
    CONFIDENCE,
    Difference,
    Summary,
    at_confidence,
    compare,
    of_two_runs,
)
from fivenines.analysis.statistics.sides import side_of, too_equal
from fivenines.results.names import run_names
from fivenines.results.records import CellKey
from fivenines.results.store import Run


@dataclass(frozen=True)
class Change:
    """A measure of a cell in a later run against the baseline.

    Attributes:
        key: the cell.
        measure: what is compared.
        difference: the later run (a) against the baseline (b).
        run: the later run.
        interleaved: whether it was measured in blocks; the values are then in `block_summaries`.
        before, after: the values of the trials; empty for an interleaved comparison.
    """

    key: CellKey
    measure: Measure
    difference: Difference
    run: str = ""
    interleaved: bool = False
    before: Sequence[Value] = ()
    after: Sequence[Value] = ()

    @property
    def significant(self) -> bool:
        """Return whether the runs are shown to differ."""
        return self.difference.differs and not too_equal(self.difference)

    @property
    def worse(self) -> bool:
        """Return whether the measure is shown to have become worse."""
        return self.significant and self.measure.more is not None and not self.better

    @property
    def better(self) -> bool:
        """Return whether the measure is shown to have become better."""
        up = (self.difference.absolute or 0.0) > 0
        return self.significant and self.measure.more is up

    def worse_than(self, share: float) -> bool:
        """Return whether the measure is shown to be worse by more than a share, as 0.1 for a tenth."""
        if share == 0 or self.measure.more is None:
            return self.worse
        if self.measure.more:
            return side_of(self.difference, 1 - share) == "below"
        return side_of(self.difference, 1 + share) == "above"


@dataclass(frozen=True)
class Happened:
    """Number of trials of the baseline and of a later run with an undesired event."""

    key: CellKey
    measure: Measure
    before: tuple[int, int]
    after: tuple[int, int]
    run: str = ""

    @property
    def new(self) -> bool:
        """Return whether the baseline looked for the event and never had it."""
        return bool(self.after[0] and self.before[1] and not self.before[0])


@dataclass(frozen=True)
class Versus:
    """Later runs against a baseline.

    Attributes:
        baseline, later: the names of the runs.
        changes: all usual and requested measures that the baseline and a later run have, by cell and run.
        happened: events in the baseline or the later run.
        standings: ratios of solutions in blocks, where both runs had the same comparison.
        lacking: cells of the baseline that a later run lacks, by its name.
        added: cells of a later run that the baseline lacks.
        environment: what else differs; the baseline is the first of its runs.
        confidence: of each interval.
        shared: number of trials and blocks of a later run that are copies of the baseline's, and the total.
    """

    baseline: str
    later: list[str]
    changes: list[Change]
    happened: list[Happened]
    standings: list[Standing]
    lacking: dict[str, list[CellKey]]
    added: dict[str, list[CellKey]]
    environment: Environment
    confidence: float
    shared: dict[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def runs(self) -> list[str]:
        """Return all of them, the baseline first."""
        return [self.baseline, *self.later]


@dataclass(frozen=True)
class _Analysed:
    name: str
    cells: Mapping[CellKey, CellResult]
    blocks: Sequence[InterleavedResult]
    block_figures: Mapping[CellKey, Mapping[str, Summary]]

    @property
    def keys(self) -> list[CellKey]:
        """Of all that can be compared."""
        return list(dict.fromkeys([*self.cells, *self.block_figures]))


def versus(baseline: Run, *later: Run, asked: Sequence[str] = ()) -> Versus:
    """Compare all complete cells and blocks of later runs with those of the baseline.

    Args:
        baseline: the run that the others are compared with.
        later: the others.
        asked: measures in addition to the usual ones; of many measures some would differ by chance.

    Raises:
        UsageError: a run occurs twice.
    """
    runs = [baseline, *later]
    confidence = 1 - (1 - CONFIDENCE) / max(1, len(later))
    old, *new = [_analysed(name, run) for name, run in zip(run_names(runs), runs, strict=True)]
    names = list(dict.fromkeys([*USUAL, *(name for name in asked if MEASURES[name].valued)]))
    return Versus(
        old.name,
        [item.name for item in new],
        [change for item in new for change in _all_changes(old, item, confidence, names)],
        [event for item in new for event in _all_happened(old, item)],
        [
            replace(standing, run=item.name)
            for item in new
            for standing in standings(old.blocks, item.blocks, confidence)
        ],
        {item.name: [key for key in old.keys if key not in item.keys] for item in new},
        {item.name: [key for key in item.keys if key not in old.keys] for item in new},
        environment(runs),
        confidence,
        {item.name: _shared(baseline, run) for item, run in zip(new, later, strict=True)},
    )


def _shared(baseline: Run, later: Run) -> tuple[int, int]:
    """Return the number of complete trials and blocks that two runs share, and their total; copies are
    equal.
    """
    if baseline.manifest.created != later.manifest.created:
        return 0, len(later.complete)
    both = [
        {item.record.id: (item.record, _sizes(item.folder)) for item in run.complete}
        | {block.record.id: (block.record, _sizes(block.folder)) for block in run.blocks if block.complete}
        for run in (baseline, later)
    ]
    common = sum(both[1].get(name) == attempt for name, attempt in both[0].items())
    return common, len({*both[0], *both[1]})


def _sizes(folder: Path) -> dict[str, int]:
    """Return the sizes of an attempt's files, which identify it together with its record."""
    return {path.name: path.stat().st_size for path in folder.iterdir() if path.is_file()}


def _analysed(name: str, run: Run) -> _Analysed:
    blocks = interleaved_results(run)
    cells = {cell.key: cell for cell in compared(run).cells if cell.complete}
    return _Analysed(name, cells, blocks, block_summaries(blocks))


def _all_changes(old: _Analysed, new: _Analysed, confidence: float, names: Sequence[str]) -> Iterator[Change]:
    for key, cell in old.cells.items():
        for name in names if key in new.cells else ():
            yield from _changes(cell, new.cells[key], name, new.name, confidence)
    for key, block_figures in old.block_figures.items():
        for name, then in block_figures.items():
            now = new.block_figures.get(key, {}).get(name)
            if now is not None:
                result = compare(at_confidence(now, confidence), at_confidence(then, confidence))
                yield Change(key, MEASURES[name], result, new.name, interleaved=True)


def _changes(old: CellResult, new: CellResult, name: str, run: str, confidence: float) -> Iterator[Change]:
    then, now = (summary_of(name, cell.trials) for cell in (old, new))
    if then.n and now.n:
        before, after = (
            [value for value in values_of(name, cell.trials) if value is not None] for cell in (old, new)
        )
        now, then = of_two_runs(now, then)
        result = compare(at_confidence(now, confidence), at_confidence(then, confidence))
        yield Change(old.key, MEASURES[name], result, run, before=before, after=after)


def _all_happened(old: _Analysed, new: _Analysed) -> Iterator[Happened]:
    for key, cell in old.cells.items():
        if key not in new.cells:
            continue
        for name in EVENTS:
            then, now = (seen_in(name, item.trials) for item in (cell, new.cells[key]))
            if any(then) or any(now):
                before, after = (sum(then), len(then)), (sum(now), len(now))
                yield Happened(key, MEASURES[name], before, after, new.name)
