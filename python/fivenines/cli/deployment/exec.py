"""`fivenines exec`: run a command on a host of the running deployment."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from typing import Annotated

import typer

from fivenines.cli import complete


def execute(
    host: Annotated[
        str,
        typer.Argument(
            help="Node name, or another host: proxy, manager, client.",
            metavar="HOST",
            autocompletion=complete.hosts,
        ),
    ],
    command: Annotated[list[str], typer.Argument(help="Command and its arguments, after --.", metavar="CMD")],
) -> None:
    """Run a command on a host of the running deployment, with its files and network.

    \b
    fivenines exec node1 -- ip address
    fivenines exec node2 -- ls -l /node/data
    fivenines exec client -- ping -c 3 10.99.0.11
    """
    from fivenines.trial import manual as playground

    raise typer.Exit(playground.execute(host, command))
