"""What was written to disk, as servers say, as the kernel charged it, and as the device saw it."""

from collections.abc import Mapping, Sequence

from fivenines.analysis.cells import CellResult
from fivenines.analysis.disk import Written
from fivenines.analysis.sampled import Sampled
from fivenines.analysis.wording import NOTHING, number
from fivenines.report.groups import Names
from fivenines.report.table import Table, right

LEGEND = (
    "Bytes written in the steady window, MB a second, of the trial whose servers wrote most. Servers count"
    " what they give to their files and logs: that is the figure used elsewhere. The kernel charges processes"
    " with whole folios of its page cache, however little of them changes, so a charge that exceeds what the"
    " block device saw, or four times what the servers say, is left out. The device is the whole machine's."
)


def written_table(cells: Sequence[CellResult], seen: Mapping[str, Sampled], names: Names) -> Table:
    """A row for each cell of which anything is known; what contradicts itself is named, not printed."""
    rows = []
    for cell in cells:
        found = [told for trial in cell.trials if (told := seen[trial.record.id].written)]
        if not found:
            continue
        most = max(found, key=lambda one: one.servers or 0.0)
        rows.append([names.full(cell.key), _servers(most), _charged(most), _rate(most.device, most)])
    columns = ["Cell", "Servers say", "Kernel charged", "Block device"]
    return Table(LEGEND, columns, rows, 1, right(columns, "Cell"))


def _servers(told: Written) -> str:
    if told.servers is None:
        return NOTHING
    if not told.servers_believed:
        return "left out: the device saw less"
    return _rate(told.servers, told)


def _charged(told: Written) -> str:
    if told.charge_excess is not None:
        return f"left out: {number(told.charge_excess)} times what can be"
    return _rate(told.charged, told) if told.charge_believed else NOTHING


def _rate(value: float | None, told: Written) -> str:
    return NOTHING if value is None else number(value / told.seconds / 1e6)
