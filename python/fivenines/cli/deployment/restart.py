"""`fivenines restart`: start a killed node of the running deployment."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from fivenines.cli.options import Node


def restart(node: Node) -> None:
    """Start a killed node, which then rejoins the deployment.

    \b
    fivenines restart node1

    With a load (up --load) it also reports what clients saw.
    """
    from fivenines.cli.deployment import clients
    from fivenines.cli.output import console
    from fivenines.trial.manual import restart as begin

    done = begin(node)
    console.say(done.message)
    clients.report(done.moment)
