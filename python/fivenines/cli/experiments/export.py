"""`fivenines export`: write the trials of runs to one file for custom analysis."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

# Seconds until progress is shown.
_PATIENCE = 2.0

# Seconds between two progress lines without a terminal.
_EVERY = 5.0


def export(
    run: Annotated[
        list[str] | None,
        typer.Argument(
            help="Run folders, names under ./runs, or experiments' names for their newest runs; "
            "default: the newest run.",
            metavar="RUN...",
        ),
    ] = None,
    to: Annotated[
        Path | None,
        typer.Option("--to", help="Output file: .duckdb for all tables, .parquet for one. Overwritten."),
    ] = None,
    table: Annotated[
        str | None, typer.Option("--table", help="Table to write to a .parquet file; default: trials.")
    ] = None,
    share: Annotated[
        bool, typer.Option("--share", help="Let other accounts of this machine read the file.")
    ] = False,
) -> None:
    """Export all trials of one or more runs to one file, for notebooks and SQL.

    A .duckdb file has the tables trials, seconds, faults, interruptions,
    events, latencies, blocks, windows and runs. A .parquet file has one table:
    trials, or the one named by --table. docs/reference/export.md and the comments
    in the file describe each column.

    Broken and missing trials are rows with their reason. Censored values, of which
    only a lower bound is known, are left out of the columns of values.

    \b
    fivenines export quickstart --to trials.duckdb
    fivenines export runs/monday runs/tuesday --to trials.parquet
    fivenines export nightly --to seconds.parquet --table seconds
    """
    from fivenines.base.errors import UsageError
    from fivenines.cli.experiments import runs, sharing
    from fivenines.cli.output import console
    from fivenines.report.export import file
    from fivenines.results.store import open_run

    if to is None:
        raise UsageError("name the output file, as in --to trials.duckdb or --to trials.parquet")
    names: list[str | None] = [*run] if run else [None]
    opened = [open_run(runs.find(name, by_experiment=True)) for name in names]
    numbers = file.export(opened, to, table, _reporter())
    rows = ", ".join(f"{name} {number}" for name, number in numbers.items())
    console.say(f"{to} ({console.size(to.stat().st_size)}); rows: {rows}")
    for each in opened:
        for problem in each.problems:
            console.note(f"warning: {problem}", "yellow")
    if share:
        sharing.share(to)


def _reporter(clock: Callable[[], float] = time.monotonic) -> Callable[[int, int], None]:
    """Return a function that shows progress once the export takes long."""
    from rich.text import Text

    from fivenines.cli.output import console

    out, start = console.stderr(), clock()
    last = start + _PATIENCE - _EVERY

    def show(done: int, of: int) -> None:
        nonlocal last
        now = clock()
        if now - start < _PATIENCE:
            return
        text = f"  {done} of {of} trials read"
        if out.is_terminal and not out.is_dumb_terminal:
            left = (now - start) / done * (of - done)
            text = f"{text}, about {left:.0f} s left" if done < of else text
            out.print(Text(f"{text:<50}"), end="\n" if done == of else "\r")
        elif now - last >= _EVERY:
            last = now
            out.print(Text(text))

    return show
