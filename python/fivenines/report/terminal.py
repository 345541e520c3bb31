"""What a run says on the terminal at its end: a summary, failovers by phase, and what to beware of."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fivenines.analysis.cells import CellResult, analyse
from fivenines.analysis.duets import duet_results
from fivenines.analysis.fault_results import FaultResult
from fivenines.analysis.nines import Availability, assumed_mtbf, availabilities
from fivenines.analysis.sweeps import Compared, compared
from fivenines.analysis.wording import NOTHING, milliseconds
from fivenines.report import sharing, stalls
from fivenines.report.chapters.duet import duet_answers
from fivenines.report.chapters.invariants import offending_text
from fivenines.report.chapters.nines import OPPOSITE, long_time, nines_text
from fivenines.report.chapters.phases import label_of
from fivenines.report.chapters.sweeps import sweep_answers
from fivenines.report.chapters.wrong import alarms
from fivenines.report.decision import settings_of, verdicts
from fivenines.report.groups import names_of
from fivenines.report.overview import overview
from fivenines.report.summary import Row, cell_rows
from fivenines.results.store import Run, opened

_CONDITIONS = ("Workload", "Connections", "Network", "Fault")
"""Columns that are said once when all rows agree."""

_WIDE = 120
"""Below this width tables leave out the columns that the report has as well."""

_NARROW = {"Transactions/s": "Trans./s", "Outage, new connections": "Outage, new connects"}
"""Headings that would break their words there."""

_FOR_WIDE = (
    "Outage, reads", "Failover time", "Invariants", "Stalls before", "Downtime a year",
    "Conditions",
)  # fmt: skip


@dataclass(frozen=True)
class Block:
    """Lines, and a table below them, where it has columns; `alarm`: what must not be overlooked."""

    lines: Sequence[str] = ()
    columns: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    alarm: bool = False


def blocks(run: Run | Path, width: int) -> list[Block]:
    """All that is said, one below the other, for a terminal of `width` characters; [] of an empty run.

    Raises:
        FiveninesError: the folder is no run, or of another version.
    """
    found = opened(run)
    swept, measured = compared(found), analyse(found)
    duets = Block([answer.text for answer in duet_answers(found)])
    rows = cell_rows(swept.cells)
    if not rows:
        return [duets] if duets.lines else []
    done = [cell for cell in measured if cell.complete]
    splits = [f"SPLIT BRAIN: {text}" for text in alarms(measured)]
    return [
        _decision(found, swept),
        duets,
        _summary(rows, width),
        _failovers(_fault_rows(found, swept.cells), width),
        Block([answer.text for answer in sweep_answers(swept)]),
        Block([*stalls.sentences(done), *sharing.cautions(done)]),
        Block(splits if "Split brain" in rows[0] else [], alarm=True),
        Block(_violations(found) if _violated(rows) else [], alarm=True),
    ]


def _decision(run: Run, swept: Compared) -> Block:
    """Whom to take, and why."""
    found = verdicts(run, swept, settings_of(run), duet_results(run))
    return Block(overview(found))


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


def _summary(rows: list[Row], width: int) -> Block:
    shared = [name for name in rows[0] if name in _CONDITIONS and _alike(rows, name)]
    line = ", ".join(f"{name.lower()} {rows[0][name]}" for name in shared)
    return _block([line] if line else [], rows, shared, width)


def _failovers(rows: list[Row], width: int) -> Block:
    if not rows:
        return Block()
    lines = ["", "Failovers by phase, means of the trials whose load wrote again:"]
    return _block(lines, rows, ["What broke"] if _alike(rows, "What broke") else [], width)


def _block(lines: list[str], rows: list[Row], without: Sequence[str], width: int) -> Block:
    """The rows below the lines, without some columns, and on narrow terminals without more of them."""
    narrow = width < _WIDE
    hidden = {*without, *(_FOR_WIDE if narrow else ())}
    columns = [name for name in rows[0] if name not in hidden]
    headings = [_NARROW.get(name, name) if narrow else name for name in columns]
    return Block(lines, headings, [[row[name] for name in columns] for row in rows])


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
    row["Not back"] = f"{fault.not_back} of {fault.trials}" if fault.not_back else NOTHING
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


def _violated(rows: list[Row]) -> bool:
    return any("VIOLATED" in row.get("Invariants", "") for row in rows)


def _violations(run: Run) -> list[str]:
    """Violated invariants of all trials, the rows named."""
    return [
        f"{trial.record.id} {trial.record.cell.solution}: VIOLATED: {check.name} ({check.source}):"
        f" {offending_text(check)}"
        for trial in run.complete
        for check in trial.record.invariants
        if check.status == "violated"
    ]
