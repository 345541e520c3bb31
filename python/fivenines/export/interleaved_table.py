"""The tables `blocks` and `windows`: solutions side by side, loaded in turn."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from fivenines.analysis.interleaved import Window, windows_of
from fivenines.errors import FiveninesError
from fivenines.export.attempts import NamedRun
from fivenines.export.columns import Column, ExportTable, Type
from fivenines.export.keys import moment
from fivenines.results.records import CellKey
from fivenines.results.store import StoredBlock


@dataclass(frozen=True)
class SideRow:
    """One solution of an interleaved comparison; `stored` is None where the interleaved was planned and not run."""

    of: NamedRun
    id: str
    number: int
    cell: CellKey
    stored: StoredBlock | None

    @property
    def status(self) -> str:
        """As of a trial."""
        return self.stored.record.status if self.stored else "missing"


@dataclass(frozen=True)
class WindowRow:
    """A window of one solution of a complete interleaved."""

    of: NamedRun
    id: str
    cell: CellKey
    window: Window


def side_rows(of: NamedRun) -> Iterator[SideRow]:
    """Every solution of every interleaved, the broken and the missing ones, too."""
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
    """The windows of a complete interleaved.

    Raises:
        FiveninesError: they cannot be read.
    """
    if not block.complete:
        return
    try:
        found = windows_of(block)
    except Exception as error:
        raise FiveninesError(f"{block.folder}: its windows cannot be read: {error}") from error
    for window in found:
        cell = block.record.sides[window.side].cell
        yield WindowRow(of, block.record.id, cell, window)


def _keys() -> list[Column[Any]]:
    return [
        Column("run", "VARCHAR", "", "the run, as in `runs`", lambda one: one.of.name),
        Column("interleaved", "VARCHAR", "", "id of the interleaved within the run", lambda one: one.id),
        Column("solution", "VARCHAR", "", "name of the solution", lambda one: one.cell.solution),
        Column("workload", "VARCHAR", "", "name of the workload", lambda one: one.cell.workload),
        Column("connections", "BIGINT", "", "of the load", lambda one: one.cell.connections),
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
    "a solution of an attempt of an interleaved comparison; blocks that were planned and not run are there,"
    " too",
    [
        *_keys(),
        Column("status", "VARCHAR", "", "`complete`, `broken` or `missing`", lambda row: row.status),
        _recorded(
            "attempt", "BIGINT", "", "1, or 2 where the first was broken", lambda one: one.record.attempt
        ),
        _recorded("reason", "VARCHAR", "", "why it is broken", lambda one: one.record.reason or None),
        Column("number", "BIGINT", "", "which interleaved of its group", lambda row: row.number),
        _recorded("started", "TIMESTAMP", "UTC", "when it began", lambda o: moment(o.record.started)),
        _recorded("duration_s", "DOUBLE", "s", "all of it, set-up included", lambda o: o.record.seconds),
        _recorded("window_ms", "DOUBLE", "ms", "length of a window", lambda one: one.record.window_ms),
        _recorded(
            "skip_ms",
            "DOUBLE",
            "ms",
            "the first part of each window, which is left out",
            lambda one: one.record.skip_ms,
        ),
        Column(
            "settings",
            "JSON",
            "",
            "everything that the experiment says of this cell",
            lambda row: row.of.settings(row.cell),
        ),
    ],
)

WINDOWS: ExportTable[WindowRow] = ExportTable(
    "windows",
    "a window of one solution of a complete interleaved",
    [
        *_keys(),
        _window(
            "round",
            "BIGINT",
            "",
            "each solution has one window in it; 0 is the warm-up",
            lambda one: one.round,
        ),
        _window("position", "BIGINT", "", "order of the windows of the interleaved", lambda o: o.position),
        _window(
            "start_ms",
            "DOUBLE",
            "ms",
            "its begin, from the interleaved's first window",
            lambda one: one.start,
        ),
        _window("measured_ms", "DOUBLE", "ms", "from where on it counts", lambda one: one.measured),
        _window("end_ms", "DOUBLE", "ms", "its end", lambda one: one.to),
        _window("tps", "DOUBLE", "1/s", "transactions per second", lambda one: one.tps),
        _window("transactions_ok", "BIGINT", "", "that succeeded in what counts", lambda o: o.ok),
        _window("transactions_failed", "BIGINT", "", "that failed, or are in doubt", lambda o: o.failed),
        *(_latency(name, title) for name, title in _LATENCIES),
        _window(
            "after_ms",
            "DOUBLE",
            "ms",
            "for how long after its end it was still answered",
            lambda one: one.after,
        ),
    ],
)
