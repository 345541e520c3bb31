"""The chapter on sweeps: variants, best cases, and how certain these are."""

from collections import Counter
from collections.abc import Sequence

from fivenines.analysis.cells import CellResult
from fivenines.analysis.measured import values_of
from fivenines.analysis.measures.measures import Measure
from fivenines.analysis.performance.sweeps import Compared, Sweep, Unit
from fivenines.analysis.statistics.best_case import Candidate, Choice, Half, chooses, reports
from fivenines.analysis.statistics.means import Difference, summarise
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
from fivenines.report.chapters.data import Data
from fivenines.report.charts import theme
from fivenines.report.charts.svg import to_svg
from fivenines.report.charts.sweep import SweepPanel, SweepRow, sweep_chart
from fivenines.report.groups import Names, names_of
from fivenines.report.html.figures import Figure
from fivenines.report.html.section import Section, explained, folded, in_row
from fivenines.report.sentences.answer import Answer
from fivenines.report.table import Table, right, without_empty


def chapter(data: Data) -> Section:
    """Return the best case of each sweep, which the other chapters show, and all variants."""
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


# The number of conditions of a sweep in its chart; tables have all of them.
_PANELS = 12


def sweep_figures(swept: Compared) -> list[Figure]:
    """Return a figure for each sweep in its solution's colour, with a table of all variants."""
    names, styles = names_of(swept.variants), names_of(swept.cells).styles
    return [_figure(sweep, names, styles.get(sweep.name, theme.NEUTRAL)) for sweep in swept.sweeps]


def _figure(sweep: Sweep, names: Names, style: theme.Style) -> Figure:
    conditions = [
        (label, unit, cells)
        for unit in sweep.units
        for label, cells in conditions_of(sweep, unit, names).items()
    ]
    text = finding(sweep, names)
    if len(conditions) > _PANELS:
        text += f" The chart shows the first {_PANELS} of {len(conditions)} conditions."
    axis, factor = _axis(sweep)
    panels = [
        SweepPanel(label, _rows(sweep, unit, cells, factor)) for label, unit, cells in conditions[:_PANELS]
    ]
    svg = to_svg(sweep_chart(panels, axis, style))
    return Figure(f"Sweep of {sweep.name}", text, svg, variant_table(sweep, names))


def _axis(sweep: Sweep) -> tuple[str, float]:
    """Return the unit of the axes, and the divisor of values; long times are in seconds."""
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
        choosing, reporting = ([(value / factor, bound) for value, bound in half] for half in halves)
        choosing = [] if sweep.same_trials else choosing
        rows.append(SweepRow(variant.words, name == best, choosing, reporting))
    return rows


LEGEND = (
    "Each best case was chosen on the trials with odd numbers (hollow circles). Its figures, here and in all"
    " other chapters, come from the trials with even numbers (filled; the line is their mean, the bar its 95"
    " % interval), which had no influence on the choice. The best of several means is partly luck, so the"
    " choosing half flatters the winner. Triangles are lower bounds: service did not recover. Axes need not"
    " begin at 0."
)

SAME_TRIALS = (
    "If a best case was chosen and reported on the same trials, as the experiment requests, its figures are"
    " flattered: the best of several means is partly luck (the winner's curse). The bias grows with the"
    " number of variants and their similarity, and shrinks with the number of trials. Neither the intervals"
    " nor the comparison with the runner-up correct for it, and it may explain a difference to another"
    " solution."
)


# The best cases of more conditions are counted in the answer, not listed.
_MANY = 4


def best_tables(swept: Compared) -> list[Table]:
    """Return the best cases of each sweep by condition."""
    names = names_of(swept.variants)
    return [_best_table(sweep, names) for sweep in swept.sweeps]


def variant_tables(swept: Compared) -> list[Table]:
    """Return all variants of each sweep under all conditions."""
    names = names_of(swept.variants)
    return [variant_table(sweep, names) for sweep in swept.sweeps]


