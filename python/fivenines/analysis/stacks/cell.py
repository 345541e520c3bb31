"""The client stacks of a cell, over its trials."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fivenines.analysis.cells import CellResult
from fivenines.analysis.figure_cache import cached
from fivenines.analysis.stacks.figures import SILENT, Gap
from fivenines.analysis.stacks.pools import largest, smallest
from fivenines.analysis.stacks.trial import STACKS, Held, StackMeasures
from fivenines.analysis.statistics.means import Summary, summarise, summarise_known
from fivenines.results.store import StoredTrial


@dataclass(frozen=True)
class StackResult:
    """A stack of a cell; times in ms.

    Attributes:
        name: its name.
        trials: number of trials with it.
        gap: its longest time without a commit, from the fault on; lower bounds where it had not ended.
        before: the same in the steady window, before any fault.
        last_worker: the longest such time of any of its workers; lower bounds as well.
        stuck: trials in which a worker had not come back at the end.
        never: those of them in which no worker had.
        workers: the number of its workers.
        died: trials in which its program ended by itself.
        held: trials in which a worker had not come back and connections to a host that was hit were open at
            the end; None: not observed.
        held_ms: how long it held such connections after the fault; lower bounds where it never gave all up.
        failed, in_doubt: attempts, of all trials.
        errors: attempts by stage and code, of all trials, the most frequent first.
        waiting: the largest sampled number of workers without a connection; None: not counted.
        open: the smallest and the largest sampled number of open connections; None: not counted.
        opened: connections opened after the fault.
        read: trials in which its rows were read; `twice`, `by_driver` and `lost` are operations of these.
    """

    name: str
    trials: int
    gap: Summary
    before: Summary
    last_worker: Summary
    stuck: int
    never: int
    workers: int
    died: int
    held: int | None
    held_ms: Summary
    failed: int
    in_doubt: int
    errors: tuple[tuple[str, str, int], ...]
    waiting: int | None
    open: tuple[int, int] | None
    opened: Summary
    read: int
    twice: int
    by_driver: int
    lost: int


def stacks_of(cell: CellResult) -> list[StackResult]:
    """Return the stacks of a cell in the order of the experiment; [] without any."""
    stored = [StoredTrial(trial.folder, trial.record) for trial in cell.trials if trial.record.stacks]
    found: dict[str, list[StackMeasures]] = {}
    for trial in cached(STACKS, stored):
        for one in trial.stacks:
            found.setdefault(one.name, []).append(one)
    return [_result(name, some) for name, some in found.items()]


def _result(name: str, some: Sequence[StackMeasures]) -> StackResult:
    each = [one.figures for one in some]
    held = [one.held for one in some if one.held is not None]
    rows = [one.rows for one in each if one.rows is not None]
    pools = [one.pool for one in some]
    least, most = smallest(pool.least for pool in pools), largest(pool.most for pool in pools)
    errors = Counter[tuple[str, str]]()
    for one in each:
        for stage, code, number in one.errors:
            errors[stage, code] += number
    return StackResult(
        name=name,
        trials=len(some),
        # A last gap that is an ordinary pause is open as well, and is no outage that had not ended.
        gap=_of_gaps([one.gap for one in each], [one.back == 0 for one in each]),
        before=summarise_known(one.before for one in some),
        last_worker=_of_gaps(
            [slowest(one.workers) for one in each], [one.back < len(one.workers) for one in each]
        ),
        stuck=sum(one.back < len(one.workers) for one in each),
        never=sum(one.back == 0 for one in each),
        workers=max((len(one.workers) for one in each), default=0),
        died=sum(one.died is not None for one in some),
        held=sum(_stayed(one) for one in some) if held else None,
        held_ms=_of_held(held),
        failed=sum(one.failed for one in each),
        in_doubt=sum(one.in_doubt for one in each),
        errors=tuple((stage, code, number) for (stage, code), number in errors.most_common()),
        waiting=largest(pool.waiting for pool in pools),
        open=None if least is None or most is None else (least, most),
        opened=summarise_known(pool.created for pool in pools),
        read=len(rows),
        twice=sum(one.twice for one in rows),
        by_driver=sum(one.by_driver for one in rows),
        lost=sum(one.lost for one in rows),
    )


def slowest(gaps: Sequence[Gap]) -> Gap | None:
    """Return the longest gap; one of silence that had not ended is longer than any that had."""
    return max(gaps, key=lambda gap: (gap.open and gap.length >= 1000 * SILENT, gap.length), default=None)


def _of_gaps(gaps: Sequence[Gap | None], away: Sequence[bool]) -> Summary:
    """Summarise gaps; `away`: whether what each belongs to had not come back at the end."""
    known = [(gap, gone) for gap, gone in zip(gaps, away, strict=True) if gap is not None]
    return summarise([gap.length for gap, _ in known], bounds=sum(gap.open and gone for gap, gone in known))


def _stayed(one: StackMeasures) -> bool:
    """Return whether a stack whose workers are missing has connections to a host that was hit."""
    missing = one.figures.back < len(one.figures.workers)
    return missing and one.held is not None and one.held.at_end > 0


def _of_held(held: Sequence[Held]) -> Summary:
    return summarise([one.ms for one in held], bounds=sum(one.open for one in held))


def cells_with_stacks(cells: Sequence[CellResult]) -> Iterator[tuple[CellResult, list[StackResult]]]:
    """Yield the cells that have stacks, with these."""
    for cell in cells:
        if cell.complete and (found := stacks_of(cell)):
            yield cell, found
