"""`fivenines kill`: kill a node of the running deployment."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from fivenines.cli.options import Node


def kill(node: Node) -> None:
    """Kill all server processes of a node (SIGKILL).

    \b
    fivenines kill node1

    With a load (up --load) it also reports how long writes were unavailable.
    """
    from fivenines.cli.deployment import clients
    from fivenines.cli.output import console
    from fivenines.trial.manual import kill as kill_node

    done = kill_node(node)
    console.say(done.message)
    clients.report(done.moment)
