"""The chapters of the report: what stands in each, and in which order."""

from dataclasses import dataclass, field

from fivenines.analysis.cells import CellResult
from fivenines.analysis.duets import DuetResult, duet_results
from fivenines.analysis.nines import assumed_mtbf, availabilities
from fivenines.analysis.sweeps import Compared
from fivenines.analysis.tellable import by_duets, by_trials
from fivenines.analysis.troubles import trouble_results
from fivenines.analysis.wording import count
from fivenines.report import (
    calibration,
    counters,
    delay,
    details,
    distance,
    duet,
    invariants,
    isolation,
    nines,
    phases,
    sharing,
    side_by_side,
    split_brain,
    stalls,
    transactions,
    truth,
)
from fivenines.report.figures import (
    DOTS_LEGEND,
    LINES_LEGEND,
    OUTAGE_LEGEND,
    Figure,
    outage_figures,
    speed_figures,
)
from fivenines.report.groups import Names, before_faults, groups_of, names_of, workload_kinds
from fivenines.report.phase_figures import LEGEND as PHASES_LEGEND
from fivenines.report.phase_figures import phase_figures
from fivenines.report.summary import row, summary_table
from fivenines.report.sweep_figures import sweep_figures
from fivenines.report.sweeps import LEGEND as LEGEND_OF_SWEEPS
from fivenines.report.sweeps import best_tables
from fivenines.report.table import Table
from fivenines.report.tellable import LEGEND as LEGEND_OF_TELLABLE
from fivenines.report.tellable import tellable_table
from fivenines.report.timelines import LEGEND, timeline_figures
from fivenines.report.troubles import trouble_table, trouble_text
from fivenines.results.store import Run

_OPEN = 4
"""So many tables of transaction types are shown open."""

_SHORT = 15
"""A table of more rows is folded away where the page has its sum already."""


@dataclass(frozen=True)
class Drawer:
    """Tables that are folded away until wanted."""

    title: str
    tables: list[Table] = field(default_factory=list)
    text: str = ""


@dataclass(frozen=True)
class Section:
    """A part of the page with its heading; what is empty is left out."""

    id: str
    title: str
    texts: list[str] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    drawers: list[Drawer] = field(default_factory=list)

    @property
    def filled(self) -> bool:
        return any((self.texts, self.tables, self.figures, self.drawers))


def sections(run: Run, swept: Compared, names: Names) -> list[Section]:
    """All chapters in their order; some may be empty."""
    cells = swept.cells
    groups = groups_of(cells, names)
    done = [cell for cell in cells if cell.complete]
    undisturbed = groups_of(before_faults(cells), names)
    speed = [figure for group in undisturbed for figure in speed_figures(group, names)]
    outages = [figure for group in groups for figure in outage_figures(group, names)]
    spread = _drawer("All measures with their spread", details.spread_table(done, names))
    duets = duet_results(run)
    limits = _full(
        details.bottleneck_table(done, names),
        sharing.table(done, names),
        details.errors_table(done, names),
    )
    overview = _full(summary_table([row(cell) for cell in cells]))
    return [
        _wrong(run, swept.measured),
        Section("summary", "Summary", tables=overview, drawers=spread),
        _trust(run),
        _duet(duets),
        _sampled("solutions", "Solutions side by side", side_by_side.chapter(run, done, names)),
        _speed(done, names, speed),
        _sweeps(swept),
        _distance(run, done, names),
        _transactions(run, done, names),
        _failover(done, names),
        _phases(done, names),
        _charted("outage", "Outages, trial by trial", outages, OUTAGE_LEGEND),
        _nines(run, done, names),
        _split(swept.measured),
        _loss(done, names),
        _truth(done, names),
        _isolation(done, names),
        _invariants(done, names),
        _sampled(
            "delay",
            "Replication delay: what servers say, and the truth",
            delay.chapter(run, done, names),
        ),
        _sampled("counters", "Servers and hosts", counters.chapter(run, done, names)),
        _differences(done, names, duets),
        _tellable(done, names, duets),
        Section("errors", "Errors and limits of the load", tables=limits),
        _rejoin(done, names),
        _broken(run, done, names),
        _settings(run, done, names),
    ]


def _wrong(run: Run, cells: list[CellResult]) -> Section:
    """All bad states; where they are many, the first of each kind stands for the rest."""
    names, found = names_of(cells), trouble_results(run, cells)
    table = trouble_table(found, names)
    texts = [trouble_text(found)] if found else []
    if not _long(table):
        return Section("wrong", "What went wrong", texts, _full(table))
    first = {one.kind: one for one in reversed(found)}
    short = trouble_table(list(first.values())[::-1], names)
    return Section("wrong", "What went wrong", texts, [short], [], _drawer("All of it", table))


def _trust(run: Run) -> Section:
    """What the machine's calibration had found; said, too, where there is none."""
    short = calibration.overview_table(run.manifest.calibration)
    table = calibration.calibration_table(run.manifest.calibration)
    texts = calibration.texts(run.manifest)
    return Section(
        "trust", calibration.TITLE, texts, _full(short), [], _drawer(table.caption, table)
    )


