"""`fivenines results copy` and `query`: copy runs to shared storage, and query their tables."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

import csv
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from fivenines.cli import complete
from fivenines.cli.options import AsJson

if TYPE_CHECKING:
    from fivenines.results.query import Query

# Number of rows shown without `--csv` and `--json`.
_ROWS = 50


def copy(
    run: Annotated[str, typer.Argument(help="Run to copy.", metavar="RUN", autocompletion=complete.runs)],
    url: Annotated[str, typer.Argument(help="Destination, as s3://bucket/runs or /mnt/runs.", metavar="URL")],
) -> None:
    """Copy a run to shared storage, except files that are there already.

    \b
    fivenines results copy quickstart s3://bucket/runs
    fivenines results copy quickstart /mnt/runs
    """
    from fivenines.campaign.copies import copy_all
    from fivenines.cli.experiments import runs
    from fivenines.cli.output import console
    from fivenines.results.storage import Storage

    folder = runs.find(run, by_experiment=True)
    storage = Storage(url)
    trials = copy_all(folder, storage, console.note)
    console.say(f"{storage.url}/{folder.name}: {trials} trials copied, the others were there already")


def query(
    run: Annotated[
        str, typer.Argument(help="Name, folder or URL of a run.", metavar="RUN", autocompletion=complete.runs)
    ],
    sql: Annotated[
        str | None, typer.Argument(help="Query; default: list the tables.", metavar="[SQL]")
    ] = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print all rows as CSV.")] = False,
    as_json: AsJson = False,
) -> None:
    """Query the tables of a run in SQL (DuckDB).

    The first column of every table is the trial; the table `trials` has the trials' records.

    \b
    fivenines results query quickstart
    fivenines results query quickstart "SELECT count(*) FROM ledger"
    fivenines results query s3://bucket/runs/NAME "SELECT count(*) FROM ledger"
    """
    from fivenines.cli.experiments import runs
    from fivenines.cli.output import console
    from fivenines.results.query import opened

    place = run if "://" in run else str(runs.find(run, by_experiment=True))
    with opened(place) as found:
        if sql is None:
            _list(found, as_json)
            return
        answer = found.ask(sql)
    if as_json:
        console.as_json([dict(zip(answer.columns, map(_plain, row), strict=True)) for row in answer.rows])
    elif as_csv:
        writer = csv.writer(sys.stdout, lineterminator="\\n")
        writer.writerow(answer.columns)
        writer.writerows(answer.rows)
    else:
        rows = [[str(_plain(value)) for value in row] for row in answer.rows[:_ROWS]]
        console.table(answer.columns, rows, wide=True)
        if len(answer.rows) > _ROWS:
            console.note(f"{_ROWS} of {len(answer.rows)} rows: --csv or --json prints all")


def _list(found: "Query", as_json: bool) -> None:
    from fivenines.cli.output import console

    if as_json:
        console.as_json(found.tables)
        return
    for name, columns in found.tables.items():
        console.say(f"{name}: {', '.join(columns)}")


def _plain(value: object) -> object:
    """Convert a value to one that JSON supports."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    return str(value)
