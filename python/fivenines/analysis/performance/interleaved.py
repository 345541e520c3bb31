"""Interleaved blocks of a run: solutions compared in windows, figures of each window, and their ratios."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import fmean
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from fivenines.analysis.performance.interleaved_ratio import Ratio, ratio_of
from fivenines.analysis.statistics.means import CONFIDENCE, Difference, Summary
from fivenines.analysis.statistics.sequential import nominal_of_blocks
from fivenines.results import store
from fivenines.results.records import CellKey
from fivenines.results.store import Run, StoredBlock

THROUGHPUT = "throughput"
# Compared response times: mean and quantiles of the answers in a window.
RESPONSE = ("mean", "p50", "p95", "p99")

# A window's quantile counts with this many answers beyond it; with fewer it is mostly chance.
_BEYOND = 10

_SHARES = {"mean": 0.0, "p50": 0.5, "p95": 0.95, "p99": 0.99}

_COLUMNS = (
    "position",
    "round",
    "side",
    "from_ms",
    "measured_ms",
    "to_ms",
    "ok",
    "failed",
    "mean_ms",
    "p50_ms",
    "p95_ms",
    "p99_ms",
    "after_ms",
)


@dataclass(frozen=True)
class Window:
    """A window of one solution; round 0 is the warm-up. Times in ms since the block's first window."""

    position: int
    round: int
    side: int
    start: float
    measured: float
    to: float
    ok: int
    failed: int
    latency: dict[str, float | None]
    after: float

    @property
    def tps(self) -> float:
        """Transactions per second of its measured part."""
        return 1000 * self.ok / (self.to - self.measured)


# A figure of a solution's own windows, and of the windows of others; None: not observed.
Observed: TypeAlias = tuple[float | None, float | None]


@dataclass(frozen=True)
class Side:
    """One solution over all windows of its blocks.

    Attributes:
        key: the cell, without a fault.
        tps: mean transactions per second of the solution's windows.
        latency: means of the windows' response times in ms; quantiles with too few answers are absent.
        failed: transactions that failed or are in doubt, in the measured parts.
        cpu: mean cores used by the solution's hosts.
        written: bytes per second to storage.
        after: the longest time in ms in which transactions were still answered after a window.
        late: number of windows for which that exceeds the excluded start of the next window.
        empty: number of windows without any answer.
    """

    key: CellKey
    tps: float
    latency: dict[str, float]
    failed: int
    cpu: Observed
    written: Observed
    after: float
    late: int
    empty: int


@dataclass(frozen=True)
class Pair:
    """Comparison of a with b: the ratio a / b of each comparable measure."""

    a: CellKey
    b: CellKey
    ratios: dict[str, Ratio]


@dataclass(frozen=True)
class InterleavedResult:
    """All blocks of one group: solutions under the same workload, connections and network."""

    sides: list[Side]
    pairs: list[Pair]
    complete: int
    planned: int
    rounds: int
    window_ms: float
    skip_ms: float
    # Windows of each complete block in order, including the warm-up.
    windows: list[list[Window]]

    def pair(self, a: CellKey, b: CellKey) -> Pair:
        """Return the pair of two solutions, in either order."""
        for pair in self.pairs:
            if (pair.a, pair.b) == (a, b):
                return pair
            if (pair.a, pair.b) == (b, a):
                return Pair(a, b, {name: ratio.inverse for name, ratio in pair.ratios.items()})
        raise KeyError(f"{a.solution} and {b.solution} were not compared in blocks")

    @property
    def ranked(self) -> list[Side]:
        """Return the sides, fastest first."""
        return sorted(self.sides, key=lambda side: side.tps, reverse=True)


def interleaved_results(run: Run) -> list[InterleavedResult]:
    """Return the results of each group with a complete block, in the order of the plan."""
    groups: dict[tuple[CellKey, ...], list[StoredBlock]] = {}
    planned: dict[tuple[CellKey, ...], int] = {}
    for block in run.manifest.blocks:
        group = tuple(block.cells)
        groups.setdefault(group, [])
        planned[group] = planned.get(group, 0) + 1
    for stored in run.blocks:
        if stored.complete:
            groups.setdefault(tuple(side.cell for side in stored.record.sides), []).append(stored)
    level = nominal_of_blocks(run) or CONFIDENCE
    return [
        _result(list(keys), blocks, planned.get(keys, len(blocks)), level)
        for keys, blocks in groups.items()
        if blocks
    ]


def difference(ratio: Ratio) -> Difference:
    """Return the ratio as a difference in shares of b, which `analysis.wording` has words for."""
    a = Summary(ratio.rounds, ratio.ratio, confidence=ratio.confidence)
    b = Summary(ratio.rounds, 1.0, confidence=ratio.confidence)
    if ratio.low is None or ratio.high is None:
        return Difference(a, b, ratio.ratio - 1, ratio=ratio.ratio, confidence=ratio.confidence)
    return Difference(
        a,
        b,
        ratio.ratio - 1,
        ratio.low - 1,
        ratio.high - 1,
        float(ratio.df),
        ratio.ratio,
        ratio.low,
        ratio.high,
        ratio.confidence,
    )


