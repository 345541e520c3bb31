"""Chapter `needless` of the report: failovers although no server had died."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from fivenines.analysis.availability.at_rest import Rest
from fivenines.analysis.availability.needless import Kind, Response
from fivenines.analysis.cells import CellResult
from fivenines.analysis.decision.judging import share_text
from fivenines.analysis.wording import NOTHING, count, listed, span
from fivenines.report.chapters.availability.at_rest import LEGEND as REST_LEGEND
from fivenines.report.chapters.availability.at_rest import any_failover, at_rest, rest_sentences, rest_table
from fivenines.report.chapters.availability.in_turn import LEGEND as TURN_LEGEND
from fivenines.report.chapters.availability.in_turn import turn_table, turns
from fivenines.report.chapters.data import Data
from fivenines.report.groups import Names
from fivenines.report.html.section import Section, explained, folded, is_long
from fivenines.report.table import Table, right

TITLE = "Failovers without a death"

LEGEND = (
    "A trial counts if its fault killed no server and was seen to begin and to end: a frozen server, host"
    " or manager, a cut or slow link, a slow disk or CPU, many connections, a long transaction, a stalled"
    " replica, a manager or proxy that was started again. Promoted: another node began to accept writes."
    " Expelled: the group removed a member. Fenced: the manager ended a server. Demoted: a node stopped"
    " accepting writes while it answered. Errors only: no role changed, and operations of the load failed."
    " The first four are needless failovers. A trial in which a server died is not counted. After: from"
    " the beginning of the fault to the change. Fault over: trials in which it came after the end of the"
    " fault."
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
    """Return the responses to hiccups, and failovers at rest; empty if there were neither."""
    cells, rest, several = responses(data.done), at_rest(data.done), turns(data.done)
    tables = [turn_table(several, data.names)] if several else []
    tables += needless_tables(cells, rest, data.names)
    if not tables:
        return Section("needless", TITLE)
    shown = [table for table in tables if not is_long(table)]
    drawers = folded(*filter(is_long, tables))
    # Those of hiccups in turn are answers of the run, which the chapter begins with.
    text = [*rest_sentences(rest), *sentences(cells)]
    legend = LEGEND + (TURN_LEGEND if several else "") + REST_LEGEND
    return Section("needless", TITLE, text, shown, [], [*drawers, explained(legend)])


def needless_tables(cells: Sequence[Responses], rest: dict[str, list[Rest]], names: Names) -> list[Table]:
    """Return the tables of responses and of times at rest; none if there is nothing to say."""
    if not cells and not any_failover(rest):
        return []
    return [table for table in (needless_table(cells, names), rest_table(rest)) if table.rows]


def responses(cells: Sequence[CellResult]) -> list[Responses]:
    """Return the cells with hiccups, and those without a fault in which a failover was seen."""
    found = [
        Responses(cell, [trial.response for trial in cell.trials if trial.response is not None])
        for cell in cells
    ]
    return [one for one in found if one.all and (one.cell.faulted or one.needless)]


def sentences(cells: Sequence[Responses]) -> list[str]:
    """Return a sentence for each solution, those with needless failovers first."""
    of_solution: dict[str, list[Response]] = {}
    for one in cells:
        of_solution.setdefault(one.cell.called, []).extend(one.counted)
    ranked = sorted(of_solution.items(), key=lambda item: not any(one.needless for one in item[1]))
    found = [_sentence(name, counted) for name, counted in ranked if counted]
    if unclear := [response.why for one in cells for response in one.all if not response.counts]:
        found.append(f"Not counted: {count(len(unclear), 'trial')} ({listed(sorted(set(unclear)))}).")
    return found


def _sentence(name: str, counted: Sequence[Response]) -> str:
    needless = [one for one in counted if one.needless]
    trials = count(len(counted), "trial")
    if not needless:
        return f"{name}: no role changed in {trials}."
    kinds = Counter(one.kind for one in needless)
    how = listed([f"{kind} in {number}" for kind, number in kinds.items()])
    over = sum(one.after_end is True for one in needless)
    late = f"; in {count(over, 'trial')} the fault was already over" if over else ""
    return f"{name}: a failover in {len(needless)} of {trials} although no server had died: {how}{late}."


def needless_table(cells: Sequence[Responses], names: Names) -> Table:
    """Return a row for each cell: its trials by response."""
    columns = [
        "Cell",
        "Trials",
        *_KINDS.values(),
        "Failovers, 95 % interval",
        "After",
        "Fault over",
        "Not counted",
    ]
    rows = []
    for one in cells:
        kinds = Counter(response.kind for response in one.counted)
        times = sorted(response.ms for response in one.needless if response.ms is not None)
        rows.append(
            [
                names.full(one.cell.key),
                str(len(one.counted)),
                *(str(kinds[kind]) for kind in _KINDS),
                share_text(len(one.needless), len(one.counted)),
                span(times[0], times[-1], milli=True) if times else NOTHING,
                str(sum(response.after_end is True for response in one.needless)),
                str(len(one.all) - len(one.counted)),
            ]
        )
    return Table("Responses to faults that kill no server", columns, rows, 1, right(columns, "Cell"))
