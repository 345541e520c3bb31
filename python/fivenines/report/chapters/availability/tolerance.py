"""Chapter `tolerance` of the report: how long a hiccup may last before the cluster fails over."""

from collections.abc import Sequence

from fivenines.analysis.availability.deaths_in_turn import DEATHS
from fivenines.analysis.availability.tolerance import Tolerance, tolerances
from fivenines.analysis.cells import CellResult
from fivenines.analysis.performance.sweeps import Compared
from fivenines.analysis.statistics.threshold import Drift, Threshold
from fivenines.analysis.wording import NOTHING, bearable, count, milliseconds, number, span
from fivenines.report.chapters.data import Data
from fivenines.report.charts.svg import to_svg
from fivenines.report.charts.tolerance import Point, tolerance_chart
from fivenines.report.groups import Names
from fivenines.report.html.figures import Figure
from fivenines.report.html.section import Section, explained
from fivenines.report.sentences.answer import Answer
from fivenines.report.table import Table, right
from fivenines.report.terminal.summary import outage_text
from fivenines.results.store import Run

TITLE = "How long a hiccup may last"

LEGEND = (
    "A hiccup is a fault that kills no server and ends by itself. Each trial had one, and its length followed"
    " from the trials before. The threshold is the length at which half of the trials fail over: another node"
    " was promoted, or a member was expelled, fenced or demoted.",
    "The slope is the time from a chance of 10 % to one of 90 %: a manager that checks once a second meets"
    " the hiccup at a random phase of its checks. A threshold outside the range of the search is a bound.",
    "The outage after a death is that of the same solution and load when its primary is killed. A solution"
    " below the dashed line recovers from a death faster than the longest hiccup that it survives.",
)


def chapter(data: Data) -> Section:
    """Return the tolerated hiccups; empty without a search."""
    found = data.tolerances
    if not found:
        return Section("tolerance", TITLE)
    table, points = tolerance_table(data), points_of(data, data.names)
    drawers = [explained(*LEGEND)]
    if not points:
        return Section("tolerance", TITLE, [], [table], [], drawers, cautions(found))
    figure = Figure(
        "Outage after a death against the hiccup that is survived",
        "Further right is calmer, further down is faster; bars are 95 % intervals. Dashed: equal times.",
        to_svg(tolerance_chart(points)),
        table,
    )
    return Section("tolerance", TITLE, [], [table], [figure], drawers, cautions(found))


def points_of(data: Data, names: Names) -> list[Point]:
    """Return a point of the curve for each search whose solution also met a death."""
    return [
        point
        for search in data.tolerances
        if (death := _death(search.cell, data.done)) is not None
        and (point := _point(search, death, names)) is not None
    ]


def tolerance_answers(run: Run, swept: Compared) -> list[Answer]:
    """Return a sentence for each search."""
    done = [cell for cell in swept.cells if cell.complete]
    return [
        Answer("Hiccups", sentence(one, _death(one.cell, done)), "tolerance")
        for one in tolerances(swept.searched, run.manifest)
    ]


def sentence(one: Tolerance, death: CellResult | None) -> str:
    """Return the result of a search in a sentence."""
    found = one.threshold
    fault = f"{one.cell.called}, {one.cell.key.fault}"
    trials = count(found.trials, "trial")
    shortest, longest = milliseconds(1000 * one.design.shortest), milliseconds(1000 * one.design.longest)
    outage = "" if death is None else f" Outage after {death.key.fault}: {outage_text(death.writes)}."
    match found.state:
        case "bracketed":
            assert found.median is not None
            text = f"half of the trials fail over at {threshold_text(found)} ({trials})"
        case "never":
            text = f"no failover in {trials} of up to {longest}; it survives {_seconds(found.low)} (95 %)"
        case "always":
            text = (
                f"a failover in all of {trials} from {shortest} on; "
                f"it does not survive {_seconds(found.high)} (95 %)"
            )
        case "inconsistent":
            text = (
                f"shorter faults led to failovers and longer ones did not, in {trials}: there is no threshold"
            )
        case _:
            text = f"the length is not known after {trials}: {threshold_text(found)}"
    return f"{fault}: {text}.{outage}"


