"""Failovers for the terminal: one row for each fault of each cell, phases and nines side by side."""

from pathlib import Path

from fivenines.analysis.fault_results import FaultResult
from fivenines.analysis.nines import Availability, assumed_mtbf, availabilities
from fivenines.analysis.sweeps import compared
from fivenines.analysis.wording import NOTHING, milliseconds
from fivenines.report.chapters.nines import OPPOSITE, long_time, nines_text
from fivenines.report.chapters.phases import label_of
from fivenines.report.groups import names_of
from fivenines.results.store import Run, opened

FailoverRow = dict[str, str]
"""Heading -> text; all rows of a run have the same headings."""


def failover_rows(run: Run | Path) -> list[FailoverRow]:
    """The mean of each phase; nines and downtime a year where the experiment assumes an MTBF.

    Raises:
        FiveninesError: the folder is no run, or of another version.
    """
    found = opened(run)
    cells = [cell for cell in compared(found).cells if cell.complete]
    names = names_of(cells)
    single = iter(availabilities(cells, assumed_mtbf(found)))
    rows = []
    for cell in cells:
        for fault in cell.faults:
            known = next(single) if fault.writes.total.mean is not None else None
            rows.append(
                {"Solution": cell.key.solution}
                | {"Conditions": names.label(cell.key), "What broke": label_of(cell, fault)}
                | _row(fault, known)
            )
    return [{name: row[name] for name in row if _says(rows, name)} for row in rows]


def _row(fault: FaultResult, known: Availability | None) -> FailoverRow:
    row = {phase.name.capitalize(): _mean(fault, phase.name) for phase in fault.phases}
    row["Not back"] = f"{fault.not_back} of {fault.trials}" if fault.not_back else NOTHING
    nines = known.nines if known else None
    downtime = known.downtime if known else None
    limit = known.bound if known else ""
    row["Nines"] = NOTHING if nines is None else f"{limit} {nines_text(nines.value)}".strip()
    if downtime is not None:
        row["Downtime a year"] = f"{OPPOSITE[limit]} {long_time(downtime.value)}".strip()
    else:
        row["Downtime a year"] = NOTHING
    return row


def _mean(fault: FaultResult, name: str) -> str:
    phase = fault.phase(name)
    if not phase.seen or phase.summary.mean is None:
        return NOTHING
    text = milliseconds(phase.summary.mean)
    return f"at least {text}" if phase.summary.bounds else text


def _says(rows: list[FailoverRow], name: str) -> bool:
    """Whether a column says anything in some row; columns of phases stay."""
    optional = ("Conditions", "Client", "Not back", "Nines", "Downtime a year")
    return name not in optional or any(row[name] not in ("", NOTHING) for row in rows)
