"""The chapter on sweeps: what was tried, what is best when, and how sure that is."""

from collections import Counter
from collections.abc import Sequence

from fivenines.analysis.best_case import Candidate, Choice, Half, chooses, reports
from fivenines.analysis.cells import CellResult
from fivenines.analysis.measured import values_of
from fivenines.analysis.statistics import Difference, summarise
from fivenines.analysis.sweeps import Compared, Sweep, Unit
from fivenines.analysis.wording import (
    NOTHING,
    Words,
    clause,
    count,
    listed,
    mean_of_measure,
    number,
    percent,
    words_of_measure,
)
from fivenines.report.answer import Answer
from fivenines.report.chapters.data import Data
from fivenines.report.charts import theme
from fivenines.report.charts.svg import to_svg
from fivenines.report.charts.sweep import SweepPanel, SweepRow, sweep_chart
from fivenines.report.figures import Figure
from fivenines.report.groups import Names, names_of
from fivenines.report.section import Section, explained, folded, in_row
from fivenines.report.table import Table, right, without_empty
from fivenines.requirements.measures import Measure


def chapter(data: Data) -> Section:
    """What was tried of swept solutions, and which variant the other chapters show."""
    title = "Best case of each sweep"
    if not data.swept.sweeps:
        return Section("sweeps", title)
    tables = best_tables(data.swept)
    shown, others = in_row(sweep_figures(data.swept), "The other sweeps")
    flattered = any(sweep.same_trials for sweep in data.swept.sweeps)
    split = not all(sweep.same_trials for sweep in data.swept.sweeps)
    legends = [LEGEND] * split + [SAME_TRIALS] * flattered
    drawers = [*others, *folded(*tables), explained(*legends)]
    return Section("sweeps", title, [], [], shown, drawers)


_PANELS = 12
"""So many conditions of a sweep are drawn; tables have all of them."""


def sweep_figures(found: Compared) -> list[Figure]:
    """A figure for each sweep in its solution's colour, all variants below it as a table."""
    names, styles = names_of(found.variants), names_of(found.cells).styles
    return [_figure(sweep, names, styles.get(sweep.name, theme.NEUTRAL)) for sweep in found.sweeps]


def _figure(sweep: Sweep, names: Names, style: theme.Style) -> Figure:
    conditions = [
        (label, unit, cells)
        for unit in sweep.units
        for label, cells in conditions_of(sweep, unit, names).items()
    ]
    said = finding(sweep, names)
    if len(conditions) > _PANELS:
        said += f" The first {_PANELS} of {len(conditions)} are drawn."
    axis, factor = _axis(sweep)
    panels = [
        SweepPanel(label, _rows(sweep, unit, cells, factor)) for label, unit, cells in conditions[:_PANELS]
    ]
    svg = to_svg(sweep_chart(panels, axis, style))
    return Figure(f"Sweep of {sweep.name}", said, svg, variant_table(sweep, names))


def _axis(sweep: Sweep) -> tuple[str, float]:
    """The unit of the axes, and what values are divided by: long times are better read in seconds."""
    if not sweep.by.milli:
        return words_of_measure(sweep.by).unit or sweep.by.title, 1.0
    cells = [cell for unit in sweep.units for cell in unit.cells]
    longest = max((value for value, _ in values_in(sweep, cells, choosing=True)), default=0.0)
    return ("s", 1000.0) if longest >= 1000 else ("ms", 1.0)


def _rows(sweep: Sweep, unit: Unit, cells: Sequence[CellResult], factor: float) -> list[SweepRow]:
    best = unit.choice.best.name if unit.choice else ""
    rows = []
    for name, variant in sweep.variants.items():
        halves = _halves(sweep, cells, name)
        choosing, reporting = ([(value / factor, gone) for value, gone in half] for half in halves)
        choosing = [] if sweep.same_trials else choosing
        rows.append(SweepRow(variant.words, name == best, choosing, reporting))
    return rows


LEGEND = (
    "Each best case was chosen on the trials with odd numbers (hollow circles). Its figures, here and in"
    " all other chapters, are those of the trials with even numbers (filled; the stroke is their mean, the"
    " bar its 95 % interval), which had no say in the choice: picking the best of several means picks luck,"
    " too, and the half that chose flatters the winner. Triangles are lower bounds: service did not come"
    " back. Axes need not begin at 0."
)

SAME_TRIALS = (
    "Where a best case was chosen on the same trials that it is reported by, as the experiment asked, its"
    " figures are flattered: picking the best of several means picks luck, too (the winner's curse). The bias"
    " is the larger the more variants there are, the closer these are and the fewer the trials. Neither the"
    " intervals nor what is said against the next one allow for it; a difference to another solution may be"
    " due to it."
)


_MANY = 4
"""The best cases of more conditions than these are counted in the answer, not listed."""


def best_tables(found: Compared) -> list[Table]:
    """For each sweep the best cases, condition by condition."""
    names = names_of(found.variants)
    return [_best_table(sweep, names) for sweep in found.sweeps]


