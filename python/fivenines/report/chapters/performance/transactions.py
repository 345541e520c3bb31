"""The chapter on transactions: types of transactions, open loops, steps, connecting."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from fivenines.analysis.cells import CellResult
from fivenines.analysis.statistics.means import Summary, scaled, summarise
from fivenines.analysis.wording import (
    NOTHING,
    count,
    listed,
    mean_with_interval,
    milliseconds,
    number,
    percent,
)
from fivenines.report.chapters.data import Data
from fivenines.report.groups import Names, workload_kinds
from fivenines.report.html.section import Section, folded
from fivenines.report.table import Table, right
from fivenines.results.load_parts import Connects, Schedule, Step

# Up to this number tables of transaction types are shown open.
_OPEN = 4


def chapter(data: Data) -> Section:
    """Return figures for each type of transaction; a few tables are open, many are folded away."""
    tables = type_tables(data)
    few = len(tables) <= _OPEN
    loops = [schedule_table(data), step_table(data)]
    drawers = [] if few else folded(*tables)
    drawers += folded(loops[1])
    shown = [loops[0], *(tables if few else [])]
    section = Section("transactions", "Transactions", [], shown, [], drawers)
    return replace(section, texts=[_answer(data, tables)]) if section.filled else section


def _answer(data: Data, tables: Sequence[Table]) -> str:
    """Return in how many cells the load met the offered rate, and its number of types."""
    opened = [cell for cell in data.done if any(t.schedule and t.schedule.open for t in cell.trials)]
    kept = sum(cell.kept for cell in opened)
    parts = [f"the offered rate was met in {kept} of {count(len(opened), 'cell')}"] if opened else []
    types = max((len(cell.types) for cell in data.done), default=0)
    parts += [f"the load has {types} types of transactions"] if tables else []
    return f"{listed(parts).capitalize()}."


_CELL = "Cell"
_PERCENTILES = ("p50", "p95", "p99", "max")


def type_tables(data: Data) -> list[Table]:
    """Return a table for each cell whose workload has several types."""
    kinds = workload_kinds(data.run)
    return [
        _types(cell, data.names, kinds.get(cell.key.workload, ""))
        for cell in data.done
        if len(cell.types) > 1
    ]


def metric_text(cell: CellResult, kind: str) -> str:
    """Return the metric of a benchmark, such as "tpmC 12 300 (12 100 to 12 500)"; "" for others."""
    if kind == "tatp" and cell.tps.n:
        return f"MQTh {mean_with_interval(cell.tps)} transactions/s"
    rates = [one.rate for one in cell.types if one.name == "new_order"]
    if kind == "tpcc" and rates and rates[0].n:
        return f"tpmC {mean_with_interval(scaled(rates[0], 60))}"
    return ""


def schedule_table(data: Data) -> Table:
    """Return offered and achieved rate, and lateness of transactions, of cells with an open loop."""
    columns = [
        _CELL,
        "Offered/s",
        "Successes/s",
        "Rate met",
        "Late start, p50",
        "p99",
        "max",
        "Backlog, max",
        "at the end",
        "Abandoned",
    ]
    rows = [
        [data.names.full(cell.key), *_schedule(cell, schedules)]
        for cell in data.done
        if (schedules := [t.schedule for t in cell.trials if t.schedule and t.schedule.open])
    ]
    caption = "Open loop: offered and achieved rate"
    return Table(caption, columns, rows, 1, right(columns, _CELL))


def step_table(data: Data) -> Table:
    """Return each step of a schedule, over all trials."""
    columns = [
        _CELL,
        "From",
        "To",
        "Offered/s",
        "Connections",
        "Successes/s",
        "Failed",
        "p50",
        "p95",
        "p99",
        "max",
    ]
    rows = [
        [data.names.full(cell.key), *_step(list(same))]
        for cell in data.done
        for same in zip(*(t.steps for t in cell.trials if len(t.steps) > 1), strict=False)
    ]
    return Table("Steps: means of the trials", columns, rows, 1, right(columns, _CELL))


def connect_table(data: Data) -> Table:
    """Return connection times of cells that measured connecting, or in which it failed."""
    columns = [_CELL, "Connected", "Failed", "Refused", "Timed out", "p50", "p99", "max"]
    rows = []
    for cell in data.done:
        connects = [trial.connects for trial in cell.trials if trial.connects]
        burst = any(trial.schedule.burst for trial in cell.trials if trial.schedule)
        if connects and (burst or any(one.failed for one in connects)):
            rows.append([data.names.full(cell.key), *_connects(connects)])
    caption = "Connecting: sums over the trials, means of their times"
    return Table(caption, columns, rows, 1, right(columns, _CELL))


def _types(cell: CellResult, names: Names, kind: str) -> Table:
    columns = ["Transaction", "Per second", "p50", "p95", "p99", "max"]
    counts = {
        "Expected failures": [one.expected for one in cell.types],
        "Failed": [one.failed for one in cell.types],
        "In doubt": [one.in_doubt for one in cell.types],
        "Retries": [one.retries for one in cell.types],
    }
    shown = {heading: values for heading, values in counts.items() if any(values)}
    rows = [
        [
            one.name,
            mean_with_interval(one.rate),
            *(_milli(one.latency[key]) for key in _PERCENTILES),
            *(number(values[index]) for values in shown.values()),
        ]
        for index, one in enumerate(cell.types)
    ]
    metric = metric_text(cell, kind)
    caption = ": ".join(part for part in (names.full(cell.key), metric) if part)
    columns += shown
    return Table(caption, columns, rows, 1, right(columns, "Transaction"))


def _schedule(cell: CellResult, schedules: list[Schedule]) -> list[str]:
    kept = cell.kept_percent
    lags, backlogs = ("lag_p50_us", "lag_p99_us", "lag_max_us"), ("backlog_max", "backlog_end")
    worst = [max(_known(schedules, key), default=None) for key in lags]
    backlog = [max(_known(schedules, key), default=None) for key in (*backlogs, "abandoned")]
    return [
        NOTHING if cell.offered is None else number(cell.offered),
        mean_with_interval(cell.tps),
        NOTHING if kept is None else f"{percent(kept)} %",
        *(NOTHING if lag is None else milliseconds(lag / 1000) for lag in worst),
        *(NOTHING if size is None else number(size) for size in backlog),
    ]


def _step(same: list[Step]) -> list[str]:
    first = same[0]
    achieved = [step.ok / (step.to_s - step.from_s) for step in same if step.to_s > step.from_s]
    times = [_known(same, f"{key}_ms") for key in _PERCENTILES]
    return [
        f"{first.from_s:.3g} s",
        f"{first.to_s:.3g} s",
        NOTHING if first.rate is None else number(first.rate),
        NOTHING if first.connections is None else str(first.connections),
        mean_with_interval(summarise(achieved)),
        number(sum(step.failed for step in same)),
        *(_milli(summarise(values)) for values in times),
    ]


def _connects(connects: list[Connects]) -> list[str]:
    times = [_known(connects, key) for key in ("p50_ms", "p99_ms", "max_ms")]
    sums = [sum(_known(connects, key)) for key in ("ok", "failed", "refused", "timed_out")]
    return [*map(number, sums), *(_milli(summarise(values)) for values in times)]


def _known(records: Sequence[Schedule | Step | Connects], key: str) -> list[Any]:
    """Return the values of an attribute that are not None."""
    return [value for one in records if (value := getattr(one, key)) is not None]


def _milli(summary: Summary) -> str:
    return NOTHING if summary.mean is None else milliseconds(summary.mean)
