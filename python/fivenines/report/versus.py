"""Report the comparison of runs with a baseline: regressions first, then other differences of the runs."""

from collections.abc import Iterable, Sequence
from typing import Any

from fivenines.analysis.environment import Only
from fivenines.analysis.performance.interleaved_changes import Standing
from fivenines.analysis.statistics.means import Difference, Summary
from fivenines.analysis.versus import Change, Happened, Versus
from fivenines.analysis.wording import NOTHING, count, listed, mean_of_measure, number, percent
from fivenines.report.groups import Names
from fivenines.report.table import Table, right, without_empty
from fivenines.results.records import CellKey

# The number of settings that are named of those that only some runs have.
_NAMED = 5


def sentences(versus: Versus, allowed: float = 0.0) -> list[str]:
    """Return the outcome, then the limits of the comparison."""
    if not versus.changes:
        return [
            "Nothing to compare: no cell (solution, workload, connections, network, fault) has complete "
            f"trials or blocks in {versus.baseline} and in another run.",
            *_coverage(versus),
        ]
    copies = _copies(versus)
    if all(shared == of for shared, of in versus.shared.values()):
        return [*copies, *_surroundings(versus)]
    lines = [*copies, _outcome(versus, allowed)]
    if new := [one for one in versus.happened if one.new]:
        lines.append(f"New: {listed([_happened(one, versus) for one in new])}.")
    return [*lines, _certainty(versus), *_surroundings(versus), *_coverage(versus)]


def _copies(versus: Versus) -> list[str]:
    """Return a sentence for each run that contains trials of the baseline."""
    lines = []
    for run, (shared, of) in versus.shared.items():
        if shared == of:
            lines.append(
                f"{versus.baseline} and {run} contain the same trials: one is a copy of the other, so "
                "nothing can differ."
            )
        elif shared:
            lines.append(f"{versus.baseline} and {run} share {shared} of {count(of, 'trial')}.")
    return lines


def _outcome(versus: Versus, allowed: float) -> str:
    """ "2 of 18 measures are worse than in before, 1 is better. Largest change: tps of a, 0.8 times." """
    worse = sorted((one for one in versus.changes if one.worse_than(allowed)), key=order)
    better = sum(one.better for one in versus.changes)
    beyond = f" by more than {percent(100 * allowed)} %" if allowed else ""
    also = f"{better or 'none'} {'are' if better > 1 else 'is'} better"
    measures = count(len(versus.changes), "measure")
    if not worse:
        return f"No measure is shown to be worse{beyond} than in {versus.baseline}: of {measures} {also}."
    worst = worse[0]
    times = worst.difference.ratio
    size = f", {_ratio(times)} times" if times is not None else ""
    run = f" ({worst.run})" if len(versus.later) > 1 else ""
    verb = "is" if len(worse) == 1 else "are"
    return (
        f"{len(worse)} of {measures} {verb} worse{beyond} than in {versus.baseline}, {also}. Worst change: "
        f"{title_of(worst)} of {worst.key.solution}{size}{run}."
    )


def _certainty(versus: Versus) -> str:
    """Return the confidence level of the comparison."""
    n = len(versus.changes)
    chance = max(1, round(n * (1 - versus.confidence)))
    by_chance = f" By chance alone about {chance} would differ." if n > 9 else ""
    if len(versus.later) < 2:
        return f"Judged by 95 % intervals.{by_chance}"
    level = f"{100 * versus.confidence:.1f}"
    return (
        f"Judged by {level} % intervals, so that the intervals of a measure in {len(versus.later)} runs hold "
        f"together with 95 % confidence (Bonferroni).{by_chance}"
    )


def _surroundings(versus: Versus) -> list[str]:
    """Return whether the runs had the same program, machine, versions and settings."""
    around = versus.environment
    if not around.differs:
        return [
            "Nothing else differs: program, machine, versions and settings are the same "
            f"({count(around.same, 'entry', 'entries')} compared)."
        ]
    lines = []
    if around.differing:
        many = count(len(around.differing), "difference")
        lines.append(f"The environments of the runs differ ({many}), which may explain the ratios.")
    by_runs: dict[tuple[int, ...], list[Only]] = {}
    for one in around.only:
        by_runs.setdefault(one.runs, []).append(one)
    for runs, things in by_runs.items():
        names = [
            one.what if one.number == 1 else f"{one.what} ({one.number} settings)" for one in things[:_NAMED]
        ]
        rest = len(things) - len(names)
        more = [f"{rest} more"] if rest else []
        lines.append(f"Only in {listed([versus.runs[n] for n in runs])}: {listed([*names, *more])}.")
    return lines