def sweep_answers(swept: Compared) -> list[Answer]:
    """Return sentences on the best cases; those of many conditions are counted."""
    names = names_of(swept.variants)
    return [
        Answer("Best case", text, "sweeps")
        for sweep in swept.sweeps
        for text in (sentences(sweep, names) if len(sweep.units) <= _MANY else [_counted(sweep)])
    ]


def sentences(sweep: Sweep, names: Names) -> list[str]:
    """Return for each condition the best variant, its figure, and the difference to the runner-up."""
    texts = []
    for unit in sweep.units:
        where = _where(unit, names)
        head = f"{sweep.name}, {where}" if where else sweep.name
        choice = unit.choice
        if choice is None:
            texts.append(f"{head}: no best case, as fewer than two variants have complete trials.")
            continue
        best = sweep.variants[choice.best.name].words
        figure = _figure_text(sweep.by, choice)
        text = f"{head}: {best} is the best of {len(sweep.variants)} by {_by(sweep.by)}"
        text += f", {figure}" if figure else ""
        text += _FLATTERED if sweep.same_trials else ""
        texts.append(f"{text}; {_against_next(sweep, choice)}.")
    return texts


# The head of the column that compares the best case with the next one.
RUNNER_UP = "Against the runner-up"

_FLATTERED = " (chosen on the same trials, so flattered)"


def _best_table(sweep: Sweep, names: Names) -> Table:
    """Return the best case of each condition."""
    columns = ["Conditions", "Best case", "Figure", RUNNER_UP, "Figure on the choosing half", "Flattered by"]
    rows = [_best_row(sweep, unit, names) for unit in sweep.units]
    half = "the choosing trials, so flattered" if sweep.same_trials else "the reporting half"
    caption = (
        f"{sweep.name}: the best of {count(len(sweep.variants), 'variant')} by {_by(sweep.by)}"
        f"{_unit(sweep.by)}; figures of {half}"
    )
    numeric = right(columns, "Conditions", "Best case", RUNNER_UP)
    table = Table(caption, columns, rows, 2, numeric)
    return without_empty(table, "Conditions")


def variant_table(sweep: Sweep, names: Names) -> Table:
    """Return all variants under all conditions, with separate figures of both halves."""
    columns = [
        "Conditions",
        "Variant",
        "Trials",
        "Mean of the choosing half",
        "Mean of the reporting half",
        "Best compared with it",
    ]
    if sweep.same_trials:
        columns[3:5] = ["Mean of all trials"]
    rows = [row for unit in sweep.units for row in _variant_rows(sweep, unit, names)]
    caption = f"{sweep.name}: {_by(sweep.by)}{_unit(sweep.by)} of all variants"
    shown = right(columns, "Conditions", "Variant", "Best compared with it")
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
        return "no choosing trial" if one is None and choice else NOTHING
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
    """Return the comparison with the runner-up in words."""
    following = choice.next
    if following is None:
        return "there is no runner-up"
    name = sweep.variants[following.name].words
    difference = choice.against(following)
    if difference is None:
        return f"not comparable with the runner-up, {name}: service did not recover in some trial"
    if not (difference.known or difference.bounded):
        least = 2 if sweep.same_trials else 4
        return f"the difference to the runner-up, {name}, is not known (run {least} or more trials of each)"
    words = words_of_measure(sweep.by)
    text = clause(name, difference, words)
    match choice.verdict:
        case "alike" | "unknown":
            ends = f"(difference {_interval(difference, words)})"
            alike = f"no measurable difference to the runner-up, {name} {ends}"
            return f"it is {text}" if difference.bounded else alike
        case "behind":
            return f"the reporting half contradicts: there it is {text}. Measure again with more trials"
        case _:
            return text


