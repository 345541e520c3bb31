"""`fivenines compare`: a run against an earlier one, for two versions, machines or settings."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from typing import Annotated

import typer

from fivenines.cli import complete
from fivenines.cli.options import AsFormat, Format

FAILED = 3
"""The exit code where something became worse than allowed."""


def compare(
    earlier: Annotated[
        str,
        typer.Argument(
            help="The run to compare with: its folder, or its name under ./runs.",
            metavar="EARLIER",
            autocompletion=complete.runs,
        ),
    ],
    later: Annotated[
        str,
        typer.Argument(
            help="The run that may have become worse.",
            metavar="LATER",
            autocompletion=complete.runs,
        ),
    ],
    allow: Annotated[
        str | None,
        typer.Option(
            "--allow",
            help="How much worse a measure may be, as 5%; exit code 3 where more is proven, or where rows "
            "are lost (or the like) as never before. Default: differences are told, and nothing fails.",
            metavar="SHARE",
        ),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Also measures that cannot be told apart.")
    ] = False,
    format_: AsFormat = Format.text,
) -> None:
    """Compare two runs cell by cell: each measure as a ratio with its 95 % interval, regressions first.

    Solutions with the same name, workload, connections, network and fault are
    compared. What else differs between the runs (versions, machine, settings)
    is named, as a ratio may be due to it.

    \b
    fivenines compare nightly-20260101-020000 nightly-20260102-020000
    fivenines compare runs/before runs/after --allow 10%
    fivenines compare runs/before runs/after --format md
    """
    from fivenines.analysis.versus import versus
    from fivenines.cli import console, runs
    from fivenines.errors import FiveninesError
    from fivenines.report import versus as report
    from fivenines.report.groups import names_of_keys
    from fivenines.results.store import open_run

    share = _share(allow)
    found = versus(
        open_run(runs.find(earlier, by_experiment=True)),
        open_run(runs.find(later, by_experiment=True)),
    )
    names = names_of_keys(report.keys_of(found))
    changes = report.changes_table(found, names, share or 0.0, every)
    around = report.environment_table(found)
    said = report.sentences(found, share or 0.0)
    if format_ is Format.json:
        console.as_json(report.as_json(found))
    elif format_ is Format.md:
        tables = [one.markdown() for one in (changes, around) if one.rows]
        console.stdout().out("\n\n".join([*said, *tables]).rstrip("\n"), highlight=False)
    else:
        for table in (changes, around):
            if table.rows:
                console.table(table.columns, table.rows)
                console.say("")
        for line in said:
            console.say(line)
    if share is None:
        return
    if not found.changes:
        raise FiveninesError(
            "--allow: nothing could be compared, so nothing was shown to be as before"
        )
    if any(one.worse_than(share) for one in found.changes) or any(e.new for e in found.happened):
        raise typer.Exit(FAILED)


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