def _coverage(versus: Versus) -> list[str]:
    """Return the numbers of cells without a counterpart, and a note on single blocks."""
    lines = []
    for run, keys in versus.lacking.items():
        if keys:
            lines.append(f"{count(len(keys), 'cell')} of {versus.baseline} not in {run}.")
    for run, keys in versus.added.items():
        if keys:
            lines.append(f"{count(len(keys), 'cell')} only in {run}.")
    blocks = [one.difference for one in versus.changes if one.interleaved]
    blocks += [one.difference for one in versus.standings]
    if any(not one.known for one in blocks):
        lines.append(
            "Interleaved comparisons with only one block are shown but not judged, as the next deployment "
            "may differ. Run three blocks."
        )
    return lines


def changes_table(versus: Versus, names: Names, allowed: float, every: bool) -> Table:
    """Return a row for each measure that changed, the worst first; with `every`, for all measures."""
    shown = [one for one in versus.changes if every or one.significant]
    rows = [
        [
            _word(one, allowed),
            one.run if len(versus.later) > 1 else "",
            title_of(one),
            one.key.solution,
            names.label(one.key),
            ratio_text(one.difference),
            _mean(one, one.difference.b),
            _mean(one, one.difference.a),
        ]
        for one in sorted(shown, key=order)
    ]
    columns = ["Verdict", "Run", "Measure", "Solution", "Conditions", "Ratio", "Baseline", "Later"]
    caption = "What changed" if not every else "All measures"
    table = Table(caption, columns, rows, 4, right(columns, *columns[:5]))
    return without_empty(without_empty(table, "Conditions"), "Run")


def standings_table(versus: Versus, names: Names) -> Table:
    """Return the ratios of two interleaved solutions in the baseline and later, and their change."""
    rows = [
        [
            "≠ changed" if one.significant else "? inconclusive",
            one.run if len(versus.later) > 1 else "",
            one.measure.title,
            f"{one.key.solution} / {one.other}",
            names.label(one.key),
            ratio_text(one.difference),
            _times(one.difference.b),
            _times(one.difference.a),
        ]
        for one in sorted(versus.standings, key=_by_size)
    ]
    columns = [
        "Verdict",
        "Run",
        "Measure",
        "Solutions",
        "Conditions",
        "Change of the ratio",
        "Baseline",
        "Later",
    ]
    caption = "Interleaved solutions: their ratio in each run, and the factor by which it changed"
    table = Table(caption, columns, rows, 4, right(columns, *columns[:5]))
    return without_empty(without_empty(table, "Conditions"), "Run")


def environment_table(versus: Versus) -> Table:
    """Return the differences between the environments of the runs."""
    rows = [
        [fact.what, *(NOTHING if value is None else value for value in fact.values)]
        for fact in versus.environment.differing
    ]
    return Table("Other differences between the runs", ["Property", *versus.runs], rows)


def as_json(versus: Versus) -> dict[str, Any]:
    """Return the comparison for programs."""
    return {
        "baseline": versus.baseline,
        "runs": versus.later,
        "confidence": versus.confidence,
        "changes": [_change_json(one) for one in sorted(versus.changes, key=order)],
        "interleaved": [
            {
                **one.key.model_dump(),
                "run": one.run,
                "against": one.other,
                "measure": one.measure.name,
                "changed": one.significant,
                **_ratio_json(one.difference),
            }
            for one in versus.standings
        ],
        "events": [
            {
                **one.key.model_dump(),
                "run": one.run,
                "measure": one.measure.name,
                "baseline": list(one.before),
                "later": list(one.after),
                "new": one.new,
            }
            for one in versus.happened
        ],
        "lacking": _keys_json(versus.lacking),
        "added": _keys_json(versus.added),
        "environment": {
            "same": versus.environment.same,
            "differing": [
                {"what": fact.what, "values": dict(zip(versus.runs, fact.values, strict=True))}
                for fact in versus.environment.differing
            ],
            "only": [
                {"what": one.what, "runs": [versus.runs[n] for n in one.runs], "settings": one.number}
                for one in versus.environment.only
            ],
        },
    }


