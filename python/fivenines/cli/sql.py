"""`fivenines sql`: a SQL prompt on a node of the playground."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from typing import Annotated

import typer

from fivenines.cli.options import Node


def sql(
    node: Node,
    statement: Annotated[
        str | None, typer.Argument(help="One statement; without it, a prompt.", metavar="SQL")
    ] = None,
) -> None:
    """Run SQL on a node that `up` brought up, in the database with the workload's tables.

    On a terminal a table with column heads; in a pipe the rows alone, with tabs between columns.

    \b
    fivenines sql node1 "select count(*) from sbtest1"
    fivenines sql node1
    """
    from fivenines import playground
    from fivenines.cli import console

    if statement is None:
        raise typer.Exit(playground.connect(node))
    columns, rows = playground.sql(node, statement)
    if console.stdout().is_terminal and columns:
        console.table(columns, rows)
        return
    for row in rows:
        # not through rich: it would turn the tabs between columns into spaces
        typer.echo("\t".join(row))
