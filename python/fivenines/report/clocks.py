"""Hosts on other machines have clocks of their own: how well these are known, and what that means."""

from collections.abc import Sequence

from fivenines.analysis.cells import CellResult
from fivenines.analysis.clocks import by_machine, error_ms
from fivenines.analysis.wording import count, milliseconds
from fivenines.report.table import Table, right
from fivenines.results.records import TrialRecord


def note(cells: Sequence[CellResult]) -> str:
    """What is to be known of times between moments on different hosts; empty where there is one clock."""
    error = error_ms(_records(cells))
    if error is None:
        return ""
    return (
        f"The hosts have clocks of their own. Each was asked all the time, and moments were corrected: a time"
        f" between moments on two hosts, as a phase of a failover is, may be wrong by up to"
        f" {milliseconds(error)}. Outages and response times are of one client's clock, without that error."
    )


def table(cells: Sequence[CellResult]) -> Table:
    """One row for each machine; empty where all hosts had one clock."""
    columns = ["Machine", "Trials", "Ahead, largest", "Known to, at worst", "Drift in a trial, largest"]
    rows = []
    for machine, every in by_machine(_records(cells)).items():
        ahead = max((one.ahead_ms for one in every), key=abs)
        drift = max((one.drift_ms for one in every), key=abs)
        worst = max(one.error_ms for one in every)
        figures = [f"{ahead:+.2f} ms", f"± {worst:.2f} ms", f"{drift:+.2f} ms"]
        rows.append([machine, str(len(every)), *figures])
    caption = f"Clocks of {count(len(rows), 'machine')} against the controller's"
    return Table(caption, columns, rows, 1, right(columns, "Machine"))


def _records(cells: Sequence[CellResult]) -> list[TrialRecord]:
    return [trial.record for cell in cells for trial in cell.trials]
