"""What a run says on the terminal at its end: a summary, failovers by phase, and what to beware of."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from fivenines.analysis.cells import CellResult
from fivenines.analysis.fault_results import FaultResult
from fivenines.analysis.nines import Availability, assumed_mtbf, availabilities
from fivenines.analysis.sweeps import compared
from fivenines.analysis.wording import NOTHING, count, milliseconds
from fivenines.report import stalls
from fivenines.report.cautions import cautions
from fivenines.report.chapters.data import Data
from fivenines.report.chapters.interleaved import interleaved_answers
from fivenines.report.chapters.invariants import offending_text
from fivenines.report.chapters.nines import OPPOSITE, long_time, nines_text
from fivenines.report.chapters.phases import label_of
from fivenines.report.chapters.sweeps import sweep_answers
from fivenines.report.chapters.wrong import alarms
from fivenines.report.decision import settings_of, verdicts
from fivenines.report.groups import names_of
from fivenines.report.narrow import fitted
from fivenines.report.node_failure import node_failure
from fivenines.report.overview import overview
from fivenines.report.run_answers import run_answers
from fivenines.report.summary import Row, cell_rows
from fivenines.results.store import Run, opened

_CONDITIONS = ("Workload", "Connections", "Network", "Fault")
"""Columns that are said once when all rows agree, and else above the rows that do."""

_MUST = ("Transactions/s", "Outage, writes", "Lost rows", "Split brain", "Not back")
"""What a table has to say, whatever else there is room for."""

_NAMES = ("Solution", "What broke")
"""Columns of names, whose words may go to further lines."""

_SHORT = {"Transactions/s": "Trans./s", "Outage, new connections": "Outage, new connects"}
"""Headings that would break their words in a narrow column, where not all columns are shown."""


@dataclass(frozen=True)
class Block:
    """Lines, and a table below them, where it has columns.

    Attributes:
        lines: above the table.
        columns, rows: the table.
        groups: what stands above rows that belong together, one for each row; empty: nothing does.
        left_out: columns that there was no room for.
        names: columns of names, whose words may go to further lines.
        alarm: it must not be overlooked.
    """

    lines: Sequence[str] = ()
    columns: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    names: Sequence[str] = _NAMES
    alarm: bool = False


def blocks(run: Run | Path, width: int, wide: bool = False) -> list[Block]:
    """All that is said, one below the other, for a terminal of `width` characters; [] of an empty run.

    With `wide` the tables have all columns, their figures in full.

    Raises:
        FiveninesError: the folder is no run, or of another version.
    """
    found = opened(run)
    swept = compared(found)
    measured = swept.planned
    blocks = Block([answer.text for answer in interleaved_answers(found)])
    rows = cell_rows(swept.cells)
    if not rows:
        return [blocks] if blocks.lines else []
    done = [cell for cell in measured if cell.complete]
    data = Data(found, swept, run_answers(found, swept))
    splits = [f"SPLIT BRAIN: {text}" for text in alarms(measured)]
    return [
        _decision(data),
        blocks,
        _alone(_summary(rows, width, wide)) if data.blocks else _summary(rows, width, wide),
        _failovers(_fault_rows(found, swept.cells), width, wide),
        Block([answer.text for answer in sweep_answers(swept)]),
        Block(stalls.sentences(done)),
        # of all variants of a sweep, not of the best ones alone, which the tables show
        Block(splits, alarm=True),
        Block(_violations(found), alarm=True),
    ]


def _decision(data: Data) -> Block:
    """Which one to take, what to beware of, and why."""
    found = verdicts(data.run, data.swept, settings_of(data.run), data.blocks)
    lines = [*overview(found), *node_failure(found, data.done)]
    return Block([*lines[:1], *(f"⚠ {text}" for text in cautions(found, data)), *lines[1:]])


def summary_rows(run: Run | Path) -> list[Row]:
    """One row for each cell, in the order of the experiment; only columns that say something.

    Raises:
        FiveninesError: the folder is no run, or of another version.
    """
    return cell_rows(compared(opened(run)).cells)


def failover_rows(run: Run | Path) -> list[Row]:
    """One row for each fault of each cell: the mean of each phase; nines where an MTBF is assumed.

    Raises:
        FiveninesError: the folder is no run, or of another version.
    """
    found = opened(run)
    return _fault_rows(found, compared(found).cells)


def _summary(rows: list[Row], width: int, wide: bool) -> Block:
    shared = [name for name in rows[0] if name in _CONDITIONS and _alike(rows, name)]
    line = ", ".join(f"{name.lower()} {rows[0][name]}" for name in shared)
    varying = [name for name in _CONDITIONS if name in rows[0] and name not in shared]
    rows, groups = _grouped(
        rows, [", ".join(_condition(name, row[name]) for name in varying) for row in rows]
    )
    lines = [line] if line else []
    return _block(lines, rows, [*shared, *varying], groups, width, wide)


def _alone(block: Block) -> Block:
    """Where blocks compare the speed, the rates of trials are headed so that nobody compares by them."""
    rates = ("Transactions/s", "Trans./s")
    return replace(block, columns=["Trans./s alone" if one in rates else one for one in block.columns])


def _grouped(rows: list[Row], groups: list[str]) -> tuple[list[Row], list[str]]:
    """Rows with the same conditions one below the other, so that solutions can be compared."""
    order = list(dict.fromkeys(groups))
    both = sorted(zip(rows, groups, strict=True), key=lambda pair: order.index(pair[1]))
    return [row for row, _ in both], [group for _, group in both]


def _condition(name: str, value: str) -> str:
    """A condition without its column's heading: "oltp_read_only", "8 connections", "network wan"."""
    if name == "Workload":
        return value
    if name == "Connections":
        return count(int(value), "connection")
    return f"{name.lower()} {value}"


