"""The chapter on isolation: anomalies by kind and solution, examples in words and as small drawings."""

from collections.abc import Iterator, Sequence

from fivenines.analysis.cells import CellResult
from fivenines.analysis.consistency.isolation.levels import excluders, strongest
from fivenines.analysis.consistency.isolation.lists import IN_TIME
from fivenines.analysis.wording import NOTHING, count, number
from fivenines.report.chapters.data import Data
from fivenines.report.charts.cycle import cycle_svg
from fivenines.report.groups import Names, by_solution
from fivenines.report.html.figures import Figure
from fivenines.report.html.section import Section, folded, in_row
from fivenines.report.table import CELL, Table, right
from fivenines.results.records import Anomaly, Isolation, TrialRecord


def chapter(data: Data) -> Section:
    """Return anomalies of transactions, with a drawing of the first of each kind."""
    table, levels = isolation_table(data), level_table(data)
    examples = example_table(data)
    texts = []
    if table.rows and not any(cell.truth.anomalies or any(cell.truth.in_time.values()) for cell in data.done):
        late = "; the order of time was not judged" if any(map(_not_in_time, data.done)) else ""
        texts = [f"No trial shows a violation of isolation{late}."]
    figures, others = in_row(anomaly_figures(data), "Drawings of other anomalies")
    drawers = [*others, *folded(examples, note_table(data))]
    shown = [levels] if levels.rows else []
    if examples.rows:
        shown.append(table)
    else:
        drawers += folded(table)
    return Section("isolation", "Isolation", texts, shown, figures, drawers)


# Checkers that also judge the order of time.
_IN_TIME = ("lists", "registers")

# The number of drawn anomalies: the first of each kind and solution.
DRAWN = 12

_MEANINGS = {
    "G0": "write cycle",
    "G1a": "aborted read",
    "G1b": "intermediate read",
    "G1c": "circular flow of information",
    "G-single": "read skew: a cycle with one anti-dependency",
    "G-nonadjacent": "long fork: a cycle with several anti-dependencies, no two in a row",
    "G2-item": "write skew: a cycle with several anti-dependencies, two in a row",
    "lost-update": "two transactions overwrote the same version",
    "dirty-update": "an update of what an aborted transaction had written",
    "internal": "a transaction contradicts itself",
    "incompatible-order": "reads disagree on the order of appends",
    "duplicate-elements": "an append took effect twice",
    "unknown-element": "a value that no transaction wrote",
    "lost-append": "an acknowledged append that no later read shows",
    "wrong-sum": "an audit read a different total",
    "wrong-end-sum": "money was made or lost for good",
    "negative-balance": "an account below zero",
    "unknown-value": "a value that no operation wrote",
    "stale-read-process": "stale read: a read missed what its own client had written",
    "stale-read-realtime": "stale read: a read missed a write that was acknowledged before it began",
    "backwards-process": "a read shows less than an earlier one of the same client",
    "backwards-realtime": "a read shows less than another one that had ended before it began",
    "reads-disagree": "two values were each there before the other was last read",
    "early-read": "a read that ended before its write began: clocks differ",
}
_STALE = {
    "process": "stale read: a transaction missed what its own client had done before",
    "realtime": "stale read: a transaction missed what had been acknowledged before it began",
}
MEANINGS = {
    **_MEANINGS,
    **{
        f"{kind}-{order}": f"{_MEANINGS[kind]}, closed by the order {words}"
        for kind in IN_TIME
        for order, words in (("process", "of a client"), ("realtime", "in time"))
    },
    **{f"G-single-{order}": words for order, words in _STALE.items()},
}


def isolation_table(data: Data) -> Table:
    """Return anomalies of each cell by checker and kind; a line with "none" has no anomaly."""
    rows = []
    for cell in data.done:
        sources = sorted({one.source for _, one in _judged(cell)})
        for source in sources:
            mine = [one for _, one in _judged(cell) if one.source == source]
            size = number(sum(one.transactions for one in mine))
            head = [cell.key.solution, data.names.label(cell.key), source, str(len(mine)), size]
            kinds = cell.truth.found(source)
            rows += [[*head, kind, MEANINGS.get(kind, ""), number(n)] for kind, n in kinds.items()]
            unjudged = "the order of time was not judged" if source in _not_in_time(cell) else ""
            rows += [] if kinds else [[*head, "none", unjudged, "0"]]
    columns = [*CELL, "Checker", "Trials", "Transactions", "Anomaly", "Meaning", "Count"]
    left = (*CELL, "Checker", "Anomaly", "Meaning")
    return Table("Violations of isolation", columns, rows, 3, right(columns, *left))


