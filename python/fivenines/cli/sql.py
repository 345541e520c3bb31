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
    """Run SQL on a node that `up` brought up.

    \b
    fivenines sql node1 "select pg_is_in_recovery()"
    fivenines sql node1
    """
    from fivenines.playground import sql as ask

    answer = ask(node, statement)
    if isinstance(answer, str):
        # not through rich: it would turn the tabs between columns into spaces
        typer.echo(answer.rstrip("\n"))
    elif answer:
        raise typer.Exit(answer)
