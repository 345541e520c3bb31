"""`fivenines export`: all trials of runs as one file for one's own analysis."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

# Seconds without a word; then it is said how far the export is.
_PATIENCE = 2.0

# Seconds between two lines where nobody watches.
_EVERY = 5.0


def export(
    run: Annotated[
        list[str] | None,
        typer.Argument(
            help="Runs: folders, names under ./runs, or experiments' names for their newest runs; "
            "default: the newest of all.",
            metavar="RUN...",
        ),
    ] = None,
    to: Annotated[
        Path | None,
        typer.Option("--to", help="The file: .duckdb has all tables, .parquet one. It is replaced."),
    ] = None,
    table: Annotated[
        str | None, typer.Option("--table", help="The table of a .parquet file; default: trials.")
    ] = None,
    share: Annotated[
        bool, typer.Option("--share", help="Let other accounts of this machine read the file.")
    ] = False,
) -> None:
    """Write all trials of one run or several to one file, for notebooks and SQL.

    A .duckdb file has the tables trials, seconds, faults, interruptions,
    events, latencies, blocks, windows and runs; a .parquet file has trials, or
    the one that --table names. docs/reference/export.md says what each column
    is, and so do the comments in the file.

    Broken and missing trials are rows, too, with their reason. A value that
    is only known to be at least so large is in no column of values.

    \b
    fivenines export quickstart --to trials.duckdb
    fivenines export runs/monday runs/tuesday --to trials.parquet
    fivenines export nightly --to seconds.parquet --table seconds
    """
    from fivenines.cli import console, runs, sharing
    from fivenines.errors import UsageError
    from fivenines.export import file
    from fivenines.results.store import open_run

    if to is None:
        raise UsageError("name the file to write: --to trials.duckdb, or --to trials.parquet")
    names: list[str | None] = [*run] if run else [None]
    opened = [open_run(runs.find(name, by_experiment=True)) for name in names]
    numbers = file.export(opened, to, table, _reporter())
    rows = ", ".join(f"{name} {number}" for name, number in numbers.items())
    console.say(f"{to} ({console.size(to.stat().st_size)}); rows: {rows}")
    for one in opened:
        for problem in one.problems:
            console.note(f"warning: {problem}", "yellow")
    if share:
        sharing.share(to)


def _reporter(clock: Callable[[], float] = time.monotonic) -> Callable[[int, int], None]:
    """Says how far it is once that takes time: one line that changes on a terminal, else few lines."""
    from rich.text import Text

    from fivenines.cli import console

    out, start = console.stderr(), clock()
    said = start + _PATIENCE - _EVERY

    def tell(done: int, of: int) -> None:
        nonlocal said
        now = clock()
        if now - start < _PATIENCE:
            return
        text = f"  {done} of {of} trials read"
        if out.is_terminal and not out.is_dumb_terminal:
            left = (now - start) / done * (of - done)
            text = f"{text}, about {left:.0f} s left" if done < of else text
            out.print(Text(f"{text:<50}"), end="\n" if done == of else "\r")
        elif now - said >= _EVERY:
            said = now
            out.print(Text(text))

    return tell