def _split(cells: list[CellResult]) -> Section:
    """Split brains, which the top of the page tells of, too."""
    table = split_brain.split_table(cells, names_of(cells))
    return Section("split", "Split brain", [split_brain.LEGEND] if table.rows else [], _full(table))


def _speed(done: list[CellResult], names: Names, figures: list[Figure]) -> Section:
    """Throughput and response time, and where time of the steady window went instead."""
    texts = [_legend(done)] if figures else []
    lost = _full(stalls.table(done, names))
    texts += [stalls.LEGEND] if lost else []
    title = "Throughput and response time before the fault"
    return Section("speed", title, texts, lost, figures)


def _charted(id_: str, title: str, figures: list[Figure], legend: str) -> Section:
    return Section(id_, title, [legend] if figures else [], figures=figures)


def _sampled(id_: str, title: str, chapter: counters.Chapter) -> Section:
    drawers = [Drawer(table.caption, [table]) for table in chapter.folded if table.rows]
    return Section(id_, title, chapter.texts, chapter.tables, chapter.figures, drawers)


def _legend(cells: list[CellResult]) -> str:
    return LINES_LEGEND if len({cell.key.connections for cell in cells}) > 1 else DOTS_LEGEND


def _full(*tables: Table) -> list[Table]:
    return [table for table in tables if table.rows]


def _drawer(title: str, *tables: Table, text: str = "") -> list[Drawer]:
    found = _full(*tables)
    return [Drawer(title, found, text)] if found or text else []


def _sweeps(swept: Compared) -> Section:
    """What was tried of swept solutions, and which variant the other chapters show."""
    title = "Sweeps, and the best case of each"
    if not swept.sweeps:
        return Section("sweeps", title)
    tables = best_tables(swept)
    return Section("sweeps", title, [LEGEND_OF_SWEEPS], tables, sweep_figures(swept))


def _distance(run: Run, cells: list[CellResult], names: Names) -> Section:
    drawn = distance.figures(run, cells, names)
    wire = _drawer("What goes over the wire between sites", distance.wire_table(run, cells, names))
    title = "Throughput and response time against distance"
    return Section("distance", title, [distance.LEGEND] if drawn else [], [], drawn, wire)


def _failover(cells: list[CellResult], names: Names) -> Section:
    figures, left_out = timeline_figures(cells, names)
    texts = [LEGEND] if figures else []
    if left_out:
        texts.append(
            f"{count(left_out, 'cell')} with fewer connections are left out here to keep the file"
            " small; their figures are in the tables."
        )
    return Section("failover", "Failover, second by second", texts, figures=figures)


def _phases(cells: list[CellResult], names: Names) -> Section:
    """What the failover times consist of, and what the faults did besides the outage."""
    groups = groups_of(cells, names)
    figures = [figure for group in groups for figure in phase_figures(group, names)]
    tables = _full(phases.effects_table(cells, names))
    drawers = _drawer("Marks out of their order", phases.notes_table(cells, names))
    texts = [PHASES_LEGEND] if figures else []
    return Section("phases", "Failover by phase", texts, tables, figures, drawers)


def _nines(run: Run, cells: list[CellResult], names: Names) -> Section:
    found = availabilities(cells, assumed_mtbf(run))
    tables = _full(nines.nines_table(found, names))
    return Section("nines", "Availability and nines", nines.texts(found), tables)


def _transactions(run: Run, cells: list[CellResult], names: Names) -> Section:
    """How each type of transaction did; a few tables are open, many are folded away."""
    tables = transactions.type_tables(cells, names, workload_kinds(run))
    few = len(tables) <= _OPEN
    loops = _full(transactions.schedule_table(cells, names), transactions.step_table(cells, names))
    connects = _full(transactions.connect_table(cells, names))
    drawers = [] if few else [Drawer(table.caption, [table]) for table in tables]
    drawers += [Drawer("Connecting", connects)] if connects else []
    return Section(
        "transactions", "Types of transactions and the schedule", [],
        [*loops, *(tables if few else [])], drawers=drawers,
    )  # fmt: skip


def _invariants(cells: list[CellResult], names: Names) -> Section:
    every = invariants.invariants_table(cells, names)
    violated = invariants.violated_table(cells, names)
    unknown = invariants.unknown_table(cells, names)
    texts = []
    if every.rows and not violated.rows:
        texts = ["No invariant is violated in any trial in which it could be asked."]
    drawers = _drawer("All invariants of all cells", every)
    return Section(
        "invariants", "Invariants of the data", texts, _full(violated, unknown), [], drawers
    )


