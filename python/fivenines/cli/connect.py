"""`fivenines connect`: the engine's own client on a node of the playground."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from typing import Annotated

import typer


def connect(
    node: Annotated[
        str,
        typer.Argument(
            help="A node, as `fivenines status` calls it; default: the primary.", metavar="[NODE]"
        ),
    ] = "",
) -> None:
    """Open the engine's own client (psql, mariadb, mysql) on a node that `up` brought up.

    \b
    fivenines connect
    fivenines connect node2
    """
    from fivenines import playground

    raise typer.Exit(playground.connect(node))
