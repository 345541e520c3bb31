"""Report bytes written to disk, as counted by servers, by the kernel and by the block device."""

from collections.abc import Mapping, Sequence

from fivenines.analysis.cells import CellResult
from fivenines.analysis.resources.disk import Written
from fivenines.analysis.resources.sampled import Sampled
from fivenines.analysis.wording import NOTHING, number
from fivenines.report.groups import Names
from fivenines.report.table import Table, right

LEGEND = (
    "Bytes written in the steady window, in MB/s, of the trial with the most writes. Servers count the bytes"
    " of their files and logs; other chapters use that figure. The kernel charges processes with whole folios"
    " of the page cache, however small the change. A charge above the block device's figure, or above four"
    " times the servers' figure, is left out. The block device's figure covers the whole machine."
)


def written_table(cells: Sequence[CellResult], seen: Mapping[str, Sampled], names: Names) -> Table:
    """Return a row for each cell with data; contradictory figures are replaced by the reason."""
    rows = []
    for cell in cells:
        samples = [sample for trial in cell.trials if (sample := seen[trial.record.id].written)]
        if not samples:
            continue
        most = max(samples, key=lambda one: one.servers or 0.0)
        rows.append([names.full(cell.key), _servers(most), _charged(most), _rate(most.device, most)])
    columns = ["Cell", "Servers", "Kernel", "Block device"]
    return Table(LEGEND, columns, rows, 1, right(columns, "Cell"))


def _servers(written: Written) -> str:
    if written.servers is None:
        return NOTHING
    if not written.servers_believed:
        return "left out: more than the device"
    return _rate(written.servers, written)


def _charged(written: Written) -> str:
    if written.charge_excess is not None:
        return f"left out: {number(written.charge_excess)} times the possible amount"
    return _rate(written.charged, written) if written.charge_believed else NOTHING


def _rate(value: float | None, written: Written) -> str:
    return NOTHING if value is None else number(value / written.seconds / 1e6)
