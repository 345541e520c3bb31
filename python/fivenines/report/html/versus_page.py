"""Render a comparison of runs as one HTML file in the style of the report."""

from collections.abc import Sequence

from markupsafe import Markup

from fivenines import __version__
from fivenines.analysis.decision.ratio_thresholds import RatioResult
from fivenines.analysis.performance.interleaved_changes import FROM_RUN_TO_RUN
from fivenines.analysis.versus import Change, Versus
from fivenines.analysis.wording import count
from fivenines.report import ratio_thresholds
from fivenines.report.charts.ratios import LEGEND, RatioRow, ratios
from fivenines.report.charts.svg import to_svg
from fivenines.report.groups import Names
from fivenines.report.html.page import styled, templates
from fivenines.report.table import Table
from fivenines.report.versus import (
    changes_table,
    environment_table,
    order,
    sentences,
    standings_table,
    title_of,
    where,
    with_rows,
)
from fivenines.results.store import Run

# The number of ratios in the chart; the tables have all of them.
_DRAWN = 20


def render(
    versus: Versus,
    runs: Sequence[Run],
    names: Names,
    thresholds: Sequence[RatioResult] = (),
    allowed: float = 0.0,
) -> str:
    """Return the page; the first of `runs` is the baseline."""
    drawn = _drawn(versus)
    lines = sentences(versus, allowed)
    if thresholds:
        lines.insert(0, ratio_thresholds.sentence(thresholds))
    first = [changes_table(versus, names, allowed, every=False)]
    if thresholds:
        first.insert(0, ratio_thresholds.table(thresholds, names, versus))
    return (
        templates()
        .get_template("compare.html.j2")
        .render(
            version=__version__,
            title=f"{', '.join(versus.later)} against {versus.baseline}",
            style=styled(),
            baseline=versus.baseline,
            sentences=lines,
            first=with_rows(first),
            chart=_chart(drawn, versus, names) if drawn else None,
            legend=LEGEND,
            left_out=_left_out(versus, drawn),
            standing=with_rows([standings_table(versus, names)]),
            runs=_runs_table(versus, runs),
            around=with_rows([environment_table(versus)]),
            only=with_rows([_only_table(versus)]),
            every=with_rows(
                [changes_table(versus, names, allowed, every=True), _events_table(versus, names)]
            ),
            several=len(versus.later) > 1,
            from_run_to_run=f"{100 * FROM_RUN_TO_RUN:g}",
            level=f"{100 * versus.confidence:.1f}",
        )
    )


def _drawn(versus: Versus) -> list[Change]:
    """Return the measures that changed, the worst first; all measures if none changed."""
    known = [one for one in sorted(versus.changes, key=order) if one.difference.ratio]
    changed = [one for one in known if one.significant]
    return (changed or known)[:_DRAWN]


def _left_out(versus: Versus, drawn: Sequence[Change]) -> str:
    left = len(versus.changes) - len(drawn)
    return f"{count(left, 'further measure')} in the tables below." if left else ""


def _chart(drawn: Sequence[Change], versus: Versus, names: Names) -> Markup:
    rows = [
        RatioRow(
            f"{title_of(one)}: {where(one, names, versus)}",
            "worse" if one.worse else "better" if one.better else "inconclusive",
            one.difference.ratio or 1.0,
            one.difference.ratio_low,
            one.difference.ratio_high,
        )
        for one in drawn
    ]
    return to_svg(ratios(rows))


def _runs_table(versus: Versus, runs: Sequence[Run]) -> Table:
    """Return the runs that were compared, with their machines and engines."""
    rows = []
    for name, run in zip(versus.runs, runs, strict=True):
        manifest = run.manifest
        machine = manifest.machine
        engines = ", ".join(f"{engine} {version}" for engine, version in manifest.engines.items())
        trials = f"{len(run.complete)} of {len(manifest.plan)}"
        if manifest.blocks:
            blocks = sum(one.complete for one in run.blocks)
            trials += f"; {blocks} of {count(len(manifest.blocks), 'block')}"
        rows.append(
            [
                f"{name} (baseline)" if name == versus.baseline else name,
                manifest.created[:16].replace("T", " "),
                manifest.fivenines,
                engines,
                f"{machine.cores} cores, {machine.cpu}, {machine.kernel}",
                trials,
            ]
        )
    columns = ["Run", "Began, UTC", "fivenines", "Engines", "Machine", "Trials complete"]
    return Table("The runs", columns, rows)


def _only_table(versus: Versus) -> Table:
    rows = [
        [one.what, str(one.number), ", ".join(versus.runs[n] for n in one.runs)]
        for one in versus.environment.only
    ]
    columns = ["Item", "Settings", "Runs that have it"]
    return Table("Items of only some runs", columns, rows, 1, frozenset([1]))


def _events_table(versus: Versus, names: Names) -> Table:
    rows = [
        [
            "new" if one.new else "",
            one.run,
            one.measure.title,
            names.full(one.key),
            f"{one.before[0]} of {one.before[1]}",
            f"{one.after[0]} of {one.after[1]}",
        ]
        for one in sorted(versus.happened, key=lambda each: not each.new)
    ]
    columns = ["", "Run", "Problem", "Cell", "Trials, baseline", "Trials, later"]
    return Table("Trials with problems", columns, rows, 4)
