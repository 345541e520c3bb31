"""Runs against a baseline in words and tables: regressions first, and what else differs between the runs."""

from collections.abc import Iterable, Sequence
from typing import Any

from fivenines.analysis.environment import Only
from fivenines.analysis.interleaved_changes import Standing
from fivenines.analysis.statistics import Difference, Summary
from fivenines.analysis.versus import Change, Happened, Versus
from fivenines.analysis.wording import NOTHING, count, listed, mean_of_measure, number, percent
from fivenines.report.groups import Names
from fivenines.report.table import Table, right, without_empty
from fivenines.results.records import CellKey

_NAMED = 5
"""So many settings that only some runs have are named."""


def sentences(found: Versus, allowed: float = 0.0) -> list[str]:
    """The outcome first; then what limits the comparison."""
    if not found.changes:
        return [
            "Nothing could be compared: no cell (solution, workload, connections, network, fault) has "
            f"complete trials or blocks in {found.baseline} and in another run.",
            *_coverage(found),
        ]
    copies = _copies(found)
    if all(shared == of for shared, of in found.shared.values()):
        return [*copies, *_surroundings(found)]
    said = [*copies, _outcome(found, allowed)]
    if new := [one for one in found.happened if one.new]:
        said.append(f"New: {listed([_happened(one, found) for one in new])}.")
    return [*said, _certainty(found), *_surroundings(found), *_coverage(found)]


def _copies(found: Versus) -> list[str]:
    """Of runs that hold trials of the baseline itself, as copies do."""
    said = []
    for run, (shared, of) in found.shared.items():
        if shared == of:
            said.append(
                f"{found.baseline} and {run} are the same trials: one is a copy of the other, so nothing can "
                "differ."
            )
        elif shared:
            said.append(f"{shared} of {count(of, 'trial')} are both in {found.baseline} and in {run}.")
    return said


def _outcome(found: Versus, allowed: float) -> str:
    """ "2 of 18 measures are worse than in before, 1 is better; most of all tps of a: 0.8 times." """
    worse = sorted((one for one in found.changes if one.worse_than(allowed)), key=order)
    better = sum(one.better for one in found.changes)
    beyond = f" by more than {percent(100 * allowed)} %" if allowed else ""
    also = f"{better or 'none'} {'are' if better > 1 else 'is'} better"
    looked = count(len(found.changes), "measure")
    if not worse:
        return f"Nothing is shown to be worse{beyond} than in {found.baseline}: of {looked} {also}."
    worst = worse[0]
    times = worst.difference.ratio
    size = f": {_ratio(times)} times" if times is not None else ""
    run = f" ({worst.run})" if len(found.later) > 1 else ""
    verb = "is" if len(worse) == 1 else "are"
    return (
        f"{len(worse)} of {looked} {verb} worse{beyond} than in {found.baseline}, {also}; most of all "
        f"{worst.measure.title} of {worst.key.solution}{', side by side' if worst.interleaved else ''}{size}{run}."
    )


def _certainty(found: Versus) -> str:
    """How sure that is."""
    looked = len(found.changes)
    chance = max(1, round(looked * (1 - found.confidence)))
    by_chance = f" By chance alone about {chance} would differ." if looked > 9 else ""
    if len(found.later) < 2:
        return f"By 95 % intervals.{by_chance}"
    level = f"{100 * found.confidence:.1f}"
    return (
        f"By {level} % intervals, so that those of a measure in {len(found.later)} runs hold together with "
        f"95 % (Bonferroni).{by_chance}"
    )


def _surroundings(found: Versus) -> list[str]:
    """Whether the runs had the same program, machine, versions and settings."""
    around = found.environment
    if not around.differs:
        return [
            "Nothing else differs: program, machine, versions and settings are the same "
            f"({count(around.same, 'entry', 'entries')} compared)."
        ]
    said = []
    if around.differing:
        many = count(len(around.differing), "difference")
        said.append(f"The runs differ in more than what was measured ({many}): ratios may be due to it.")
    by_runs: dict[tuple[int, ...], list[Only]] = {}
    for one in around.only:
        by_runs.setdefault(one.runs, []).append(one)
    for runs, things in by_runs.items():
        names = [
            one.what if one.number == 1 else f"{one.what} ({one.number} settings)" for one in things[:_NAMED]
        ]
        rest = len(things) - len(names)
        more = [f"{rest} more"] if rest else []
        said.append(f"Only in {listed([found.runs[n] for n in runs])}: {listed([*names, *more])}.")
    return said


def _coverage(found: Versus) -> list[str]:
    """Cells that could not be compared, and what a single block cannot tell."""
    said = []
    for run, keys in found.lacking.items():
        if keys:
            said.append(f"{count(len(keys), 'cell')} of {found.baseline} not in {run}.")
    for run, keys in found.added.items():
        if keys:
            said.append(f"{count(len(keys), 'cell')} only in {run}.")
    blocks = [one.difference for one in found.changes if one.interleaved]
    blocks += [one.difference for one in found.standings]
    if any(not one.known for one in blocks):
        said.append(
            "Interleaved blocks of one block are shown and not judged: the next deployment may differ. Take three blocks."
        )
    return said


