"""`fivenines inject`: breaks the playground as an experiment's faults do, and says what becomes of it."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fivenines.cli import complete
from fivenines.cli.assignments import gather
from fivenines.cli.options import Settings
from fivenines.errors import FiveninesError, UsageError

if TYPE_CHECKING:
    from fivenines.faults.settings import FaultSettings
    from fivenines.playground import Injected

# Seconds that a fault by hand lasts until somebody ends it.
_FOREVER = 30 * 86400.0

# Seconds between two looks at the playground.
_LOOK = 0.5

# An event that was shown: its time, kind and node.
Shown = tuple[float, str, str]


def inject(
    fault: Annotated[
        str | None,
        typer.Argument(
            help="A fault; --list shows them all.", metavar="FAULT", autocompletion=complete.faults
        ),
    ] = None,
    target: Annotated[
        str | None, typer.Option(help="Who is hit: primary, replica, majority, node1, ...", metavar="ROLE")
    ] = None,
    settings: Settings = None,
    seconds: Annotated[
        str | None, typer.Option("--for", help="How long; default: until Ctrl-C or --heal.", metavar="TIME")
    ] = None,
    heal: Annotated[bool, typer.Option("--heal", help="End what is at work now.")] = False,
    show: Annotated[bool, typer.Option("--list", help="Only list all faults.")] = False,
) -> None:
    """Break the playground on purpose, and watch what becomes of it.

    \b
    fivenines inject --list
    fivenines inject kill --for 5s
    fivenines inject freeze --target replica
    fivenines inject partition --set peers=replicas --set direction=in --for 10s
    fivenines inject degrade --target node2 --set latency=100ms --for 1m
    fivenines inject maintenance --set switchover=false
    fivenines inject --heal

    A fault that lasts ends after --for, at Ctrl-C, or by --heal from elsewhere.

    Then the nodes become members again, as after a fault of an experiment.

    Under a load (up --load) it also says for how long clients could not write,
    and whether rows that were acknowledged to them are lost.
    """
    from fivenines.playground import heal as end_all
    from fivenines.playground import inject as begin

    if show:
        _list()
    elif heal:
        numbers = end_all()
        if not numbers:
            raise UsageError("no fault is at work now")
        for number in numbers:
            _conclude(_follow(number, set()))
    elif fault is None:
        raise UsageError("inject: which fault? `fivenines inject --list` shows them all")
    else:
        asked = wanted_fault(fault, target, settings or [], seconds)
        number = begin(asked.model_dump(mode="json"))
        shown: set[Shown] = set()
        try:
            over = _follow(number, shown)
        except KeyboardInterrupt:
            end_all()
            over = _follow(number, shown)
        _conclude(over)


def wanted_fault(
    fault: str, target: str | None, assignments: list[str], seconds: str | None
) -> "FaultSettings":
    """The fault that a command line describes.

    Raises:
        UsageError: it is wrong, or makes no sense.
    """
    from fivenines.experiment.source import fault_from

    asked: dict[str, Any] = {"fault": fault}
    if target is not None:
        asked["target"] = target
    gather(asked, assignments, "inject: --set", "direction=in", "fault")
    wanted = fault_from(asked, "inject")
    keys = [key for key in ("duration", "restart_after") if key in type(wanted).model_fields]
    if seconds is not None:
        if not keys:
            raise UsageError(f"inject: --for {seconds}: {fault} has no duration of its own")
        return fault_from({**asked, keys[0]: seconds}, f"inject: --for {seconds}")
    open_end = [key for key in keys if key not in asked and _may_be_null(wanted, key)]
    return wanted.model_copy(update=dict.fromkeys(open_end, _FOREVER))


def _may_be_null(settings: "FaultSettings", key: str) -> bool:
    """Whether a fault of this kind may last for ever."""
    from fivenines.experiment.allowed import Shape

    return any(one.annotation is type(None) for one in Shape.of_field(type(settings), key).options())


def _list() -> None:
    from fivenines.cli import console
    from fivenines.faults.settings import FaultSettings
    from fivenines.plugins import kinds

    found = kinds("fivenines.faults", FaultSettings, "fault")
    rows = [
        [word, model.model_fields["fault"].description or ""]
        for word, model in found.items()
        if word != "none"
    ]
    console.table(["fault", "what it does"], rows)


def _follow(number: int, shown: set[Shown]) -> "Injected":
    """Show each event as it comes, until the fault is over; how it stands then."""
    from fivenines.cli import console
    from fivenines.playground import injected

    while True:
        now = injected(number)
        for event in now.events:
            key = (event["t"], event["kind"], event["node"])
            if key not in shown:
                shown.add(key)
                text = f"{event['t'] / 1000:8.2f} s  {event['kind']:<12} {event['node']} {event['detail']}"
                console.say(text.rstrip())
        if now.over:
            return now
        time.sleep(_LOOK)


def _conclude(now: "Injected") -> None:
    """Say what became of the nodes, and of the clients, whatever became of the nodes."""
    from fivenines.cli import clients

    try:
        _tell_of_nodes(now)
    finally:
        clients.tell(now.moment)


def _tell_of_nodes(now: "Injected") -> None:
    from fivenines.cli import console

    for record in now.records:
        name = f"{record['kind']} of {', '.join(record['nodes']) or record['role'] or 'nobody'}"
        if not record["verified"]:
            raise FiveninesError(f"{name}: it was not seen to take effect: {record['detail']}")
        if record["ended_verified"] is False:
            raise FiveninesError(f"{name}: it was not seen to end: {record['ended_detail']}")
        if record["rejoined"] is False:
            raise FiveninesError(f"{name}: {record['rejoin_detail']}")
        back = f"{', '.join(record['nodes'])} back" if record["rejoined"] else "over"
        console.say(f"{name}: {back}", "bold")
