"""`fivenines kill`: breaks a node of the playground."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from typing import Annotated

import typer


def kill(
    node: Annotated[str, typer.Argument(help="A node, as `fivenines status` calls it.")],
) -> None:
    """Kill all server processes of a node (SIGKILL), and see who takes over.

    \b
    fivenines kill node1
    """
    from fivenines.cli import console
    from fivenines.playground import kill as kill_node

    console.say(kill_node(node))
