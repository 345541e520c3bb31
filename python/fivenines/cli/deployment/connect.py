"""`fivenines connect`: open the engine's client on a node of the running deployment."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from typing import Annotated

import typer


def connect(
    node: Annotated[
        str,
        typer.Argument(
            help="Node name, as shown by `fivenines status`; default: the primary.", metavar="[NODE]"
        ),
    ] = "",
) -> None:
    """Open the database's command-line client (psql, mariadb, mysql) on a node.

    \b
    fivenines connect
    fivenines connect node2
    """
    from fivenines.trial import manual as playground

    raise typer.Exit(playground.connect(node))
