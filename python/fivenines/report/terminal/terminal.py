"""Summarise a run for the terminal: on one screen the recommendation, a table, cautions and alarms."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fivenines.analysis.availability.fault_results import FaultResult
from fivenines.analysis.availability.nines import Availability, assumed_mtbf, availabilities
from fivenines.analysis.cells import CellResult
from fivenines.analysis.measures.measures import title
from fivenines.analysis.performance.sweeps import compared
from fivenines.analysis.troubles import trouble_results
from fivenines.analysis.wording import NOTHING, count, milliseconds, number
from fivenines.report.chapters.availability.nines import OPPOSITE, long_time, nines_text
from fivenines.report.chapters.availability.phases import label_of
from fivenines.report.chapters.availability.severity import severity_answers
from fivenines.report.chapters.availability.tolerance import tolerance_answers
from fivenines.report.chapters.consistency.invariants import offending_text
from fivenines.report.chapters.consistency.truth import differing_answers
from fivenines.report.chapters.data import Data
from fivenines.report.chapters.performance.interleaved import interleaved_answers
from fivenines.report.chapters.performance.sweeps import sweep_answers
from fivenines.report.chapters.problems import alarms
from fivenines.report.groups import names_of
from fivenines.report.sentences import stalls
from fivenines.report.sentences.cautions import cautions
from fivenines.report.sentences.decision import Verdict, settings_of, verdicts
from fivenines.report.sentences.node_failure import node_failure
from fivenines.report.sentences.overview import overview
from fivenines.report.sentences.run_answers import run_answers
from fivenines.report.terminal.narrow import fitted
from fivenines.report.terminal.summary import Row, cell_rows
from fivenines.results.store import Run, opened

# Columns that become a line above the table, or above each group of rows with the same values.
_CONDITIONS = ("Workload", "Connections", "Network", "Fault")

# Columns that take precedence in a narrow terminal.
_MUST = (
    *(title("tps"), "Trans./s alone", title("outage_writes"), title("lost"), title("split_brain")),
    "Not recovered",
)

# Columns of names, whose words may wrap.
_NAMES = ("Solution", "Fault")

# Shorter headings for narrow columns.
_SHORT = {title("tps"): "Trans./s", title("outage_connections"): "Outage, new connects"}


@dataclass(frozen=True)
class Block:
    """Lines with a table below them.

    Attributes:
        lines: lines above the table.
        columns, rows: the table; without columns there is none.
        groups: for each row, the heading of its group; empty without groups.
        left_out: columns without room.
        names: columns of names, whose words may wrap.
        alarm: whether to highlight the lines.
    """

    lines: Sequence[str] = ()
    columns: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    names: Sequence[str] = _NAMES
    alarm: bool = False


def blocks(run: Run | Path, width: int, wide: bool = False) -> list[Block]:
    """Return all blocks for a terminal of `width` characters; [] for an empty run.

    With `wide` the tables have all columns and full figures, and details follow.

    Raises:
        FiveninesError: the folder is not a run, or has another version.
    """
    stored = opened(run)
    swept = compared(stored)
    measured = swept.planned
    rows = cell_rows(swept.cells)
    if not rows:
        every = (
            severity_answers(stored, swept),
            interleaved_answers(stored),
            tolerance_answers(stored, swept),
        )
        found = [Block([answer.text for answer in answers]) for answers in every]
        return [block for block in found if block.lines]
    data = Data(stored, swept, run_answers(stored, swept))
    decided = verdicts(stored, swept, settings_of(stored), data.blocks)
    shown = [
        Block([answer.text for answer in data.answers if answer.topic == "Dead zones"]),
        Block(overview(decided)),
        _summary(_rates(rows, data), width, wide),
        Block([answer.text for answer in sweep_answers(swept)]),
        Block([answer.text for answer in data.answers if answer.topic in ("In turn", "Hiccups")]),
        Block([answer.text for answer in data.answers if answer.chapter == "isolation"]),
        Block(_applications(data)),
        Block([f"⚠ {text}" for text in cautions(decided, data, _CAUTIONS)]),
        # Alarms cover all variants of a sweep; the tables show only the best ones.
        Block(_without_effect(stored, measured), alarm=True),
        Block([f"SPLIT BRAIN: {text}" for text in alarms(measured)], alarm=True),
        Block([f"NODES DIFFER: {text}" for text in differing_answers(measured)], alarm=True),
        Block(_violations(stored), alarm=True),
    ]
    return [*shown, *_details(data, decided, width)] if wide else shown


# The number of cautions below the table. The report has all.
_CAUTIONS = 2


# The number of sentences on client stacks.
_APPLICATIONS = 2


def _applications(data: Data) -> list[str]:
    """Return the first sentences on client stacks, and the number of the others."""
    texts = [answer.text for answer in data.answers if answer.topic == "Applications"]
    more = len(texts) - _APPLICATIONS
    last = [f"{count(more, 'more sentence')} on client stacks in the report"] if more > 0 else []
    return [*texts[:_APPLICATIONS], *last]


def _details(data: Data, decided: Sequence[Verdict], width: int) -> list[Block]:
    """Return what a screen has no room for: interleaved speeds, phases, stalls, and manuals."""
    done = [cell for cell in data.swept.planned if cell.complete]
    return [
        Block([answer.text for answer in interleaved_answers(data.run)]),
        _failovers(_fault_rows(data.run, data.swept.cells), width, wide=True),
        Block(stalls.sentences(done)),
        Block(node_failure(decided, data.done)),
    ]


def _rates(rows: list[Row], data: Data) -> list[Row]:
    """Replace the rates of single trials by interleaved ones, which alone may be compared; else mark them."""
    if not data.blocks:
        return rows
    alone, rates = title("tps"), [data.interleaved_rate(cell.key) for cell in data.swept.cells]
    known = [number(rate) for rate in rates if rate is not None]
    if len(known) == len(rows):
        return [{**row, alone: rate} for row, rate in zip(rows, known, strict=True)]
    return [{"Trans./s alone" if name == alone else name: text for name, text in row.items()} for row in rows]


def summary_rows(run: Run | Path) -> list[Row]:
    """Return one row for each cell, in the order of the experiment, without empty columns.

    Raises:
        FiveninesError: the folder is not a run, or has another version.
    """
    return cell_rows(compared(opened(run)).cells)


def failover_rows(run: Run | Path) -> list[Row]:
    """Return one row for each fault of each cell: mean phases, and nines if an MTBF is assumed.

    Raises:
        FiveninesError: the folder is not a run, or has another version.
    """
    stored = opened(run)
    return _fault_rows(stored, compared(stored).cells)


def _summary(rows: list[Row], width: int, wide: bool) -> Block:
    shared = [name for name in rows[0] if name in _CONDITIONS and _alike(rows, name)]
    line = ", ".join(f"{name.lower()} {rows[0][name]}" for name in shared)
    varying = [name for name in _CONDITIONS if name in rows[0] and name not in shared]
    rows, groups = _grouped(
        rows, [", ".join(_condition(name, row[name]) for name in varying) for row in rows]
    )
    lines = [line] if line else []
    return _block(lines, rows, [*shared, *varying], groups, width, wide)


def _grouped(rows: list[Row], groups: list[str]) -> tuple[list[Row], list[str]]:
    """Sort rows by conditions, so that solutions under the same conditions are adjacent."""
    order = list(dict.fromkeys(groups))
    both = sorted(zip(rows, groups, strict=True), key=lambda pair: order.index(pair[1]))
    return [row for row, _ in both], [group for _, group in both]


def _condition(name: str, value: str) -> str:
    """Return a condition without its column's heading: "oltp_read_only", "8 connections", "network wan"."""
    if name == "Workload":
        return value
    if name == "Connections":
        return count(int(value), "connection")
    return f"{name.lower()} {value}"