def variant_tables(found: Compared) -> list[Table]:
    """For each sweep all variants under all conditions."""
    names = names_of(found.variants)
    return [variant_table(sweep, names) for sweep in found.sweeps]


def sweep_answers(found: Compared) -> list[Answer]:
    """What is best, for the head of the report; best cases of many conditions are counted."""
    names = names_of(found.variants)
    return [
        Answer("Best case", text, "sweeps")
        for sweep in found.sweeps
        for text in (sentences(sweep, names) if len(sweep.units) <= _MANY else [_counted(sweep)])
    ]


def sentences(sweep: Sweep, names: Names) -> list[str]:
    """For each condition: which variant is best, its figure, and whether it can be told from the next."""
    found = []
    for unit in sweep.units:
        where = _where(unit, names)
        head = f"{sweep.name}, {where}" if where else sweep.name
        choice = unit.choice
        if choice is None:
            found.append(f"{head}: no best case, as fewer than two variants have complete trials.")
            continue
        best = sweep.variants[choice.best.name].words
        figure = _figure_text(sweep.by, choice)
        text = f"{head}: {best} is the best of {len(sweep.variants)} by {_by(sweep.by)}"
        text += f", {figure}" if figure else ""
        text += _FLATTERED if sweep.same_trials else ""
        found.append(f"{text}; {_against_next(sweep, choice)}.")
    return found


_FLATTERED = " (chosen on the same trials, so flattered)"


def _best_table(sweep: Sweep, names: Names) -> Table:
    """The best case of each condition."""
    columns = [
        "Conditions",
        "Best case",
        "Its figure",
        "Against the next",
        "On the half that chose it",
        "Flattered by",
    ]
    rows = [_best_row(sweep, unit, names) for unit in sweep.units]
    half = "the trials that chose, so flattered" if sweep.same_trials else "the half that did not choose"
    caption = (
        f"{sweep.name}: the best of {count(len(sweep.variants), 'variant')} by {_by(sweep.by)}"
        f"{_unit(sweep.by)}; figures of {half}"
    )
    numeric = right(columns, "Conditions", "Best case", "Against the next")
    table = Table(caption, columns, rows, 2, numeric)
    return without_empty(table, "Conditions")


def variant_table(sweep: Sweep, names: Names) -> Table:
    """All variants under all conditions, both halves apart."""
    columns = [
        "Conditions",
        "Variant",
        "Trials",
        "Mean of the half that chooses",
        "Mean of the half that reports",
        "Best against it",
    ]
    if sweep.same_trials:
        columns[3:5] = ["Mean of all trials"]
    rows = [row for unit in sweep.units for row in _variant_rows(sweep, unit, names)]
    caption = f"{sweep.name}: {_by(sweep.by)}{_unit(sweep.by)} of all variants"
    shown = right(columns, "Conditions", "Variant", "Best against it")
    table = Table(caption, columns, rows, 2, shown)
    return without_empty(table, "Conditions")


def _best_row(sweep: Sweep, unit: Unit, names: Names) -> list[str]:
    where = _where(unit, names)
    choice = unit.choice
    if choice is None:
        return [where, NOTHING, NOTHING, "too few complete trials", NOTHING, NOTHING]
    flattered = choice.optimism
    ratio = flattered.ratio if flattered and not flattered.bounded else None
    better = None if ratio is None else (ratio - 1) * (1 if choice.higher else -1)
    return [
        where,
        sweep.variants[choice.best.name].words,
        _only(sweep.by, choice.best.reporting) or NOTHING,
        _against_next(sweep, choice),
        NOTHING if sweep.same_trials else _only(sweep.by, choice.best.choosing) or NOTHING,
        NOTHING if better is None else f"{percent(100 * better, signed=True)} %",
    ]


def _variant_rows(sweep: Sweep, unit: Unit, names: Names) -> list[list[str]]:
    choice = unit.choice
    known = {one.name: one for one in choice.candidates} if choice else {}
    rows = []
    for label, cells in conditions_of(sweep, unit, names).items():
        for name, variant in sweep.variants.items():
            halves = _halves(sweep, cells, name)[: 1 if sweep.same_trials else 2]
            rows.append(
                [
                    label,
                    variant.words,
                    " + ".join(str(len(half)) for half in halves),
                    *(_half_text(sweep.by, half) for half in halves),
                    _role(sweep, choice, known.get(name)),
                ]
            )
    return rows


def _role(sweep: Sweep, choice: Choice | None, one: Candidate | None) -> str:
    if choice is None or one is None:
        return "no trial chose" if one is None and choice else NOTHING
    if one is choice.best:
        return "the best case"
    difference = choice.against(one)
    if difference is None or not (difference.known or difference.bounded):
        return "not comparable"
    words = words_of_measure(sweep.by)
    if difference.bounded:
        return clause(sweep.variants[one.name].words, difference, words)
    text = _interval(difference, words)
    return f"{_percent(difference)} ({text})" if text.endswith("%") else text


