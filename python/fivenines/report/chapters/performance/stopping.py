"""Chapter `stopping` of the report: why the trials of each cell ended, if their number was not fixed."""

from collections.abc import Iterable

from fivenines.analysis.cells import CellResult
from fivenines.analysis.measured import VALUES
from fivenines.analysis.measures.measures import MEASURES
from fivenines.analysis.measures.trials import TrialsSettings, UntilSettings
from fivenines.analysis.statistics.means import never_upper_bound
from fivenines.analysis.statistics.sequential import Look, level, look, settings_of, until_decided_of
from fivenines.analysis.wording import NOTHING, count, mean_of_measure, percent
from fivenines.base.units import about
from fivenines.report.chapters.data import Data
from fivenines.report.html.section import Section
from fivenines.report.table import CELL, Table, right
from fivenines.results.records import Decided, Settled

TITLE = "Number of trials"

_HOLDS = (
    "Each cell ran until its interval was narrow enough. The intervals of throughput, response times, "
    "outages and failovers are therefore wider than with a fixed number of trials: they are repeated "
    "confidence intervals (Jennison and Turnbull 1989), which contain the mean in 95 % of runs at any "
    "stopping time. Shares of trials, such as those with lost rows, and other figures (counters, costs, "
    "resource use) are not widened."
)


def chapter(data: Data) -> Section:
    """Return why trials ended, and how many were saved; empty if their number was fixed."""
    settings = settings_of(data.run)
    if until_decided_of(data.run) is not None:
        return Section("stopping", TITLE, [_decided(data.run.manifest.decided)])
    if settings.until is None:
        return Section("stopping", TITLE)
    looks = {cell.key: _look(cell, settings, settings.until) for cell in data.done}
    rows = [
        [
            cell.key.solution,
            data.names.label(cell.key),
            str(cell.complete),
            mean_of_measure(looks[cell.key].summary, MEASURES[settings.until.measure]),
            _share(looks[cell.key].share),
            _state(looks[cell.key], cell, settings),
        ]
        for cell in data.done
    ]
    title = MEASURES[settings.until.measure].title
    columns = [*CELL, "Trials", title, "± % of the mean", "Ended"]
    table = Table(f"{title}, by which trials ended", columns, rows, 2, right(columns, *CELL, "Ended"))
    texts = [
        f"{_settled(looks.values(), settings.until)} {_saved(data.run.manifest.settled)}",
        *_coverage(data.done),
        _HOLDS,
    ]
    return Section("stopping", TITLE, texts, [table])


def _decided(decided: Decided | None) -> str:
    """Return why the trials and blocks of a part of a study ended."""
    text = (
        "The claims of the study were judged after each trial of all cells and each block. Intervals allow "
        "for these looks, so they are wider than with a fixed number."
    )
    if decided is None:
        return f"{text} All planned trials and blocks ran, or the run is not complete."
    why = "no claim needed more" if decided.why == "decided" else "the time was over"
    spared = f"{decided.spared} trials and blocks of the largest plan"
    return f"{text} After {decided.replications} of each, {why}; {spared} were saved."


def _look(cell: CellResult, settings: TrialsSettings, until: UntilSettings) -> Look:
    values = [value for one in cell.trials if (value := VALUES[until.measure](one)) is not None]
    nominal = level(settings.at_least, settings.at_most)
    return look(values, cell.complete, settings.at_least, until.within, nominal)


def _settled(looks: Iterable[Look], until: UntilSettings) -> str:
    each = [one.state == "settled" for one in looks]
    noun, within = MEASURES[until.measure].noun, percent(100 * until.within)
    are = "is" if sum(each) == 1 else "are"
    return (
        f"{sum(each)} of {count(len(each), 'cell')} {are} settled: the 95 % interval of the {noun} is within "
        f"±{within} % of the mean."
    )


def _share(share: float | None) -> str:
    return NOTHING if share is None else percent(100 * share)


def _state(result: Look, cell: CellResult, settings: TrialsSettings) -> str:
    if result.state == "settled":
        return "settled"
    if result.state == "not measured":
        return "not measured, ended after at_least"
    return "ended at at_most" if cell.complete >= settings.at_most else "trials are missing"


def _saved(settled: list[Settled]) -> str:
    trials = sum(one.spared for one in settled)
    if not trials:
        return "No trial was saved."
    seconds = about(sum(one.seconds for one in settled))
    were = "was" if trials == 1 else "were"
    return f"{count(trials, 'trial')} of the largest plan {were} saved, about {seconds}."


def _coverage(cells: list[CellResult]) -> list[str]:
    """Return the largest share of faults whose effects the trials may not have shown."""
    fewest = min((cell.complete for cell in cells), default=0)
    if not fewest:
        return []
    share = percent(100 * never_upper_bound(fewest))
    return [
        f"The smallest number of trials of a cell is {fewest}. Effects that occur in up to {share} % of "
        "faults may have been missed there (95 % upper bound), and intervals do not include them."
    ]