def keys_of(versus: Versus) -> Sequence[CellKey]:
    """Return the cells that were compared."""
    keys = [*(one.key for one in versus.changes), *(one.key for one in versus.standings)]
    return list(dict.fromkeys(keys))


def order(one: Change) -> tuple[int, float]:
    """Return a sort key that puts the worst change first."""
    ratio = one.difference.ratio or 1.0
    loss = 1 / ratio if one.measure.more and ratio else ratio
    if one.measure.more is None:
        loss = 0.0
    return (0 if one.worse else 2 if one.better else 1), -loss


def ratio_text(difference: Difference) -> str:
    """Return "0.81 (0.77 to 0.86)"; with one known end, "0.81 (at least 0.77)"."""
    if difference.ratio is None:
        return NOTHING
    low, high = difference.ratio_low, difference.ratio_high
    return f"{_ratio(difference.ratio)}{ends_text(low, high)}"


def ends_text(low: float | None, high: float | None) -> str:
    """Return " (0.77 to 0.86)" or " (at least 0.77)"; nothing if neither end is known."""
    if low is not None and high is not None:
        return f" ({_ratio(max(0.0, low))} to {_ratio(high)})"
    if low is not None:
        return f" (at least {_ratio(max(0.0, low))})"
    return f" (at most {_ratio(high)})" if high is not None else ""


def _ratio(value: float) -> str:
    return f"{value:.2f}" if value < 10 else number(value)


def where(one: Change | Standing, names: Names, versus: Versus) -> str:
    """Return the cell and run of a change: "galera, 8 connections, nightly-2"."""
    parts = [names.full(one.key), one.run if len(versus.later) > 1 else ""]
    return ", ".join(part for part in parts if part)


def _change_json(one: Change) -> dict[str, Any]:
    return {
        **one.key.model_dump(),
        "run": one.run,
        "measure": one.measure.name,
        "interleaved": one.interleaved,
        "verdict": _verdict(one),
        **_ratio_json(one.difference),
    }


def _verdict(one: Change) -> str:
    """Return the verdict; `differs` is for measures without a better direction."""
    if one.worse or one.better:
        return "worse" if one.worse else "better"
    return "differs" if one.significant else "inconclusive"


def _ratio_json(difference: Difference) -> dict[str, Any]:
    """Return the ratio; with `bounds` > 0 the mean is a lower bound."""
    return {
        "ratio": difference.ratio,
        "low": difference.ratio_low,
        "high": difference.ratio_high,
        "baseline": difference.b.mean,
        "later": difference.a.mean,
        "n": [difference.b.n, difference.a.n],
        "bounds": [difference.b.bounds, difference.a.bounds],
    }


def _keys_json(by_run: dict[str, list[CellKey]]) -> dict[str, list[dict[str, Any]]]:
    return {run: [key.model_dump() for key in keys] for run, keys in by_run.items()}


def _happened(one: Happened, versus: Versus) -> str:
    run = f", {one.run}" if len(versus.later) > 1 else ""
    trials = count(one.after[1], "trial")
    return f"{one.measure.noun} in {one.after[0]} of {trials} of {one.key.solution}{run}"


def _word(one: Change, allowed: float) -> str:
    if one.worse_than(allowed):
        return "✗ worse"
    if one.worse:
        return "✗ worse, allowed" if allowed else "✗ worse"
    if one.better:
        return "✓ better"
    return "≠ differs" if one.significant else "? inconclusive"


def title_of(one: Change) -> str:
    """Return the title of a change's measure, marked if interleaved blocks measured it."""
    return f"{one.measure.title}, interleaved" if one.interleaved else one.measure.title


def _by_size(one: Standing) -> tuple[bool, float]:
    ratio = one.difference.ratio or 1.0
    return not one.significant, -max(ratio, 1 / ratio if ratio else 0.0)


def _mean(one: Change, summary: Summary) -> str:
    return mean_of_measure(summary, one.measure)


def _times(summary: Summary) -> str:
    return NOTHING if summary.mean is None else _ratio(summary.mean)


def with_rows(tables: Iterable[Table]) -> list[Table]:
    """Return the tables that have rows."""
    return [table for table in tables if table.rows]