def changes_table(found: Versus, names: Names, allowed: float, every: bool) -> Table:
    """A row for each measure that changed, the worst first; `every`: also for those that are not shown to."""
    shown = [one for one in found.changes if every or one.told]
    rows = [
        [
            _word(one, allowed),
            one.run if len(found.later) > 1 else "",
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


def standings_table(found: Versus, names: Names) -> Table:
    """How many times one solution is another one, side by side: then, now, and the change."""
    rows = [
        [
            "≠ changed" if one.told else "? unclear",
            one.run if len(found.later) > 1 else "",
            one.measure.title,
            f"{one.key.solution} / {one.other}",
            names.label(one.key),
            ratio_text(one.difference),
            _times(one.difference.b),
            _times(one.difference.a),
        ]
        for one in sorted(found.standings, key=_by_size)
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
    caption = "Two solutions side by side: their ratio in each run, and by how many times it changed"
    table = Table(caption, columns, rows, 4, right(columns, *columns[:5]))
    return without_empty(without_empty(table, "Conditions"), "Run")


def environment_table(found: Versus) -> Table:
    """What else differs between the runs."""
    rows = [
        [fact.what, *(NOTHING if value is None else value for value in fact.values)]
        for fact in found.environment.differing
    ]
    return Table("What else differs between the runs", ["What", *found.runs], rows)


def as_json(found: Versus) -> dict[str, Any]:
    """For programs."""
    return {
        "baseline": found.baseline,
        "runs": found.later,
        "confidence": found.confidence,
        "changes": [_change_json(one) for one in sorted(found.changes, key=order)],
        "side_by_side": [
            {
                **one.key.model_dump(),
                "run": one.run,
                "against": one.other,
                "measure": one.measure.name,
                "told": one.told,
                **_ratio_json(one.difference),
            }
            for one in found.standings
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
            for one in found.happened
        ],
        "lacking": _keys_json(found.lacking),
        "added": _keys_json(found.added),
        "environment": {
            "same": found.environment.same,
            "differing": [
                {"what": fact.what, "values": dict(zip(found.runs, fact.values, strict=True))}
                for fact in found.environment.differing
            ],
            "only": [
                {"what": one.what, "runs": [found.runs[n] for n in one.runs], "settings": one.number}
                for one in found.environment.only
            ],
        },
    }


def keys_of(found: Versus) -> Sequence[CellKey]:
    """The cells that were compared."""
    keys = [*(one.key for one in found.changes), *(one.key for one in found.standings)]
    return list(dict.fromkeys(keys))


def order(one: Change) -> tuple[int, float]:
    """Sorts the worst to the front."""
    ratio = one.difference.ratio or 1.0
    loss = 1 / ratio if one.measure.more and ratio else ratio
    if one.measure.more is None:
        loss = 0.0
    return (0 if one.worse else 2 if one.better else 1), -loss


def ratio_text(difference: Difference) -> str:
    """ "0.81 (0.77 to 0.86)"; an end that is not known is said to be so."""
    if difference.ratio is None:
        return NOTHING
    low, high = difference.ratio_low, difference.ratio_high
    return f"{_ratio(difference.ratio)}{ends_text(low, high)}"


def ends_text(low: float | None, high: float | None) -> str:
    """ " (0.77 to 0.86)"; " (at least 0.77)"; nothing where neither is known."""
    if low is not None and high is not None:
        return f" ({_ratio(max(0.0, low))} to {_ratio(high)})"
    if low is not None:
        return f" (at least {_ratio(max(0.0, low))})"
    return f" (at most {_ratio(high)})" if high is not None else ""


def _ratio(value: float) -> str:
    return f"{value:.2f}" if value < 10 else number(value)


def where(one: Change | Standing, names: Names, found: Versus) -> str:
    """Of which cell and run a change is: "galera, 8 connections, nightly-2"."""
    parts = [names.full(one.key), one.run if len(found.later) > 1 else ""]
    return ", ".join(part for part in parts if part)


def _change_json(one: Change) -> dict[str, Any]:
    return {
        **one.key.model_dump(),
        "run": one.run,
        "measure": one.measure.name,
        "side_by_side": one.interleaved,
        "verdict": _verdict(one),
        **_ratio_json(one.difference),
    }


def _verdict(one: Change) -> str:
    """`differs` is what has no better direction."""
    if one.worse or one.better:
        return "worse" if one.worse else "better"
    return "differs" if one.told else "not told apart"


def _ratio_json(difference: Difference) -> dict[str, Any]:
    """With `bounds` of the values are lower bounds, and so is the mean."""
    return {
        "ratio": difference.ratio,
        "low": difference.ratio_low,
        "high": difference.ratio_high,
        "baseline": difference.b.mean,
        "later": difference.a.mean,
        "n": [difference.b.n, difference.a.n],
        "bounds": [difference.b.bounds, difference.a.bounds],
    }


def _keys_json(found: dict[str, list[CellKey]]) -> dict[str, list[dict[str, Any]]]:
    return {run: [key.model_dump() for key in keys] for run, keys in found.items()}


def _happened(one: Happened, found: Versus) -> str:
    run = f", {one.run}" if len(found.later) > 1 else ""
    trials = count(one.after[1], "trial")
    return f"{one.measure.noun} in {one.after[0]} of {trials} of {one.key.solution}{run}"


def _word(one: Change, allowed: float) -> str:
    if one.worse_than(allowed):
        return "✗ worse"
    if one.worse:
        return "✗ worse, allowed" if allowed else "✗ worse"
    if one.better:
        return "✓ better"
    return "≠ differs" if one.told else "? unclear"


def title_of(one: Change) -> str:
    """The measure of a change; one of blocks says so."""
    return f"{one.measure.title}, side by side" if one.interleaved else one.measure.title


def _by_size(one: Standing) -> tuple[bool, float]:
    ratio = one.difference.ratio or 1.0
    return not one.told, -max(ratio, 1 / ratio if ratio else 0.0)


def _mean(one: Change, summary: Summary) -> str:
    return mean_of_measure(summary, one.measure)


def _times(summary: Summary) -> str:
    return NOTHING if summary.mean is None else _ratio(summary.mean)


def with_rows(tables: Iterable[Table]) -> list[Table]:
    """Those tables that say something."""
    return [table for table in tables if table.rows]