def _failovers(rows: list[Row], width: int, wide: bool) -> Block:
    if not rows:
        return Block()
    lines = ["", "Failover phases, means of the trials whose writes recovered:"]
    without = ["Fault"] if _alike(rows, "Fault") else []
    rows, groups = _grouped(rows, [row.get("Conditions", "") for row in rows])
    return _block(lines, rows, [*without, "Conditions"], groups, width, wide)


def _block(
    lines: list[str], rows: list[Row], without: Sequence[str], groups: list[str], width: int, wide: bool
) -> Block:
    """Return the lines with a table of the rows, without some columns, fitted to the width."""
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
                | {"Conditions": names.label(cell.key), "Fault": label_of(cell, fault)}
                | _fault_row(fault, known)
            )
    return [{name: row[name] for name in row if _says(rows, name)} for row in rows]


def _fault_row(fault: FaultResult, known: Availability | None) -> Row:
    row = {phase.name.capitalize(): _mean(fault, phase.name) for phase in fault.phases}
    row["Not recovered"] = f"{fault.not_recovered} of {fault.times}" if fault.not_recovered else NOTHING
    nines = known.nines if known else None
    downtime = known.downtime if known else None
    limit = known.bound if known else ""
    row["Nines"] = NOTHING if nines is None else f"{limit} {nines_text(nines.value)}".strip()
    row["Downtime per year"] = (
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
    """Return whether a column is shown: columns of phases always, others if any row has a value."""
    optional = ("Conditions", "Client", "Not recovered", "Nines", "Downtime per year")
    return name not in optional or any(row[name] not in ("", NOTHING) for row in rows)


def _without_effect(run: Run, cells: Sequence[CellResult]) -> list[str]:
    """Return the faults that did not work, each message once: no figure and no verdict shows their effect."""
    found: dict[str, set[str]] = {}
    for trouble in trouble_results(run, cells):
        if trouble.kind == "fault did not work":
            found.setdefault(trouble.text, set()).update(trouble.trials)
    of = count(len(run.complete), "trial")
    return [f"FAULT DID NOT WORK in {len(which)} of {of}: {text}" for text, which in found.items()]


def _violations(run: Run) -> list[str]:
    """Return the violated invariants of all trials, with the offending rows."""
    return [
        f"{trial.record.id} {trial.record.cell.solution}: VIOLATED: {check.name} ({check.source}):"
        f" {offending_text(check)}"
        for trial in run.complete
        for check in trial.record.invariants
        if check.status == "violated"
    ]
