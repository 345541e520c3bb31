"""`fivenines compare`: runs against a baseline, for versions, machines or settings."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fivenines.cli import complete
from fivenines.cli.check import FAILED, JunitOption, require_writable
from fivenines.cli.options import Wide

if TYPE_CHECKING:
    from fivenines.analysis.ratio_thresholds import RatioResult
    from fivenines.analysis.versus import Versus
    from fivenines.report.table import Table
    from fivenines.requirements.ratios import RatioThreshold
    from fivenines.results.store import Run


class Format(StrEnum):
    """How a comparison is told."""

    text = "text"
    md = "md"
    json = "json"
    html = "html"


def compare(  # noqa: PLR0913, PLR0917  (each is an option of the command line)
    runs: Annotated[
        list[str],
        typer.Argument(
            help="Two runs or more, the first one is the baseline: folders, names under ./runs, or "
            "experiments' names for their newest runs.",
            metavar="RUN...",
            autocompletion=complete.runs,
        ),
    ],
    baseline: Annotated[
        str | None, typer.Option("--baseline", help="The baseline, instead of the first.", metavar="RUN")
    ] = None,
    threshold: Annotated[
        list[str] | None,
        typer.Option(
            "--threshold",
            help="What a measure may become, as a multiple of the baseline: 'tps >= 0.95', or of one "
            "solution, as 'galera: outage_writes <= 110%'. Exit code 3 where one fails.",
        ),
    ] = None,
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "--measure",
            help="A measure to compare besides the usual ones, as host_cpu or counter:Com_commit/transaction "
            "(fivenines list measures). May be repeated; those of thresholds are compared anyway.",
            metavar="NAME",
        ),
    ] = None,
    allow: Annotated[
        str | None,
        typer.Option(
            "--allow",
            help="How much worse any measure may be, as 5%; exit code 3 where more is proven, or where rows "
            "are lost (or the like) as never before.",
            metavar="SHARE",
        ),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Also measures without a clear change.")] = False,
    format_: Annotated[
        Format, typer.Option("--format", help="text, md, json, or html: one self-contained page.")
    ] = Format.text,
    output: Annotated[Path | None, typer.Option("--output", help="The file; default: stdout.")] = None,
    junit: JunitOption = None,
    share_: Annotated[
        bool, typer.Option("--share", help="Let other accounts of this machine read the file of --output.")
    ] = False,
    wide: Wide = False,
) -> None:
    """Compare runs cell by cell: each measure as a ratio with its interval, regressions first.

    Solutions with the same name, workload, connections, network and fault are
    compared; of blocks also how solutions stand to each other. What else differs
    between the runs (versions, machine, settings) is named, as a ratio may be
    due to it.

    \b
    fivenines compare runs/before runs/after
    fivenines compare runs/before runs/after --format html --output new.html
    fivenines compare v1 v2 v3 --baseline v2
    fivenines compare before after --allow 10%
    fivenines compare before after --threshold 'tps >= 0.95' --junit new.xml

    A threshold is passed or failed where the whole interval of the ratio lies on
    one side of it, else undecided. Without any, and without --allow, differences
    are shown and nothing fails.

    With more than two runs, the intervals of a measure hold for all runs
    together with 95 % (Bonferroni).
    """
    from fivenines.analysis.ratio_thresholds import judge_ratios
    from fivenines.analysis.versus import versus
    from fivenines.cli import runs as known_runs
    from fivenines.cli import sharing
    from fivenines.errors import UsageError
    from fivenines.results.store import open_run

    share, thresholds = _share(allow), _thresholds(threshold)
    asked = [*_measures(measure), *(one.measure.name for one in thresholds)]
    _require_sense(junit, bool(thresholds) or share is not None, format_, output)
    if share_ and output is None:
        raise UsageError("--share: there is no file to share: name one by --output")
    folders = [known_runs.find(name, by_experiment=True) for name in runs]
    if baseline is not None:
        first = known_runs.find(baseline, by_experiment=True)
        same = first.resolve()
        folders = [first, *(one for one in folders if one.resolve() != same)]
    _require_several(folders)
    opened = [open_run(one) for one in folders]
    found = versus(*opened, asked=asked)
    _require_known(thresholds, opened)
    judged = judge_ratios(found, thresholds)
    _tell(_Told(found, opened, judged, share or 0.0, every), format_, output, wide)
    if share_ and output is not None:
        sharing.share(output)
    if junit is not None:
        from fivenines.report import ratio_thresholds

        ratio_thresholds.write_junit(junit, judged, found, share)
    _fail(found, judged, share)


class _Told:
    """A comparison with all that is said of it."""

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


def _tell(told: _Told, format_: Format, output: Path | None, wide: bool) -> None:
    from fivenines.cli import console
    from fivenines.results.store import write_text

    if format_ is Format.text and output is None:
        first, *rest = told.sentences
        console.say(first, "bold")
        left_out: list[str] = []
        for table in told.tables:
            console.say("")
            console.say(table.caption, "bold")
            left_out += _table(table, wide)
        console.say("")
        for line in rest:
            console.say(f"- {line}")
        console.note_left_out(left_out, "--wide")
        return
    text = _text(told, format_)
    if output is None:
        console.stdout().out(text.rstrip("\n"), highlight=False)
    else:
        write_text(output, text)
        console.say(str(output))
        console.say(told.sentences[0])


_FIGURES = ("Ratio", "Change of the ratio", "Baseline", "Later")

# Columns whose words may go to further lines where nothing else has room.
_NAMES = ("Solution", "Solutions", "Of", "What")

_MUST = ("Verdict", "Outcome", "Measure", "Threshold", "Ratio", "Change of the ratio", "Evidence")


def _table(table: "Table", wide: bool) -> list[str]:
    """One line a row, so many columns as there is room for; returns those that are left out."""
    from fivenines.cli import console
    from fivenines.report.narrow import fitted

    if wide or table.columns[0] == "What":
        # values of settings are not figures: none is left out
        console.table(table.columns, table.rows, right=_FIGURES, names=_NAMES, wide=wide)
        return []
    rows = [dict(zip(table.columns, _short(table, row), strict=True)) for row in table.rows]
    found = fitted(rows, (), _MUST, [n for n in table.columns if n in _NAMES], console.stdout().width)
    console.table(found.columns, found.rows, right=_FIGURES, names=_NAMES)
    return found.left_out


def _short(table: "Table", row: Sequence[str]) -> list[str]:
    """The row with means alone where the ratio has an interval of its own."""
    found = []
    for name, cell in zip(table.columns, row, strict=True):
        if name in ("Baseline", "Later"):
            found.append(cell.partition(" (")[0])
        else:
            found.append(cell.replace(" / ", "/") if name == "Solutions" else cell)
    return found


def _text(told: _Told, format_: Format) -> str:
    import json

    from fivenines.report import ratio_thresholds, versus, versus_page

    if format_ is Format.html:
        return versus_page.render(told.found, told.runs, told.names, told.judged, told.share)
    if format_ is Format.json:
        judged = ratio_thresholds.as_json(told.judged)
        data = {**versus.as_json(told.found), "thresholds": judged}
        return json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    tables = [table.markdown() for table in told.tables]
    return "\n\n".join([*told.sentences, *tables]).rstrip("\n") + "\n"


def _fail(found: "Versus", judged: "Sequence[RatioResult]", share: float | None) -> None:
    """End with exit code 3 where a threshold failed, or more is proven than is allowed.

    Raises:
        FiveninesError: nothing could be compared, so nothing was shown to be as before.
    """
    from fivenines.errors import FiveninesError

    if share is None and not judged:
        return
    if not found.changes:
        asked = "--allow" if share is not None else "--threshold"
        raise FiveninesError(f"{asked}: nothing could be compared, so nothing was shown to be as before")
    worse = share is not None and (
        any(one.worse_than(share) for one in found.changes) or any(e.new for e in found.happened)
    )
    if worse or any(one.outcome == "failed" for one in judged):
        raise typer.Exit(FAILED)


def _thresholds(texts: Sequence[str] | None) -> "list[RatioThreshold]":
    from fivenines.errors import UsageError
    from fivenines.requirements.ratios import parse_ratio

    try:
        return [parse_ratio(text) for text in texts or []]
    except ValueError as error:
        raise UsageError(f"--threshold: {error}") from None


def _measures(names: Sequence[str] | None) -> list[str]:
    """The names, each of a measure that has a ratio."""
    from fivenines.errors import UsageError
    from fivenines.requirements.measures import measure_named

    for name in names or []:
        try:
            measure = measure_named(name)
        except ValueError as error:
            raise UsageError(f"--measure: {error}") from None
        if not measure.valued:
            raise UsageError(
                f"--measure: {name} has no ratio; what never happened before is told without being asked for"
            )
    return list(names or [])


def _require_sense(junit: Path | None, judges: bool, format_: Format, output: Path | None) -> None:
    from fivenines.errors import UsageError

    require_writable(junit)
    if junit is not None and not judges:
        raise UsageError("--junit: there is nothing to judge: add --threshold or --allow")
    if format_ is Format.html and output is None and sys.stdout.isatty():
        raise UsageError("--format html: name the file by --output")


def _require_several(folders: Sequence[Path]) -> None:
    from fivenines.errors import UsageError

    if len(folders) < 2:
        raise UsageError("name at least two runs; the first one is the baseline")


def _require_known(thresholds: "Sequence[RatioThreshold]", runs: "Sequence[Run]") -> None:
    """Thresholds are of solutions that a run has."""
    from fivenines.errors import UsageError

    plans = [one.cell for run in runs for one in run.manifest.plan]
    plans += [cell for run in runs for block in run.manifest.blocks for cell in block.cells]
    solutions = [one for run in runs for one in run.manifest.experiment.get("solutions") or []]
    swept = [one["variant"]["of"] for one in solutions if one.get("variant")]
    known = list(dict.fromkeys([*(cell.solution for cell in plans), *swept]))
    for one in thresholds:
        if one.solution is not None and one.solution not in known:
            raise UsageError(
                f"--threshold: no solution is called {one.solution!r}; there are {', '.join(known)}"
            )


def _share(text: str | None) -> float | None:
    from fivenines.errors import UsageError

    if text is None:
        return None
    number = text.strip().removesuffix("%")
    try:
        share = float(number) / 100
    except ValueError:
        share = -1.0
    if not text.strip().endswith("%") or not 0 <= share < 1:
        raise UsageError(f"--allow: {text!r} is no share: write 5% or 0%")
    return share