def _interval(difference: Difference, words: Words) -> str:
    """Return the ends of a difference in per cent; in the measure's unit if the other may be 0."""
    low, high = difference.ratio_low, difference.ratio_high
    if low is not None and high is not None:
        ends = [percent(100 * (end - 1), signed=True) for end in (low, high)]
        return f"{ends[0]} to {ends[1]} %"
    absolute = [
        f"{'+' if end > 0 else ''}{number(end)}"
        for end in (difference.low, difference.high)
        if end is not None
    ]
    return f"{' to '.join(absolute)} {words.unit}"


def _percent(difference: Difference) -> str:
    return f"{percent(100 * ((difference.ratio or 1.0) - 1), signed=True)} %"


def _figure_text(measure: Measure, choice: Choice) -> str:
    """Return the best case's figure from the reporting half."""
    text = _only(measure, choice.best.reporting)
    unit = measure.unit_in_words
    return f"{text} {unit}" if text and unit and not measure.milli else text


def _only(measure: Measure, half: Half) -> str:
    """Return the mean of a single stratum; "" for several, which have no common mean."""
    some = list(half.strata.values())
    if len(some) != 1 or not some[0].n:
        return ""
    return mean_of_measure(some[0], measure)


def finding(sweep: Sweep, names: Names) -> str:
    """Return the result of a sweep in one sentence."""
    return sentences(sweep, names)[0] if len(sweep.units) == 1 else _counted(sweep)


def _counted(sweep: Sweep) -> str:
    """Return how often each variant is best, if there are too many conditions to list."""
    choices = [unit.choice for unit in sweep.units if unit.choice]
    often = Counter(sweep.variants[choice.best.name].words for choice in choices)
    ahead = sum(choice.verdict == "ahead" for choice in choices) or "none of them"
    parts = [f"{words} in {n}" for words, n in often.most_common()]
    conditions = count(len(sweep.units), "condition")
    return (
        f"{sweep.name}, best of {len(sweep.variants)} by {_by(sweep.by)}"
        f"{_FLATTERED if sweep.same_trials else ''} under {conditions}:"
        f" {listed(parts) or 'none could be chosen'}; it is measurably ahead of the runner-up in {ahead}."
    )


def _by(measure: Measure) -> str:
    return measure.called or measure.noun


def _unit(measure: Measure) -> str:
    if measure.milli or not measure.unit:
        return ""
    return f", {measure.unit_in_words}"


def _where(unit: Unit, names: Names) -> str:
    return names.label(unit.key) if unit.key else unit.workload or "all cells together"


def conditions_of(sweep: Sweep, unit: Unit, names: Names) -> dict[str, list[CellResult]]:
    """Return a unit's cells by condition; the fault is one only if the measure depends on it."""
    by_label: dict[str, list[CellResult]] = {}
    for cell in unit.cells:
        if sweep.by.fault and not cell.faulted:
            continue
        fault = "" if sweep.by.when == "steady" else cell.key.fault
        label = names.label(cell.key.model_copy(update={"fault": fault}))
        by_label.setdefault(label, []).append(cell)
    return by_label


def values_in(sweep: Sweep, cells: Sequence[CellResult], *, choosing: bool) -> list[tuple[float, bool]]:
    """Return the values of one half of the trials, and whether each is a lower bound."""
    belongs = chooses if choosing else reports
    trials = [
        trial
        for cell in cells
        for trial in cell.trials
        if belongs(trial.record.number, same_trials=sweep.same_trials)
    ]
    return [value for value in values_of(sweep.by.name, trials) if value is not None]


def _halves(sweep: Sweep, cells: Sequence[CellResult], name: str) -> list[list[tuple[float, bool]]]:
    """Return the values of a variant's trials: of the choosing half, and of the reporting half."""
    own = [cell for cell in cells if cell.key.solution == name]
    return [values_in(sweep, own, choosing=half) for half in (True, False)]


def _half_text(measure: Measure, values: Sequence[tuple[float, bool]]) -> str:
    """Return the mean of one half; a lower bound if service did not recover."""
    summary = summarise([value for value, _ in values], bounds=sum(bound for _, bound in values))
    return mean_of_measure(summary, measure)
