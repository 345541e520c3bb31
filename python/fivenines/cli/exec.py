"""`fivenines exec`: any command on a host of the playground."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from typing import Annotated

import typer

from fivenines.cli import complete


def execute(
    host: Annotated[
        str,
        typer.Argument(
            help="A node, or another host: proxy, manager, client.",
            metavar="HOST",
            autocompletion=complete.hosts,
        ),
    ],
    command: Annotated[
        list[str], typer.Argument(help="The command and its arguments, behind --.", metavar="CMD")
    ],
) -> None:
    """Run a command inside a host of what `up` brought up, with its files, its network and its programs.

    \b
    fivenines exec node1 -- ip address
    fivenines exec node2 -- ls -l /node/data
    fivenines exec client -- ping -c 3 10.99.0.11
    """
    from fivenines import playground

    raise typer.Exit(playground.execute(host, command))