def _failovers(rows: list[Row], width: int, wide: bool) -> Block:
    if not rows:
        return Block()
    lines = ["", "Failovers by phase, means of the trials whose load wrote again:"]
    without = ["What broke"] if _alike(rows, "What broke") else []
    rows, groups = _grouped(rows, [row.get("Conditions", "") for row in rows])
    return _block(lines, rows, [*without, "Conditions"], groups, width, wide)


def _block(
    lines: list[str], rows: list[Row], without: Sequence[str], groups: list[str], width: int, wide: bool
) -> Block:
    """The rows below the lines, without some columns; in a width as many as fit, one line for each row."""
    if wide:
        columns = [name for name in rows[0] if name not in without]
        return Block(lines, columns, [[row[name] for name in columns] for row in rows], groups)
    table = fitted(rows, without, _MUST, _NAMES, width)
    headings = [_SHORT.get(name, name) if table.left_out else name for name in table.columns]
    return Block(lines, headings, table.rows, groups, table.left_out)


def _alike(rows: list[Row], name: str) -> bool:
    return all(row[name] == rows[0][name] for row in rows)


def _fault_rows(run: Run, cells: Sequence[CellResult]) -> list[Row]:
    done = [cell for cell in cells if cell.complete]
    names = names_of(done)
    single = iter(availabilities(done, assumed_mtbf(run)))
    rows = []
    for cell in done:
        for fault in cell.faults:
            known = next(single) if fault.writes.total.mean is not None else None
            rows.append(
                {"Solution": cell.key.solution}
                | {"Conditions": names.label(cell.key), "What broke": label_of(cell, fault)}
                | _fault_row(fault, known)
            )
    return [{name: row[name] for name in row if _says(rows, name)} for row in rows]


def _fault_row(fault: FaultResult, known: Availability | None) -> Row:
    row = {phase.name.capitalize(): _mean(fault, phase.name) for phase in fault.phases}
    row["Not back"] = f"{fault.not_recovered} of {fault.trials}" if fault.not_recovered else NOTHING
    nines = known.nines if known else None
    downtime = known.downtime if known else None
    limit = known.bound if known else ""
    row["Nines"] = NOTHING if nines is None else f"{limit} {nines_text(nines.value)}".strip()
    row["Downtime a year"] = (
        NOTHING if downtime is None else f"{OPPOSITE[limit]} {long_time(downtime.value)}".strip()
    )
    return row


def _mean(fault: FaultResult, name: str) -> str:
    phase = fault.phase(name)
    if not phase.seen or phase.summary.mean is None:
        return NOTHING
    text = milliseconds(phase.summary.mean)
    return f"at least {text}" if phase.summary.bounds else text


def _says(rows: list[Row], name: str) -> bool:
    """Whether a column says anything in some row; columns of phases stay."""
    optional = ("Conditions", "Client", "Not back", "Nines", "Downtime a year")
    return name not in optional or any(row[name] not in ("", NOTHING) for row in rows)


def _violations(run: Run) -> list[str]:
    """Violated invariants of all trials, the rows named."""
    return [
        f"{trial.record.id} {trial.record.cell.solution}: VIOLATED: {check.name} ({check.source}):"
        f" {offending_text(check)}"
        for trial in run.complete
        for check in trial.record.invariants
        if check.status == "violated"
    ]
