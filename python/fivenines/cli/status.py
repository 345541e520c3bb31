"""`fivenines status`: how the solution is that `up` brought up."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from dataclasses import asdict

from fivenines.cli.options import AsJson


def status(as_json: AsJson = False) -> None:
    """Show the nodes that `up` brought up: address, role, health.

    \b
    fivenines status
    fivenines status --json
    """
    show(as_json)


def show(as_json: bool) -> None:
    """The state of the playground."""
    from fivenines.cli import console
    from fivenines.playground import status as look

    found = look()
    if as_json:
        console.as_json(asdict(found))
        return
    console.say(str(found.solution), "bold")
    console.table(
        ["node", "address", "role", "healthy", "detail"],
        [
            [node.name, node.address, node.role, "yes" if node.healthy else "NO", node.detail]
            for node in found.nodes
        ],
    )
    for endpoint in found.endpoints:
        console.say(f"endpoint: {endpoint}")
    for event in found.events:
        console.say(f"event: {event}")
