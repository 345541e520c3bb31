"""Chapter `needless` of the report: failovers although no server had died."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from fivenines.analysis.availability.needless import Kind, Response
from fivenines.analysis.cells import CellResult
from fivenines.analysis.decision.judging import share_bounds
from fivenines.analysis.wording import NOTHING, count, listed, milliseconds, percent
from fivenines.report.chapters.data import Data
from fivenines.report.groups import Names
from fivenines.report.html.section import Section, explained, folded, is_long
from fivenines.report.table import Table, right

TITLE = "Failovers without a death"

LEGEND = (
    "A trial counts if its fault killed no server and was seen to begin and to end: a frozen server, a cut"
    " or slow link, a slow disk, many connections, a long transaction, a stalled replica, a manager or proxy"
    " that was started again. Promoted: another node began to accept writes. Expelled: the group removed a"
    " member. Fenced: the manager ended a server. Demoted: a node stopped accepting writes while it answered."
    " Errors only: no role changed, and operations of the load failed. The first four are needless failovers."
    " A trial in which a server died is not counted. After: from the beginning of the fault to the change."
)

# Columns of the responses, in their order.
_KINDS: dict[Kind, str] = {
    "promoted": "Promoted",
    "expelled": "Expelled",
    "fenced": "Fenced",
    "demoted": "Demoted",
    "errors": "Errors only",
    "none": "Nothing",
}


@dataclass(frozen=True)
class Responses:
    """The responses of a cell's trials."""

    cell: CellResult
    all: Sequence[Response]

    @property
    def counted(self) -> list[Response]:
        """Return the responses of the trials in which no server died."""
        return [one for one in self.all if one.counts]

    @property
    def needless(self) -> list[Response]:
        """Return the needless failovers."""
        return [one for one in self.counted if one.needless]


def chapter(data: Data) -> Section:
    """Return the responses to hiccups; empty if no fault was one and nothing failed over without a fault."""
    cells = responses(data.done)
    if not cells:
        return Section("needless", TITLE)
    table = needless_table(cells, data.names)
    shown, drawers = ([], folded(table)) if is_long(table) else ([table], [])
    return Section("needless", TITLE, sentences(cells, data.names), shown, [], [*drawers, explained(LEGEND)])


def responses(cells: Sequence[CellResult]) -> list[Responses]:
    """Return the cells with hiccups, and those without a fault in which a failover was seen."""
    found = [
        Responses(cell, [trial.response for trial in cell.trials if trial.response is not None])
        for cell in cells
    ]
    return [one for one in found if one.all and (one.cell.faulted or one.needless)]


def sentences(cells: Sequence[Responses], names: Names) -> list[str]:
    """Return a sentence for each cell with needless failovers, then one for all others."""
    found = [_sentence(one, names) for one in cells if one.needless]
    calm = [one for one in cells if one.counted and not one.needless]
    if calm:
        trials = sum(len(one.counted) for one in calm)
        most = max(share_bounds(0, len(one.counted))[1] for one in calm)
        where = listed([names.full(one.cell.key) for one in calm])
        fewest = "" if len(calm) == 1 else ", for the cell with the fewest trials"
        found.append(
            f"No role changed in {count(trials, 'trial')} of {where}: at most {percent(100 * most)} % of "
            f"such faults lead to a failover (95 % upper bound{fewest})."
        )
    if unclear := [response.why for one in cells for response in one.all if not response.counts]:
        found.append(f"Not counted: {count(len(unclear), 'trial')} ({listed(sorted(set(unclear)))}).")
    return found


def _sentence(one: Responses, names: Names) -> str:
    needless, counted = one.needless, one.counted
    low, high = share_bounds(len(needless), len(counted))
    kinds = Counter(response.kind for response in needless)
    how = listed([f"{kind} in {number}" for kind, number in kinds.items()])
    over = sum(response.after_end is True for response in needless)
    late = f"; in {count(over, 'trial')} the fault was already over" if over else ""
    trials = count(len(counted), "trial")
    return (
        f"{names.full(one.cell.key)}: a failover in {len(needless)} of {trials} although no server had "
        f"died ({percent(100 * low)} to {percent(100 * high)} %, 95 % interval): {how}{late}."
    )


def needless_table(cells: Sequence[Responses], names: Names) -> Table:
    """Return a row for each cell: its trials by response."""
    columns = ["Cell", "Trials", *_KINDS.values(), "After", "Fault already over", "Not counted"]
    rows = []
    for one in cells:
        kinds = Counter(response.kind for response in one.counted)
        times = sorted(response.ms for response in one.needless if response.ms is not None)
        rows.append(
            [
                names.full(one.cell.key),
                str(len(one.counted)),
                *(str(kinds[kind]) for kind in _KINDS),
                _range(times),
                str(sum(response.after_end is True for response in one.needless)),
                str(len(one.all) - len(one.counted)),
            ]
        )
    return Table("Responses to faults that kill no server", columns, rows, 1, right(columns, "Cell"))


def _range(times: Sequence[float]) -> str:
    if not times:
        return NOTHING
    first, last = milliseconds(times[0]), milliseconds(times[-1])
    return first if first == last else f"{first} to {last}"
