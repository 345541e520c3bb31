"""Tables of a block, from the files of its loads."""

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from fivenines.base.errors import FiveninesError
from fivenines.experiment.interleaved_plan import Window
from fivenines.lab.lab import remove_tree
from fivenines.results import layout, store
from fivenines.results.load_summary import LoadSummary

Row = tuple[Any, ...]


def keep_side(load: Path, folder: Path) -> None:
    """Move the time line and the latencies of one solution's load into the folder of its side."""
    folder.mkdir(exist_ok=True)
    store.csv_to_parquet(load / "timeline.csv", store.table_path(folder, "timeline"), "timeline")
    (load / layout.LATENCY).rename(folder / layout.LATENCY)
    remove_tree(load)


def keep_usage(part: Path) -> None:
    """Convert the file of usage to its table."""
    source = part / "usage.csv"
    store.csv_to_parquet(source, store.table_path(part, "usage"), "usage")
    source.unlink()


def keep_windows(
    plan: Sequence[Window], results: Sequence[LoadSummary], starts: Sequence[float], part: Path
) -> None:
    """Write the table `windows`: the plan together with each load's results.

    Args:
        plan: all windows in order.
        results: summary of each solution's load.
        starts: t = 0 of each load in ms since the block's first window.
        part: the block's folder, with the time line of each solution.

    Raises:
        FiveninesError: a load did not run in all of its windows.
    """
    source = part / "windows.csv"
    with source.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(layout.TABLES["windows"])
        rows = [row for side in range(len(results)) for row in _rows(side, plan, results, starts, part)]
        writer.writerows(sorted(rows))
    store.csv_to_parquet(source, store.table_path(part, "windows"), "windows")
    source.unlink()


def _rows(
    side: int, plan: Sequence[Window], results: Sequence[LoadSummary], starts: Sequence[float], part: Path
) -> Iterator[Row]:
    own = [(position, window) for position, window in enumerate(plan) if window.index == side]
    done = results[side].windows
    if len(done) != len(own):
        raise FiveninesError(
            f"a load ran in {len(done)} of its {len(own)} windows: see the logs of solution {side + 1}"
        )
    busy = _busy_slots(part / str(side), starts[side])
    nexts = [window.start * 1000 for _, window in own[1:]] + [float("inf")]
    for (position, window), result, following in zip(own, done, nexts, strict=True):
        to_ms = starts[side] + result.to_s * 1000
        late = [slot for slot in busy if to_ms < slot < following]
        times = result.latency_ms
        yield (
            position,
            window.round,
            side,
            round(window.start * 1000, 3),
            round(starts[side] + result.from_s * 1000, 3),
            round(to_ms, 3),
            result.ok,
            result.expected,
            result.failed,
            times.mean,
            times.p50,
            times.p95,
            times.p99,
            times.max,
            round(max(late) - to_ms, 3) if late else 0.0,
        )


def _busy_slots(folder: Path, start: float) -> list[float]:
    """Return the ends of the slots in which the load had an answer, in ms since the block's first window."""
    with store.reader() as connection:
        rows = connection.execute(
            "SELECT slot_ms FROM read_parquet(?) WHERE source = 'load' AND queries_ok > 0",
            [str(store.table_path(folder, "timeline"))],
        ).fetchall()
    return [start + slot + layout.SLOT_MS for (slot,) in rows]
