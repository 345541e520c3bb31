"""`fivenines report`: write the report of a run as a page or as tables."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal, cast

import typer

from fivenines.cli.options import RunName


class Format(StrEnum):
    """Formats of a report."""

    html = "html"
    md = "md"
    json = "json"
    csv = "csv"


def report(
    run: RunName = None,
    format_: Annotated[
        Format,
        typer.Option(
            "--format", help="Output format: html (one self-contained page), md, json or csv (tables)."
        ),
    ] = Format.html,
    output: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Output file; default: report.html in the run's folder, or stdout."
        ),
    ] = None,
    share: Annotated[
        bool,
        typer.Option(
            "--share", help="Let other accounts of this machine read the output file, or else the whole run."
        ),
    ] = False,
) -> None:
    """Write the report of a run as a web page, or print its tables.

    \b
    fivenines report
    fivenines report quickstart
    fivenines report runs/quickstart-20260102-101500
    fivenines report quickstart-20260102-101500 --format csv --output cells.csv
    """
    from fivenines.cli.experiments import runs, sharing
    from fivenines.cli.output import console
    from fivenines.report import tables, write_html
    from fivenines.results.store import write_text

    found = runs.find(run, by_experiment=True)
    if format_ is Format.html:
        console.say(str(write_html(found, output)))
        if share:
            sharing.share(output or found)
        return
    text = tables(found, cast(Literal["md", "json", "csv"], format_.value))
    if output is None:
        console.stdout().out(text.rstrip("\n"), highlight=False)
    else:
        write_text(output, text)
        console.say(str(output))
    if share:
        sharing.share(output or found)