def level_table(data: Data) -> Table:
    """Return the strongest level that lists and registers do not contradict, for each cell."""
    rows = []
    for cell in data.done:
        for source, level in (("lists", _level(cell)), ("registers", _registers(cell))):
            if size := sum(one.transactions for _, one in _judged(cell) if one.source == source):
                kinds = cell.truth.of(source)
                excluded = excluders(kinds) if source == "lists" else list(kinds)
                excluded += cell.truth.late(source) or {}
                head = [cell.key.solution, data.names.label(cell.key), source, number(size)]
                rows.append([*head, level, ", ".join(excluded) or NOTHING])
    columns = [*CELL, "Checker", "Transactions", "Strongest level", "Stronger ones excluded by"]
    title = "Strongest level of isolation or consistency that the transactions do not contradict"
    return Table(title, columns, rows, 2, right(columns, *CELL, "Checker", *columns[-2:]))


def isolation_answers(cells: Sequence[CellResult]) -> list[str]:
    """Return sentences on violations of isolation, with the strongest level that is left."""
    texts = []
    for name, mine in by_solution(cells).items():
        for cell in mine:
            if kinds := excluders(cell.truth.of("lists")):
                where = f" with {cell.key.workload}" if len(mine) > 1 else ""
                truth = cell.truth
                level = strongest(truth.of("lists"), truth.late("lists"), complete=truth.searched)
                why = ", ".join(kinds) + ("" if truth.searched else "; not all cycles were searched")
                texts.append(f"{name}{where} gave {level} at most ({why}).")
            if lost := cell.truth.of("lists").get("lost-append"):
                texts.append(
                    f"{name} lost {count(lost, 'acknowledged append')}, or answered from old copies."
                )
        if kinds := sorted({kind for cell in mine for kind in cell.truth.found("registers")}):
            texts.append(f"Registers of {name} were not linearizable ({', '.join(kinds)}).")
        if kinds := sorted({kind for cell in mine for kind in cell.truth.of("bank")}):
            texts.append(f"{name} violated isolation ({', '.join(kinds)}).")
    return list(dict.fromkeys(texts))


def _level(cell: CellResult) -> str:
    truth = cell.truth
    level = strongest(truth.of("lists"), truth.late("lists"), complete=truth.searched)
    return level if truth.searched else f"{level} or less (not all cycles were searched)"


def _registers(cell: CellResult) -> str:
    if cell.truth.found("registers"):
        return "not linearizable"
    return NOTHING if cell.truth.late("registers") is None else "linearizable"


def example_table(data: Data) -> Table:
    """Return all recorded examples in words."""
    rows = [
        [record.id, data.names.full(cell.key), one.kind, _list(one.transactions), one.explanation]
        for cell in data.done
        for record, one in _examples(cell)
    ]
    columns = ["Trial", "Cell", "Anomaly", "Transactions", "Explanation"]
    return Table("Anomalies, step by step (the first ten of each kind and trial)", columns, rows)


def note_table(data: Data) -> Table:
    """Return the notes of the checkers on their search."""
    rows = [
        [record.id, data.names.full(cell.key), one.source, one.note]
        for cell in data.done
        for record, one in _judged(cell)
        if one.note
    ]
    return Table("Notes of the checkers", ["Trial", "Cell", "Checker", "Note"], rows)


def anomaly_figures(data: Data) -> list[Figure]:
    """Return a drawing of the first anomaly with dependencies of each kind and solution."""
    seen: set[tuple[str, str]] = set()
    figures: list[Figure] = []
    for cell in data.done:
        for record, one in _examples(cell):
            key = (cell.key.solution, one.kind)
            if one.edges and key not in seen and len(figures) < DRAWN:
                seen.add(key)
                figures.append(_figure(cell, record, one, data.names))
    return figures


def _figure(cell: CellResult, record: TrialRecord, one: Anomaly, names: Names) -> Figure:
    rows = [[f"T{source}", label, f"T{target}"] for source, label, target in one.edges]
    return Figure(
        title=f"{one.kind}: {MEANINGS.get(one.kind, '')} ({names.full(cell.key)}, trial {record.id})",
        finding=one.explanation,
        svg=cycle_svg(one.edges),
        table=Table("Dependencies", ["From", "Kind and key", "To"], rows),
    )


def _not_in_time(cell: CellResult) -> list[str]:
    """Return the checkers that could not judge the order of time, as clients had different clocks."""
    truth = cell.truth
    return [source for source in _IN_TIME if source in truth.in_time and truth.late(source) is None]


def _judged(cell: CellResult) -> list[tuple[TrialRecord, Isolation]]:
    return [(trial.record, one) for trial in cell.trials for one in trial.record.isolation]


def _examples(cell: CellResult) -> Iterator[tuple[TrialRecord, Anomaly]]:
    for record, judged in _judged(cell):
        for one in judged.examples:
            yield record, one


def _list(transactions: Sequence[int]) -> str:
    return ", ".join(f"T{number}" for number in transactions)