def _result(
    keys: list[CellKey], blocks: Sequence[StoredBlock], planned: int, level: float
) -> InterleavedResult:
    windows = [windows_of(block) for block in blocks]
    usage = [_rows(block, "usage", "position, side, cpu_s, written_bytes") for block in blocks]
    record = blocks[0].record
    counted = [[item for item in block if item.round] for block in windows]
    pairs = [
        Pair(keys[a], keys[b], ratios_of(counted, a, b, level)) for a, b in combinations(range(len(keys)), 2)
    ]
    return InterleavedResult(
        [_side(key, n, counted, windows, usage, record.skip_ms) for n, key in enumerate(keys)],
        pairs,
        len(blocks),
        planned,
        sum(len({item.round for item in block}) for block in counted),
        record.window_ms,
        record.skip_ms,
        windows,
    )


def windows_of(block: StoredBlock) -> list[Window]:
    """Return the windows of a complete block in order, including the warm-up."""
    return [
        Window(
            position,
            number,
            side,
            start,
            measured,
            to,
            ok,
            failed,
            dict(zip(RESPONSE, latency, strict=True)),
            after,
        )
        for position, number, side, start, measured, to, ok, failed, *latency, after in _rows(
            block, "windows", ", ".join(_COLUMNS)
        )
    ]


def block_mean(windows: Sequence[Window], side: int, name: str) -> float | None:
    """Return the geometric mean of a measure over a solution's windows of a block.

    The ratio of two solutions' means is then the mean ratio of the rounds. None without windows, or if one
    has too few answers for the measure.
    """
    own = [item for item in windows if item.round and item.side == side]
    if not own or (name != THROUGHPUT and _measured(own, name) is None):
        return None
    return math.exp(fmean(math.log(_value(item, name)) for item in own))


def _rows(block: StoredBlock, table: str, columns: str) -> list[Any]:
    path = store.table_path(block.folder, table)
    with store.reader() as connection:
        sql = f"SELECT {columns} FROM read_parquet(?) ORDER BY position"
        return connection.execute(sql, [str(path)]).fetchall()


def _side(
    key: CellKey,
    n: int,
    counted: Sequence[Sequence[Window]],
    windows: Sequence[Sequence[Window]],
    usage: Sequence[Sequence[tuple[int, int, float, int]]],
    skip_ms: float,
) -> Side:
    own = [item for block in counted for item in block if item.side == n]
    latency = {name: fmean(values) for name in RESPONSE if (values := _measured(own, name)) is not None}
    cpu, written = _used(n, windows, usage)
    return Side(
        key,
        fmean(item.tps for item in own),
        latency,
        sum(item.failed for item in own),
        cpu,
        written,
        max(item.after for item in own),
        sum(item.after > skip_ms for item in own),
        sum(not item.ok for item in own),
    )


def _used(
    n: int, windows: Sequence[Sequence[Window]], usage: Sequence[Sequence[tuple[int, int, float, int]]]
) -> tuple[Observed, Observed]:
    """Return cores and bytes per second of one solution in its windows, and in the windows of others."""
    # Other windows come first, the solution's windows second.
    seconds, cpu, written = (np.zeros(2) for _ in range(3))
    for block, used in zip(windows, usage, strict=True):
        turns = {item.position: item for item in block if item.round}
        for position, side, cpu_s, bytes_ in used:
            if side == n and position in turns:
                turn = turns[position]
                mine = int(turn.side == n)
                seconds[mine] += (turn.to - turn.start) / 1000
                cpu[mine] += cpu_s
                written[mine] += bytes_

    def rates(total: npt.NDArray[np.float64]) -> Observed:
        others, own = (float(sum_ / s) if s else None for sum_, s in zip(total, seconds, strict=True))
        return own, others

    return rates(cpu), rates(written)


def ratios_of(
    counted: Sequence[Sequence[Window]], a: int, b: int, level: float = CONFIDENCE
) -> dict[str, Ratio]:
    """Return the ratio of each measure that was measured in all windows of both.

    `level` is that of each interval, where those of all looks together have 95 %, see `sequential`.
    """
    result = {}
    for name in (THROUGHPUT, *RESPONSE):
        both = [item for block in counted for item in block if item.side in (a, b)]
        if name != THROUGHPUT and _measured(both, name) is None:
            continue
        ratio = ratio_of([list(_logarithms(block, a, b, name)) for block in counted], level)
        if ratio is not None:
            result[name] = replace(ratio, confidence=CONFIDENCE)
    return result


def _logarithms(block: Sequence[Window], a: int, b: int, name: str) -> Iterator[float]:
    """Yield the logarithm of a / b in each round, in order."""
    for number in sorted({item.round for item in block}):
        turns = {item.side: item for item in block if item.round == number}
        if a in turns and b in turns:
            yield math.log(_value(turns[a], name)) - math.log(_value(turns[b], name))


def _value(window: Window, name: str) -> float:
    """Return the compared value; a window without an answer counts as one with half an answer."""
    if name == THROUGHPUT:
        return 1000 * max(window.ok, 0.5) / (window.to - window.measured)
    return max(window.latency[name] or 0.0, 1e-6)


def _measured(windows: Sequence[Window], name: str) -> list[float] | None:
    """Return the values of a response time; None unless each window has enough answers for it."""
    least = max(1.0, _BEYOND / (1 - _SHARES[name])) if name != "mean" else 1.0
    values = [window.latency[name] for window in windows if window.ok >= least]
    known = [value for value in values if value is not None]
    return known if known and len(known) == len(windows) else None