def _loss(cells: list[CellResult], names: Names) -> Section:
    checked = details.loss_table(cells, names)
    lost = details.lost_ids_table(cells, names)
    if not checked.rows:
        return Section("loss", "Lost rows")
    texts = [] if lost.rows else ["No acknowledged row is missing on any node that could be read."]
    unreadable = details.unreadable_nodes(cells, names)
    drawers = [
        *(_drawer("Lost rows of each trial, by node and id", lost) if _long(lost) else []),
        *(_drawer(unreadable.caption, unreadable) if _long(unreadable) else []),
    ]
    tables = _full(checked, *(each for each in (lost, unreadable) if not _long(each)))
    return Section("loss", "Lost rows", texts, tables, drawers=drawers)


def _truth(cells: list[CellResult], names: Names) -> Section:
    """What reads and nodes showed beside what was true."""
    differences = truth.difference_table(cells, names)
    compared = truth.divergence_table(cells, names)
    tables = _full(truth.read_table(cells, names), truth.view_table(cells, names), compared)
    texts = []
    if compared.rows and not differences.rows:
        texts = ["All tables are the same on all nodes that could be compared, in every trial."]
    order, left_out = truth.order_table(cells, names), truth.left_out_table(cells, names)
    tables += _full(truth.execution_table(cells, names))
    drawers = [
        drawer
        for table in (differences, order, left_out)
        for drawer in _drawer(table.caption, table)
    ]
    title = "Stale reads, sessions, and nodes that differ"
    return Section("truth", title, texts if tables else [], tables, [], drawers)


def _isolation(cells: list[CellResult], names: Names) -> Section:
    """Anomalies of transactions, the first of each kind drawn."""
    found = isolation.isolation_table(cells, names)
    examples = isolation.example_table(cells, names)
    texts = []
    if found.rows and not examples.rows:
        texts = ["No violation of isolation was found in any trial."]
    drawers = _drawer(examples.caption, examples)
    drawers += _drawer("Notes of the checkers", isolation.note_table(cells, names))
    figures = isolation.anomaly_figures(cells, names)
    return Section("isolation", "Isolation of transactions", texts, _full(found), figures, drawers)


def _long(table: Table) -> bool:
    return len(table.rows) > _SHORT


def _duet(results: list[DuetResult]) -> Section:
    tables = _full(duet.ratio_table(results), duet.side_table(results))
    return Section("duet", duet.TITLE, duet.texts(results), tables, duet.figures(results))


def _tellable(cells: list[CellResult], names: Names, duets: list[DuetResult]) -> Section:
    """How large a difference this run can tell."""
    found = [*by_duets(duets), *by_trials(cells, speed=not duets)]
    tables = _full(tellable_table(found, names))
    texts = [LEGEND_OF_TELLABLE] if found else []
    return Section("power", "What differences this run can tell", texts, tables)


def _differences(cells: list[CellResult], names: Names, duets: list[DuetResult]) -> Section:
    tables = details.difference_tables(cells, names, speed=not duets)
    n = sum(len(table.rows) for table in tables)
    if not n:
        return Section("differences", "Differences between solutions")
    text = (
        f"{count(n, 'comparison')}, each with its own 95 % interval. Where service was not back in some"
        " trial, its outage is a lower bound, and only what is proven all the same is said."
    )
    first, *rest = tables
    drawers = [Drawer(table.caption, [table]) for table in rest]
    return Section("differences", "Differences between solutions", [text], [first], [], drawers)


def _rejoin(cells: list[CellResult], names: Names) -> Section:
    table = details.rejoin_table(cells, names)
    restarted = [
        trial
        for cell in cells
        for trial in cell.trials
        if any(fault.rejoined is not None for fault in trial.record.faults)
    ]
    texts = []
    if restarted and not table.rows:
        texts = [f"The restarted node rejoined in all {count(len(restarted), 'trial')}."]
    return Section("rejoin", "Nodes that did not rejoin, and why", texts, _full(table))


def _broken(run: Run, cells: list[CellResult], names: Names) -> Section:
    tables = _full(details.broken_table(run, names), details.notes_table(cells, names))
    texts = [*run.problems, *duet.broken_texts(run)]
    if run.missing:
        ids = ", ".join(planned.id for planned in run.missing)
        texts.append(f"{count(len(run.missing), 'planned trial')} not complete: {ids}.")
    if not tables and not texts:
        texts = ["None: every planned trial is complete."]
    return Section("broken", "Broken and missing trials", texts, tables)


def _settings(run: Run, cells: list[CellResult], names: Names) -> Section:
    manifest = run.manifest
    engines = Table(
        "Engines", ["Engine", "Version"], [list(item) for item in manifest.engines.items()]
    )
    drawers = [
        *_drawer("The experiment, defaults included", details.experiment_table(run)),
        *_drawer("The experiment file as it was", text=manifest.source),
        *_drawer("Machine and engines", details.machine_table(manifest.machine), engines),
    ]
    for solution, tables in details.solution_tables(cells).items():
        drawers += _drawer(f"Settings of {solution}", *tables)
    drawers += _drawer("All trials and their seeds", details.trials_table(run, names))
    return Section("settings", "Settings and environment", drawers=drawers)
