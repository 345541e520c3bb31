"""`fivenines status`: show the state of the running deployment."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from fivenines.base.errors import UsageError
from fivenines.cli.options import AsJson

if TYPE_CHECKING:
    from fivenines.trial.manual import Status

# Seconds between two polls.
_EVERY = 1.0


def status(
    as_json: AsJson = False,
    watch: Annotated[bool, typer.Option("--watch", "-w", help="Update each second until Ctrl-C.")] = False,
) -> None:
    """Show the nodes of the running deployment: address, role, health, and how to connect.

    \b
    fivenines status
    fivenines status --watch
    fivenines status --json
    """
    if watch and as_json:
        raise UsageError("status: --watch and --json exclude each other. Leave one out")
    if watch:
        _watch()
    else:
        show(as_json)


def show(as_json: bool) -> None:
    """Print the state of the running deployment."""
    from fivenines.cli.output import console
    from fivenines.trial.manual import status as look

    found = look()
    if as_json:
        console.as_json(asdict(found))
        return
    console.say(str(found.solution), "bold")
    console.table(
        ["node", "role", "healthy", "in the lab", "from here", "detail"],
        [
            [node.name, node.role, "yes" if node.healthy else "NO", node.address, node.here, node.detail]
            for node in found.nodes
        ],
    )
    for line in (*_ways(found), *_load(found), *_events(found)):
        console.say(line)
    _show_login(found)


def _ways(found: "Status") -> list[str]:
    """Return the endpoints for clients, and the ports of hosts other than nodes."""
    own = [f"{way.name}: {way.lab}, from here {way.here}" for way in found.ways if not way.node]
    known = {way.name for way in found.ways}
    rest = [f"endpoint: {each}" for each in found.endpoints if each.partition(":")[0] not in known]
    return [*own, *rest]


def _load(found: "Status") -> list[str]:
    load = found.load
    if load is None:
        return []
    if load.ended:
        return [f"load: {load.workload}, ended: {load.ended}"]
    done = "starting" if load.tps is None else f"{load.tps:g}/s achieved, {load.errors:,} errors"
    return [f"load: {load.workload}, {load.rate:g}/s requested, {done}"]


def _events(found: "Status") -> list[str]:
    return [f"event: {event}" for event in found.events]


def _show_login(found: "Status") -> None:
    from fivenines.cli.output import console

    if (login := found.login) is None:
        return
    console.say("")
    console.say("To connect with any client, from this account:", "bold")
    # The lines are copied, so the terminal may wrap them but no line break is inserted.
    for text in (
        f"user {login.user}, password {login.password}, database {login.database}",
        login.dsn,
        login.command,
    ):
        console.stdout().print(text, soft_wrap=True, highlight=False, markup=False)


def _watch() -> None:
    from fivenines.cli.output import console

    try:
        if console.stdout().is_terminal:
            _watch_live()
        else:
            _watch_lines()
    except KeyboardInterrupt:
        return


def _watch_live() -> None:
    """Update one table in place."""
    from rich.console import Group
    from rich.live import Live
    from rich.table import Table
    from rich.text import Text

    from fivenines.cli.output import console
    from fivenines.trial.manual import status as look

    def drawn() -> Group:
        found = look()
        table = Table("node", "role", "healthy", "from here", "detail", box=None, pad_edge=False)
        for node in found.nodes:
            healthy = Text("yes") if node.healthy else Text("NO", "bold red")
            table.add_row(node.name, node.role, healthy, node.here, Text(node.detail))
        more = [Text(line) for line in (*_ways(found), *_load(found), *_events(found))]
        clock = time.strftime("%H:%M:%S")
        return Group(Text(f"{found.solution}  {clock}", "bold"), table, *more)

    with Live(drawn(), console=console.stdout(), auto_refresh=False) as live:
        while True:
            time.sleep(_EVERY)
            live.update(drawn(), refresh=True)


def _watch_lines() -> None:
    """Print a line per second, and each event once."""
    from fivenines.cli.output import console
    from fivenines.trial.manual import status as look

    shown: list[str] = []
    while True:
        found = look()
        nodes = ", ".join(
            f"{node.name} {node.role}{'' if node.healthy else ' NOT HEALTHY'}" for node in found.nodes
        )
        console.say("; ".join([f"{time.strftime('%H:%M:%S')} {nodes}", *_load(found)]))
        for event in found.events:
            if event not in shown:
                console.say(f"  event: {event}")
        shown = found.events
        time.sleep(_EVERY)
