"""`fivenines kill`: breaks a node of the playground."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from fivenines.cli.options import Node


def kill(node: Node) -> None:
    """Kill all server processes of a node (SIGKILL), and see who takes over.

    \b
    fivenines kill node1

    Under a load (up --load) it also says what clients saw, once writes are back.
    """
    from fivenines.cli import clients, console
    from fivenines.playground import kill as kill_node

    done = kill_node(node)
    console.say(done.said)
    clients.tell(done.moment)