def _against_next(sweep: Sweep, choice: Choice) -> str:
    """The verdict in words."""
    following = choice.next
    if following is None:
        return "there is no next"
    name = sweep.variants[following.name].words
    difference = choice.against(following)
    if difference is None:
        return f"not comparable with the next, {name}: service did not come back in some trial"
    if not (difference.known or difference.bounded):
        least = f"it takes {2 if sweep.same_trials else 4} trials of each, or more"
        return f"whether it can be told from the next, {name}, is not known ({least})"
    words = words_of_measure(sweep.by)
    said = clause(name, difference, words)
    match choice.verdict:
        case "alike" | "unknown":
            ends = f"(difference {_interval(difference, words)})"
            apart = f"it cannot be told from the next, {name} {ends}"
            return f"it is {said}" if difference.bounded else apart
        case "behind":
            return (
                f"the other half of the trials contradicts: there it is {said}. Measure again, with"
                " more trials"
            )
        case _:
            return said


def _interval(difference: Difference, words: Words) -> str:
    """The ends of a difference, in per cent; in the measure's own unit where the other may be 0."""
    low, high = difference.ratio_low, difference.ratio_high
    if low is not None and high is not None:
        ends = [percent(100 * (end - 1), signed=True) for end in (low, high)]
        return f"{ends[0]} to {ends[1]} %"
    own = [
        f"{'+' if end > 0 else ''}{number(end)}"
        for end in (difference.low, difference.high)
        if end is not None
    ]
    return f"{' to '.join(own)} {words.unit}"


def _percent(difference: Difference) -> str:
    return f"{percent(100 * ((difference.ratio or 1.0) - 1), signed=True)} %"


def _figure_text(measure: Measure, choice: Choice) -> str:
    """The best case's own figure, from the reporting half."""
    text = _only(measure, choice.best.reporting)
    unit = "transactions per second" if measure.name == "tps" else measure.unit
    return f"{text} {unit}" if text and unit and not measure.milli else text


def _only(measure: Measure, half: Half) -> str:
    """The mean of a single stratum; nothing of several, which have no mean in common."""
    some = list(half.strata.values())
    if len(some) != 1 or not some[0].n:
        return ""
    return mean_of_measure(some[0], measure)


def finding(sweep: Sweep, names: Names) -> str:
    """What a sweep found, in one sentence."""
    return sentences(sweep, names)[0] if len(sweep.units) == 1 else _counted(sweep)


def _counted(sweep: Sweep) -> str:
    """How often each variant is best, where there are too many conditions to list."""
    choices = [unit.choice for unit in sweep.units if unit.choice]
    often = Counter(sweep.variants[choice.best.name].words for choice in choices)
    told = sum(choice.verdict == "ahead" for choice in choices) or "none of them"
    parts = [f"{words} in {n}" for words, n in often.most_common()]
    conditions = count(len(sweep.units), "condition")
    return (
        f"{sweep.name}, best of {len(sweep.variants)} by {_by(sweep.by)}"
        f"{_FLATTERED if sweep.same_trials else ''} under {conditions}:"
        f" {listed(parts) or 'none could be chosen'}; it can be told from the next in {told}."
    )


def _by(measure: Measure) -> str:
    return "throughput" if measure.name == "tps" else measure.noun


def _unit(measure: Measure) -> str:
    if measure.milli or not measure.unit:
        return ""
    return f", {'transactions per second' if measure.name == 'tps' else measure.unit}"


def _where(unit: Unit, names: Names) -> str:
    return names.label(unit.key) if unit.key else unit.workload or "all cells together"


def conditions_of(sweep: Sweep, unit: Unit, names: Names) -> dict[str, list[CellResult]]:
    """A unit's cells by what they are measured under: faults only where the measure is of them."""
    found: dict[str, list[CellResult]] = {}
    for cell in unit.cells:
        if sweep.by.fault and not cell.faulted:
            continue
        fault = "" if sweep.by.when == "steady" else cell.key.fault
        label = names.label(cell.key.model_copy(update={"fault": fault}))
        found.setdefault(label, []).append(cell)
    return found


def values_in(sweep: Sweep, cells: Sequence[CellResult], *, choosing: bool) -> list[tuple[float, bool]]:
    """The values of one half of the trials, and whether each is a lower bound."""
    belongs = chooses if choosing else reports
    trials = [
        trial
        for cell in cells
        for trial in cell.trials
        if belongs(trial.record.number, same_trials=sweep.same_trials)
    ]
    return [value for value in values_of(sweep.by.name, trials) if value is not None]


def _halves(sweep: Sweep, cells: Sequence[CellResult], name: str) -> list[list[tuple[float, bool]]]:
    """The values of a variant's trials: of the half that chooses, and of the one that reports."""
    own = [cell for cell in cells if cell.key.solution == name]
    return [values_in(sweep, own, choosing=half) for half in (True, False)]


def _half_text(measure: Measure, values: Sequence[tuple[float, bool]]) -> str:
    """The mean of one half; a lower bound where service did not come back."""
    found = summarise([value for value, _ in values], bounds=sum(bound for _, bound in values))
    return mean_of_measure(found, measure)
