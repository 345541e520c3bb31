"""`fivenines check`: whether a run passes thresholds, for a pipeline."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fivenines.cli.options import AsFormat, Format, RunName, Wide

if TYPE_CHECKING:
    from fivenines.analysis.thresholds import ThresholdResult
    from fivenines.requirements.thresholds import ThresholdSettings

# The exit code where a threshold failed.
FAILED = 3

ThresholdOption = Annotated[
    list[str] | None,
    typer.Option(
        "--threshold",
        metavar="CONDITION",
        help="What must hold of every cell, as 'failover p95 < 10s' or 'lost = 0', or of one solution, "
        "as 'galera: tps >= 500'; beside what the experiment says. Exit code 3 where one fails.",
    ),
]
JunitOption = Annotated[
    Path | None, typer.Option("--junit", metavar="FILE", help="Write what became of thresholds as JUnit XML.")
]


def check(
    run: RunName = None,
    threshold: ThresholdOption = None,
    junit: JunitOption = None,
    wide: Wide = False,
    format_: AsFormat = Format.text,
) -> None:
    """Judge thresholds by a run that is done; nothing is run again.

    Each one is passed or failed where 95 % intervals prove it, else
    undecided, with how many more trials would decide it. Exit code 3 if any
    failed; undecided ones fail nothing.

    \b
    fivenines check quickstart --threshold 'lost = 0'
    fivenines check nightly --threshold 'galera: failover p95 < 8s'
    fivenines check nightly --junit thresholds.xml
    fivenines check nightly --format md

    `fivenines list measures` names what can be asked for. A percentile is one
    of the trials' values (failover p95); a swept solution is called by its
    own name, and judged as its best case. Throughput and response times are
    those before a fault, of the trials with any fault together.

    \b
    A pipeline can do it in one step:
      fivenines run nightly.yaml --threshold 'lost = 0' --junit thresholds.xml
    """
    from fivenines.cli import console, runs
    from fivenines.errors import FiveninesError, UsageError
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
        raise UsageError("there are no thresholds: name one by --threshold 'lost = 0'")
    require_writable(junit)
    found = judged(folder, wanted)
    if junit is not None:
        report.write_junit(junit, str(opened.manifest.experiment.get("name", folder.name)), {"": found})
    if not found:
        raise FiveninesError(
            f"{folder}: no threshold could be judged, as no trial of its solutions is complete; blocks are "
            "not judged"
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
    """The thresholds of a command line; `known` are the names of the solutions.

    Raises:
        UsageError: one cannot be read, or is of a solution that there is not.
    """
    from pydantic import ValidationError

    from fivenines.errors import UsageError
    from fivenines.requirements.thresholds import ThresholdSettings

    found = []
    for text in texts or []:
        try:
            one = ThresholdSettings.model_validate(text)
        except ValidationError as error:
            raise UsageError(f"--threshold: {error.errors()[0]['msg']}") from None
        if one.solution is not None and one.solution not in known:
            there = ", ".join(known)
            raise UsageError(f"--threshold: no solution is called {one.solution!r}; there are {there}")
        found.append(one)
    return found


def require_writable(junit: Path | None) -> None:
    """Before anything is measured: the folder of the file is there.

    Raises:
        UsageError: it is not.
    """
    from fivenines.errors import UsageError

    if junit is not None and not junit.absolute().parent.is_dir():
        raise UsageError(f"--junit: there is no folder {junit.absolute().parent}")


def judged(folder: Path, thresholds: "Sequence[ThresholdSettings]") -> "list[ThresholdResult]":
    """What becomes of them by a run that is done."""
    from fivenines.report import thresholds as report

    return report.judge(folder, thresholds)


def as_json(found: "Sequence[ThresholdResult]") -> list[dict[str, object]]:
    """What became of them, for a script."""
    from fivenines.report import thresholds as report

    return report.as_json(found)


def require_passed(found: "Sequence[ThresholdResult]") -> None:
    """End with exit code 3 where one failed."""
    if any(one.outcome == "failed" for one in found):
        raise typer.Exit(FAILED)


_MUST = ("Outcome", "Threshold", "Evidence")


def show(found: "Sequence[ThresholdResult]", wide: bool = False) -> None:
    """A row for each, what would decide those that are undecided, then all in short.

    With `wide` the evidence in full, however long the lines are.
    """
    from fivenines.cli import console
    from fivenines.report import thresholds as report
    from fivenines.report.narrow import fitted

    table = report.table(found, brief=not wide)
    if wide:
        console.table(table.columns, table.rows, wide=True)
    else:
        rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
        narrow = fitted(rows, (), _MUST, ["Solution"], console.stdout().width)
        console.table(narrow.columns, narrow.rows, names=["Solution"])
        console.note_left_out(narrow.left_out, "fivenines check --wide")
    if more := report.what_decides(found):
        console.say(f"undecided: {more}")
    console.say(report.sentence(found), "bold")