def threshold_text(found: Threshold) -> str:
    """Return the threshold with its interval, or what is known of it."""
    if found.median is not None and found.low is not None and found.high is not None:
        return bearable(1000 * found.median, 1000 * found.low, 1000 * found.high, milli=True)
    if found.low is not None:
        return f"more than {_seconds(found.low)}"
    if found.high is not None:
        return f"less than {_seconds(found.high)}"
    return NOTHING


def tolerance_table(data: Data) -> Table:
    """Return a row for each search."""
    columns = ["Cell", "Trials", "Failovers", "Threshold", "Slope, 10 to 90 %", "Outage after a death"]
    columns += ["Trend", "Not counted"]
    rows = [
        [
            data.names.full(one.cell.key),
            str(one.threshold.trials),
            str(sum(outcome.failover for outcome in one.outcomes)),
            "contradictory" if one.threshold.state == "inconsistent" else threshold_text(one.threshold),
            _slope(one.threshold),
            NOTHING if death is None else outage_text(death.writes),
            _trend(one.drift),
            str(one.not_counted),
        ]
        for one in data.tolerances
        for death in [_death(one.cell, data.done)]
    ]
    caption = "Length of a hiccup at which half of the trials fail over, with its 95 % interval"
    return Table(caption, columns, rows, 1, right(columns, "Cell"))


def cautions(found: Sequence[Tolerance]) -> list[str]:
    """Return searches that did not end, and thresholds that changed during the run."""
    texts = []
    for one in found:
        where = f"{one.cell.called}, {one.cell.key.fault}"
        if one.drift is not None and one.drift.changed:
            texts.append(f"{where}: the threshold changed from the first to the second half of the trials.")
        if one.threshold.state == "open" and one.threshold.trials >= one.design.at_most:
            texts.append(f"{where}: {count(one.design.at_most, 'trial')} did not find the threshold.")
    return texts


def _death(cell: CellResult, cells: Sequence[CellResult]) -> CellResult | None:
    """Return the cell of the same solution and load whose primary was killed, once in each trial."""
    for one in cells:
        kinds = {fault.kind for trial in one.trials for fault in trial.record.faults}
        single = len(one.faults) <= 1 and len(kinds) == 1
        if one.key.without_fault == cell.key.without_fault and single and kinds <= {*DEATHS}:
            return one
    return None


def _point(one: Tolerance, death: CellResult, names: Names) -> Point | None:
    """Return the point of a search; None if no threshold or bound is known, or no outage was measured."""
    found, outage = one.threshold, death.writes.summary
    middle = found.median or found.low or found.high
    if middle is None or outage.mean is None:
        return None
    bound = "" if found.median is not None else ">" if found.low is not None else "<"
    name = (
        f"{one.cell.called} ({'not recovered' if outage.bounds else bound})"
        if bound or outage.bounds
        else one.cell.called
    )
    tip = f"{names.full(one.cell.key)}\nthreshold {threshold_text(found)}\noutage {outage_text(death.writes)}"
    style = names.styles[one.cell.key.solution]
    return Point(name, style, (found.low, middle, found.high), bound, outage, tip)


def _slope(found: Threshold) -> str:
    if found.spread is None or found.spread_low is None or found.spread_high is None:
        return NOTHING
    return span(1000 * found.spread_low, 1000 * found.spread_high, milli=True)


def _trend(drift: Drift | None) -> str:
    """Return the change of the threshold as a factor."""
    if drift is None or drift.low is None or drift.high is None:
        return NOTHING
    return f"x {number(drift.low)} to {number(drift.high)}"


def _seconds(seconds: float | None) -> str:
    return NOTHING if seconds is None else milliseconds(1000 * seconds)
