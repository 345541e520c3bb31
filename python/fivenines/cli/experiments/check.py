"""`fivenines check`: check a finished run against thresholds, for CI pipelines."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fivenines.cli.options import AsFormat, Format, RunName, Wide

if TYPE_CHECKING:
    from fivenines.analysis.decision.thresholds import ThresholdResult
    from fivenines.analysis.measures.thresholds import ThresholdSettings

# Exit code if a threshold failed.
FAILED = 3

ThresholdOption = Annotated[
    list[str] | None,
    typer.Option(
        "--threshold",
        metavar="CONDITION",
        help="Threshold for every cell, as 'failover p95 < 10s' or 'lost = 0', or for one solution, "
        "as 'galera: tps >= 500'. Added to those of the experiment. Exit code 3 if any fails.",
    ),
]
JunitOption = Annotated[
    Path | None, typer.Option("--junit", metavar="FILE", help="Write the results of thresholds as JUnit XML.")
]


def check(
    run: RunName = None,
    threshold: ThresholdOption = None,
    junit: JunitOption = None,
    wide: Wide = False,
    format_: AsFormat = Format.text,
) -> None:
    """Check a finished run against thresholds, for CI pipelines.

    A threshold passes or fails if the 95 % confidence interval proves it.
    Otherwise it is inconclusive, and the output names the number of trials that
    would decide it. Nothing runs again. Exit codes: 0 no threshold failed, also if
    some are inconclusive; 3 a threshold failed.

    \b
    fivenines check quickstart --threshold 'lost = 0'
    fivenines check nightly --threshold 'galera: failover p95 < 8s'
    fivenines check nightly --junit thresholds.xml
    fivenines check nightly --format md

    `fivenines list measures` lists the measures. Percentiles are over trials
    (failover p95). A swept solution is judged by its best variant. Throughput
    and response times are those before the fault, over the trials of all faults.

    \b
    Run and check in one step:
      fivenines run nightly.yaml --threshold 'lost = 0' --junit thresholds.xml
    """
    from fivenines.base.errors import FiveninesError, UsageError
    from fivenines.cli.experiments import runs
    from fivenines.cli.output import console
    from fivenines.report import thresholds as report
    from fivenines.results.store import open_run

    folder = runs.find(run, by_experiment=True)
    opened = open_run(folder)
    plan = sorted(opened.manifest.plan, key=lambda trial: trial.id)
    every = opened.manifest.experiment.get("solutions") or []
    variants = {one["name"]: one["variant"]["of"] for one in every if one.get("variant")}
    known = list(dict.fromkeys(variants.get(t.cell.solution, t.cell.solution) for t in plan))
    wanted = [*report.thresholds_of(opened), *read(threshold, known)]
    if not wanted:
        raise UsageError("there are no thresholds. Add one, as --threshold 'lost = 0'")
    require_writable(junit)
    found = judged(folder, wanted)
    if junit is not None:
        report.write_junit(junit, str(opened.manifest.experiment.get("name", folder.name)), {"": found})
    if not found:
        raise FiveninesError(
            f"{folder}: no threshold could be checked, because no trial of its solutions is complete "
            "(thresholds do not apply to interleaved blocks)"
        )
    if format_ is Format.json:
        console.as_json(report.as_json(found))
    elif format_ is Format.md:
        text = f"{report.sentence(found)}\n\n{report.table(found).markdown()}"
        console.stdout().out(text.rstrip("\n"), highlight=False)
    else:
        show(found, wide)
    require_passed(found)


def read(texts: Sequence[str] | None, known: Sequence[str]) -> "list[ThresholdSettings]":
    """Parse the thresholds of a command line; `known` are the names of the solutions.

    Raises:
        UsageError: a threshold is malformed, or names an unknown solution.
    """
    from pydantic import ValidationError

    from fivenines.analysis.measures.thresholds import ThresholdSettings
    from fivenines.base.errors import UsageError

    found = []
    for text in texts or []:
        try:
            one = ThresholdSettings.model_validate(text)
        except ValidationError as error:
            raise UsageError(f"--threshold: {error.errors()[0]['msg']}") from None
        if one.solution is not None and one.solution not in known:
            names = ", ".join(known)
            raise UsageError(f"--threshold: unknown solution {one.solution!r}\n    allowed: {names}")
        found.append(one)
    return found


def require_writable(junit: Path | None) -> None:
    """Require that the file's folder exists, before anything is measured.

    Raises:
        UsageError: the folder does not exist.
    """
    from fivenines.base.errors import UsageError

    if junit is not None and not junit.absolute().parent.is_dir():
        raise UsageError(f"--junit: the folder {junit.absolute().parent} does not exist")


def judged(folder: Path, thresholds: "Sequence[ThresholdSettings]") -> "list[ThresholdResult]":
    """Check thresholds against a finished run."""
    from fivenines.report import thresholds as report

    return report.judge(folder, thresholds)


def as_json(found: "Sequence[ThresholdResult]") -> list[dict[str, object]]:
    """Return the results for scripts."""
    from fivenines.report import thresholds as report

    return report.as_json(found)


def require_passed(found: "Sequence[ThresholdResult]") -> None:
    """End with exit code 3 if a threshold failed."""
    if any(one.outcome == "failed" for one in found):
        raise typer.Exit(FAILED)


_MUST = ("Outcome", "Threshold", "Evidence")


def show(found: "Sequence[ThresholdResult]", wide: bool = False) -> None:
    """Print a row per threshold, what would decide the inconclusive ones, and a summary.

    With `wide`, print the full evidence without wrapping lines.
    """
    from fivenines.cli.output import console
    from fivenines.report import thresholds as report
    from fivenines.report.terminal.narrow import fitted

    table = report.table(found, brief=not wide)
    if wide:
        console.table(table.columns, table.rows, wide=True)
    else:
        rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
        narrow = fitted(rows, (), _MUST, ["Solution"], console.stdout().width)
        console.table(narrow.columns, narrow.rows, names=["Solution"])
        console.note_left_out(narrow.left_out, "fivenines check --wide")
    if more := report.what_decides(found):
        console.say(f"inconclusive: {more}")
    console.say(report.sentence(found), "bold")
