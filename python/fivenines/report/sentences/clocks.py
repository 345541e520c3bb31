"""Report the clock errors of hosts on several machines."""

from collections.abc import Sequence

from fivenines.analysis.cells import CellResult
from fivenines.analysis.clocks import by_machine, error_ms
from fivenines.analysis.wording import count, milliseconds
from fivenines.report.table import Table, right
from fivenines.results.records import TrialRecord


def note(cells: Sequence[CellResult]) -> str:
    """Return a caution on the error of times between two hosts; empty if all hosts share a clock."""
    error = error_ms(_records(cells))
    if error is None:
        return ""
    return (
        "The hosts have separate clocks, which fivenines compares continuously to correct timestamps. The"
        " time between events on two hosts, such as a phase of a failover, may be wrong by up to"
        f" {milliseconds(error)}. Outages and response times use one client's clock, without that error."
    )


def table(cells: Sequence[CellResult]) -> Table:
    """Return one row for each machine; empty if all hosts share a clock."""
    columns = ["Machine", "Trials", "Largest offset", "Largest error", "Largest drift in a trial"]
    rows = []
    for machine, every in by_machine(_records(cells)).items():
        ahead = max((one.ahead_ms for one in every), key=abs)
        drift = max((one.drift_ms for one in every), key=abs)
        worst = max(one.error_ms for one in every)
        figures = [f"{ahead:+.2f} ms", f"± {worst:.2f} ms", f"{drift:+.2f} ms"]
        rows.append([machine, str(len(every)), *figures])
    caption = f"Clocks of {count(len(rows), 'machine')}, compared with the controller's clock"
    return Table(caption, columns, rows, 1, right(columns, "Machine"))


def _records(cells: Sequence[CellResult]) -> list[TrialRecord]:
    return [trial.record for cell in cells for trial in cell.trials]
