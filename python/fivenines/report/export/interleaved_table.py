"""The tables `blocks` and `windows` of interleaved comparisons."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from fivenines.analysis.measures.measures import MEASURES
from fivenines.analysis.performance.interleaved import Window, windows_of
from fivenines.base.errors import FiveninesError
from fivenines.report.export.attempts import NamedRun
from fivenines.report.export.columns import Column, ExportTable, Type
from fivenines.report.export.keys import moment
from fivenines.results.records import CellKey
from fivenines.results.store import StoredBlock


@dataclass(frozen=True)
class SideRow:
    """A solution of a block; `stored` is None if the block was planned but not run."""

    of: NamedRun
    id: str
    number: int
    cell: CellKey
    stored: StoredBlock | None

    @property
    def status(self) -> str:
        """Return `complete`, `broken` or `missing`."""
        return self.stored.record.status if self.stored else "missing"


@dataclass(frozen=True)
class WindowRow:
    """A window of one solution of a complete block."""

    of: NamedRun
    id: str
    cell: CellKey
    window: Window


def side_rows(of: NamedRun) -> Iterator[SideRow]:
    """Yield every solution of every block, including broken and missing blocks."""
    planned = {one.id: one for one in of.run.manifest.blocks}
    for stored in of.run.blocks:
        record = stored.record
        cells = [side.cell for side in record.sides]
        if not cells and record.id in planned:
            cells = planned[record.id].cells
        for cell in cells:
            yield SideRow(of, record.id, record.number, cell, stored)
    tried = {stored.record.id for stored in of.run.blocks}
    for one in of.run.manifest.blocks:
        for cell in one.cells if one.id not in tried else ():
            yield SideRow(of, one.id, one.number, cell, None)


def window_rows(of: NamedRun, block: StoredBlock) -> Iterator[WindowRow]:
    """Yield the windows of a complete block.

    Raises:
        FiveninesError: the windows cannot be read.
    """
    if not block.complete:
        return
    try:
        windows = windows_of(block)
    except Exception as error:
        raise FiveninesError(f"{block.folder}: its windows cannot be read: {error}") from error
    for window in windows:
        cell = block.record.sides[window.side].cell
        yield WindowRow(of, block.record.id, cell, window)


def _keys() -> list[Column[Any]]:
    return [
        Column("run", "VARCHAR", "", "the run, as in `runs`", lambda one: one.of.name),
        Column("block", "VARCHAR", "", "id of the block within the run", lambda one: one.id),
        Column("solution", "VARCHAR", "", "name of the solution", lambda one: one.cell.solution),
        Column("workload", "VARCHAR", "", "name of the workload", lambda one: one.cell.workload),
        Column("connections", "BIGINT", "", "connections of the load", lambda one: one.cell.connections),
        Column("network", "VARCHAR", "", "name of the network", lambda one: one.cell.network),
    ]


def _recorded(
    name: str, kind: Type, unit: str, meaning: str, get: Callable[[StoredBlock], Any]
) -> Column[SideRow]:
    return Column(name, kind, unit, meaning, lambda row: get(row.stored) if row.stored else None)


def _window(
    name: str, kind: Type, unit: str, meaning: str, get: Callable[[Window], Any]
) -> Column[WindowRow]:
    return Column(name, kind, unit, meaning, lambda row: get(row.window))


_LATENCIES = (("mean", "mean"), ("p50", "median"), ("p95", "95th percentile"), ("p99", "99th percentile"))


def _latency(name: str, title: str) -> Column[WindowRow]:
    meaning = f"response time ({title})"
    return _window(f"latency_{name}_ms", "DOUBLE", "ms", meaning, lambda one: one.latency[name])


BLOCKS: ExportTable[SideRow] = ExportTable(
    "blocks",
    "a solution of an attempt of a block, including blocks that were planned but not run",
    [
        *_keys(),
        Column("status", "VARCHAR", "", "`complete`, `broken` or `missing`", lambda row: row.status),
        _recorded("attempt", "BIGINT", "", "1, or 2 if the first was broken", lambda one: one.record.attempt),
        _recorded("reason", "VARCHAR", "", "why it is broken", lambda one: one.record.reason or None),
        Column("number", "BIGINT", "", "number of the block within its group", lambda row: row.number),
        _recorded("started", "TIMESTAMP", "UTC", "start of the block", lambda o: moment(o.record.started)),
        _recorded("duration_s", "DOUBLE", "s", "duration, including set-up", lambda o: o.record.seconds),
        _recorded("window_ms", "DOUBLE", "ms", "length of a window", lambda one: one.record.window_ms),
        _recorded(
            "skip_ms",
            "DOUBLE",
            "ms",
            "first part of each window, which is left out",
            lambda one: one.record.skip_ms,
        ),
        Column("settings", "JSON", "", "all settings of this cell", lambda row: row.of.settings(row.cell)),
    ],
)

_TPS = MEASURES["tps"]

WINDOWS: ExportTable[WindowRow] = ExportTable(
    "windows",
    "a window of one solution of a complete block",
    [
        *_keys(),
        _window(
            "round",
            "BIGINT",
            "",
            "round, with one window of each solution; 0 is the warm-up",
            lambda one: one.round,
        ),
        _window("position", "BIGINT", "", "position of the window within the block", lambda o: o.position),
        _window("start_ms", "DOUBLE", "ms", "start, from the block's first window", lambda one: one.start),
        _window("measured_ms", "DOUBLE", "ms", "start of the measured part", lambda one: one.measured),
        _window("end_ms", "DOUBLE", "ms", "end", lambda one: one.to),
        _window(_TPS.column, "DOUBLE", _TPS.unit, _TPS.noun, lambda one: one.tps),
        _window(
            "transactions_ok", "BIGINT", "", "successful transactions of the measured part", lambda o: o.ok
        ),
        _window(
            "transactions_failed",
            "BIGINT",
            "",
            "transactions that failed or are in doubt",
            lambda o: o.failed,
        ),
        *(_latency(name, title) for name, title in _LATENCIES),
        _window(
            "after_ms",
            "DOUBLE",
            "ms",
            "time after its end in which transactions still completed",
            lambda one: one.after,
        ),
    ],
)
