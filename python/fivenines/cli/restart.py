"""`fivenines restart`: brings a killed node of the playground back."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from fivenines.cli.options import Node


def restart(node: Node) -> None:
    """Start a killed node again; it has to find its place in the solution.

    \b
    fivenines restart node1

    Under a load (up --load) it also says what clients saw of it.
    """
    from fivenines.cli import clients, console
    from fivenines.playground import restart as begin

    done = begin(node)
    console.say(done.said)
    clients.tell(done.moment)
