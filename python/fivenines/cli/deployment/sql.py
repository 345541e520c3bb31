"""`fivenines sql`: run SQL on a node of the running deployment."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from typing import Annotated

import typer

from fivenines.cli.options import Node


def sql(
    node: Node,
    statement: Annotated[
        str | None, typer.Argument(help="SQL statement; default: open a prompt.", metavar="SQL")
    ] = None,
) -> None:
    """Run SQL on a node, in the database with the workload's tables.

    A terminal shows a table with headings, a pipe gets only tab-separated rows.

    \b
    fivenines sql node1 "select count(*) from sbtest1"
    fivenines sql node1
    """
    from fivenines.cli.output import console
    from fivenines.trial import manual as playground

    if statement is None:
        raise typer.Exit(playground.connect(node))
    columns, rows = playground.sql(node, statement)
    if console.stdout().is_terminal and columns:
        console.table(columns, rows)
        return
    for row in rows:
        # Rich would turn the tabs into spaces.
        typer.echo("\t".join(row))
