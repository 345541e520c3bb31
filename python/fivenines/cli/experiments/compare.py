"""`fivenines compare`: compare runs of different versions, machines or settings with a baseline."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fivenines.cli import complete
from fivenines.cli.experiments.check import FAILED, JunitOption, require_writable
from fivenines.cli.options import Wide

if TYPE_CHECKING:
    from fivenines.analysis.decision.ratio_thresholds import RatioResult
    from fivenines.analysis.measures.ratios import RatioThreshold
    from fivenines.analysis.versus import Versus
    from fivenines.report.table import Table
    from fivenines.results.store import Run


class Format(StrEnum):
    """Output formats of a comparison."""

    text = "text"
    md = "md"
    json = "json"
    html = "html"


def compare(  # noqa: PLR0913, PLR0917  (each is an option of the command line)
    runs: Annotated[
        list[str],
        typer.Argument(
            help="Two or more runs, the first is the baseline: folders, names under ./runs, or "
            "experiments' names for their newest runs.",
            metavar="RUN...",
            autocompletion=complete.runs,
        ),
    ],
    baseline: Annotated[
        str | None, typer.Option("--baseline", help="Baseline run, instead of the first.", metavar="RUN")
    ] = None,
    threshold: Annotated[
        list[str] | None,
        typer.Option(
            "--threshold",
            help="Threshold for a ratio to the baseline, as 'tps >= 0.95', or for one "
            "solution, as 'galera: outage_writes <= 110%'. Exit code 3 if any fails.",
        ),
    ] = None,
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "--measure",
            help="Additional measure, as host_cpu or counter:Com_commit/transaction "
            "(fivenines list measures). Can be repeated.",
            metavar="NAME",
        ),
    ] = None,
    allow: Annotated[
        str | None,
        typer.Option(
            "--allow",
            help="Largest allowed regression of any measure, as 5%. Exit code 3 if a larger one is proven, "
            "or on a new violation such as lost rows.",
            metavar="PERCENT",
        ),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Include measures without a clear change.")] = False,
    format_: Annotated[
        Format,
        typer.Option("--format", help="Output format: text, md, json, or html (one self-contained page)."),
    ] = Format.text,
    output: Annotated[Path | None, typer.Option("--output", help="Output file; default: stdout.")] = None,
    junit: JunitOption = None,
    share_: Annotated[
        bool, typer.Option("--share", help="Let other accounts of this machine read the output file.")
    ] = False,
    wide: Wide = False,
) -> None:
    """Compare runs and show the ratio of each measure, regressions first.

    Cells with the same solution, workload, connections, network and fault are
    compared. Interleaved comparisons also show how solutions relate to each
    other. Other differences between the runs (versions, machine, settings) are
    listed, as they may explain a ratio.

    \b
    fivenines compare runs/before runs/after
    fivenines compare runs/before runs/after --format html --output new.html
    fivenines compare v1 v2 v3 --baseline v2
    fivenines compare before after --allow 10%
    fivenines compare before after --threshold 'tps >= 0.95' --junit new.xml

    A threshold passes or fails if the whole confidence interval of the ratio is
    on one side of it. Otherwise it is inconclusive. Without --threshold and
    --allow, the exit code is 0.

    With more than two runs, the 95 % intervals of a measure are simultaneous
    (Bonferroni).
    """
    from fivenines.analysis.decision.ratio_thresholds import judge_ratios
    from fivenines.analysis.versus import versus
    from fivenines.base.errors import UsageError
    from fivenines.cli.experiments import runs as known_runs
    from fivenines.cli.experiments import sharing
    from fivenines.results.store import open_run

    share, thresholds = _share(allow), _thresholds(threshold)
    asked = [*_measures(measure), *(one.measure.name for one in thresholds)]
    _require_sense(junit, bool(thresholds) or share is not None, format_, output)
    if share_ and output is None:
        raise UsageError("--share: there is no file to share. Name one with --output")
    folders = [known_runs.find(name, by_experiment=True) for name in runs]
    if baseline is not None:
        first = known_runs.find(baseline, by_experiment=True)
        same = first.resolve()
        folders = [first, *(folder for folder in folders if folder.resolve() != same)]
    _require_several(folders)
    opened = [open_run(folder) for folder in folders]
    found = versus(*opened, asked=asked)
    _require_known(thresholds, opened)
    judged = judge_ratios(found, thresholds)
    _write(_Comparison(found, opened, judged, share or 0.0, every), format_, output, wide)
    if share_ and output is not None:
        sharing.share(output)
    if junit is not None:
        from fivenines.report import ratio_thresholds

        ratio_thresholds.write_junit(junit, judged, found, share)
    _fail(found, judged, share)


class _Comparison:
    """A comparison with its tables and sentences."""

    def __init__(
        self,
        found: "Versus",
        runs: "Sequence[Run]",
        judged: "Sequence[RatioResult]",
        share: float,
        every: bool,
    ) -> None:
        from fivenines.report import ratio_thresholds
        from fivenines.report import versus as report
        from fivenines.report.groups import names_of_keys

        self.found, self.runs, self.judged, self.share = found, runs, judged, share
        self.names = names_of_keys(report.keys_of(found))
        self.tables = report.with_rows(
            [
                *([ratio_thresholds.table(judged, self.names, found)] if judged else []),
                report.changes_table(found, self.names, share, every),
                report.standings_table(found, self.names),
                report.environment_table(found),
            ]
        )
        self.sentences = report.sentences(found, share)
        if judged:
            self.sentences.insert(0, ratio_thresholds.sentence(judged))


def _write(comparison: _Comparison, format_: Format, output: Path | None, wide: bool) -> None:
    from fivenines.cli.output import console
    from fivenines.results.store import write_text

    if format_ is Format.text and output is None:
        first, *rest = comparison.sentences
        console.say(first, "bold")
        left_out: list[str] = []
        for table in comparison.tables:
            console.say("")
            console.say(table.caption, "bold")
            left_out += _table(table, wide)
        console.say("")
        for line in rest:
            console.say(f"- {line}")
        console.note_left_out(left_out, "--wide")
        return
    text = _text(comparison, format_)
    if output is None:
        console.stdout().out(text.rstrip("\n"), highlight=False)
    else:
        write_text(output, text)
        console.say(str(output))
        console.say(comparison.sentences[0])


_FIGURES = ("Ratio", "Change of the ratio", "Baseline", "Later")

# Columns that may wrap if the terminal is too narrow.
_NAMES = ("Solution", "Solutions", "Of", "What")

_MUST = ("Verdict", "Outcome", "Measure", "Threshold", "Ratio", "Change of the ratio", "Evidence")


def _table(table: "Table", wide: bool) -> list[str]:
    """Print a line per row with as many columns as fit; return the columns left out."""
    from fivenines.cli.output import console
    from fivenines.report.terminal.narrow import fitted

    if wide or table.columns[0] == "What":
        # Values of settings are no figures: all columns are shown.
        console.table(table.columns, table.rows, right=_FIGURES, names=_NAMES, wide=wide)
        return []
    rows = [dict(zip(table.columns, _short(table, row), strict=True)) for row in table.rows]
    found = fitted(rows, (), _MUST, [n for n in table.columns if n in _NAMES], console.stdout().width)
    console.table(found.columns, found.rows, right=_FIGURES, names=_NAMES)
    return found.left_out


def _short(table: "Table", row: Sequence[str]) -> list[str]:
    """Return the row with means alone, as the ratio has its interval."""
    found = []
    for name, cell in zip(table.columns, row, strict=True):
        if name in ("Baseline", "Later"):
            found.append(cell.partition(" (")[0])
        else:
            found.append(cell.replace(" / ", "/") if name == "Solutions" else cell)
    return found


def _text(comparison: _Comparison, format_: Format) -> str:
    import json

    from fivenines.report import ratio_thresholds, versus
    from fivenines.report.html import versus_page

    if format_ is Format.html:
        return versus_page.render(
            comparison.found, comparison.runs, comparison.names, comparison.judged, comparison.share
        )
    if format_ is Format.json:
        judged = ratio_thresholds.as_json(comparison.judged)
        data = {**versus.as_json(comparison.found), "thresholds": judged}
        return json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    tables = [table.markdown() for table in comparison.tables]
    return "\n\n".join([*comparison.sentences, *tables]).rstrip("\n") + "\n"


def _fail(found: "Versus", judged: "Sequence[RatioResult]", share: float | None) -> None:
    """End with exit code 3 if a threshold failed, or a larger regression than allowed is proven.

    Raises:
        FiveninesError: the runs have no cell in common.
    """
    from fivenines.base.errors import FiveninesError

    if share is None and not judged:
        return
    if not found.changes:
        option = "--allow" if share is not None else "--threshold"
        raise FiveninesError(f"{option}: the runs have no cell in common, so nothing could be compared")
    worse = share is not None and (
        any(change.worse_than(share) for change in found.changes) or any(e.new for e in found.happened)
    )
    if worse or any(one.outcome == "failed" for one in judged):
        raise typer.Exit(FAILED)


def _thresholds(texts: Sequence[str] | None) -> "list[RatioThreshold]":
    from fivenines.analysis.measures.ratios import parse_ratio
    from fivenines.base.errors import UsageError

    try:
        return [parse_ratio(text) for text in texts or []]
    except ValueError as error:
        raise UsageError(f"--threshold: {error}") from None


def _measures(names: Sequence[str] | None) -> list[str]:
    """Return the names; each must be a measure with a ratio."""
    from fivenines.analysis.measures.measures import measure_named
    from fivenines.base.errors import UsageError

    for name in names or []:
        try:
            measure = measure_named(name)
        except ValueError as error:
            raise UsageError(f"--measure: {error}") from None
        if not measure.valued:
            raise UsageError(
                f"--measure: {name} has no ratio. Leave it out: new violations are always reported"
            )
    return list(names or [])


def _require_sense(junit: Path | None, judges: bool, format_: Format, output: Path | None) -> None:
    from fivenines.base.errors import UsageError

    require_writable(junit)
    if junit is not None and not judges:
        raise UsageError("--junit: there is nothing to check. Add --threshold or --allow")
    if format_ is Format.html and output is None and sys.stdout.isatty():
        raise UsageError("--format html: name the file with --output")


def _require_several(folders: Sequence[Path]) -> None:
    from fivenines.base.errors import UsageError

    if len(folders) < 2:
        raise UsageError("name at least two runs; the first is the baseline")


def _require_known(thresholds: "Sequence[RatioThreshold]", runs: "Sequence[Run]") -> None:
    """Require that the runs have the solutions that thresholds name."""
    from fivenines.base.errors import UsageError

    plans = [one.cell for run in runs for one in run.manifest.plan]
    plans += [cell for run in runs for block in run.manifest.blocks for cell in block.cells]
    solutions = [one for run in runs for one in run.manifest.experiment.get("solutions") or []]
    swept = [solution["variant"]["of"] for solution in solutions if solution.get("variant")]
    known = list(dict.fromkeys([*(cell.solution for cell in plans), *swept]))
    for threshold in thresholds:
        if threshold.solution is not None and threshold.solution not in known:
            raise UsageError(
                f"--threshold: unknown solution {threshold.solution!r}\n    allowed: {', '.join(known)}"
            )


def _share(text: str | None) -> float | None:
    from fivenines.base.errors import UsageError

    if text is None:
        return None
    number = text.strip().removesuffix("%")
    try:
        share = float(number) / 100
    except ValueError:
        share = -1.0
    if not text.strip().endswith("%") or not 0 <= share < 1:
        raise UsageError(f"--allow: {text!r} is not a percentage: write 5% or 0%")
    return share
