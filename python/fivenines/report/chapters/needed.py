"""Chapter `needed` of the report: why cells have the number of trials that they have, if it was not fixed."""

from collections.abc import Iterable

from fivenines.analysis.cells import CellResult
from fivenines.analysis.measured import VALUES
from fivenines.analysis.sequential import Look, level, look, settings_of
from fivenines.analysis.statistics import never_upper_bound
from fivenines.analysis.wording import NOTHING, count, mean_of_measure, percent
from fivenines.report.chapters.data import Data
from fivenines.report.section import Section
from fivenines.report.table import CELL, Table, right
from fivenines.requirements.measures import MEASURES
from fivenines.requirements.trials import TrialsSettings, UntilSettings
from fivenines.results.records import Settled
from fivenines.units import about

TITLE = "Trials as needed"

_HOLDS = (
    "As the number of trials was chosen while they ran, the intervals of throughput, response times, outages "
    "and failovers are wider than those of a fixed number: they are repeated confidence intervals (Jennison "
    "and Turnbull 1989), which hold the mean in 95 % of runs whenever one stops. Shares of trials, as of "
    "lost rows, and what is counted besides (counters, costs, what a solution takes) are not widened."
)


def chapter(data: Data) -> Section:
    """What trials ended by, and what that saved; empty where their number was fixed."""
    settings = settings_of(data.run)
    if settings.until is None:
        return Section("needed", TITLE)
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
        *_unseen(data.done),
        _HOLDS,
    ]
    return Section("needed", TITLE, texts, [table])


def _look(cell: CellResult, settings: TrialsSettings, until: UntilSettings) -> Look:
    values = [found for one in cell.trials if (found := VALUES[until.measure](one)) is not None]
    nominal = level(settings.at_least, settings.at_most)
    return look(values, cell.complete, settings.at_least, until.within, nominal)


def _settled(looks: Iterable[Look], until: UntilSettings) -> str:
    each = [one.state == "settled" for one in looks]
    noun, within = MEASURES[until.measure].noun, percent(100 * until.within)
    are = "is" if sum(each) == 1 else "are"
    return (
        f"{sum(each)} of {count(len(each), 'cell')} {are} settled: the {noun} is known within {within} % of "
        "the mean."
    )


def _share(share: float | None) -> str:
    return NOTHING if share is None else percent(100 * share)


def _state(found: Look, cell: CellResult, settings: TrialsSettings) -> str:
    if found.state == "settled":
        return "settled"
    if found.state == "not measured":
        return "not measured, so after the first trials"
    return "by the largest number" if cell.complete >= settings.at_most else "not yet: trials are missing"


def _saved(settled: list[Settled]) -> str:
    trials = sum(one.spared for one in settled)
    if not trials:
        return "No trial was spared."
    seconds = about(sum(one.seconds for one in settled))
    were = "was" if trials == 1 else "were"
    return f"{count(trials, 'trial')} of the most that were planned {were} spared, about {seconds}."


def _unseen(cells: list[CellResult]) -> list[str]:
    """No interval knows of what no trial has shown."""
    fewest = min((cell.complete for cell in cells), default=0)
    if not fewest:
        return []
    share = percent(100 * never_upper_bound(fewest))
    return [
        f"The fewest trials of a cell are {fewest}: what happens in up to {share} % of faults may not have "
        "been seen there, and no interval knows of it."
    ]
