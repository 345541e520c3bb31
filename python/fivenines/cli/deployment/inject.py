"""`fivenines inject`: inject a fault into the running deployment and report its effects."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fivenines.base.errors import FiveninesError, UsageError
from fivenines.cli import complete
from fivenines.cli.assignments import gather
from fivenines.cli.options import Settings

if TYPE_CHECKING:
    from fivenines.faults.settings import FaultSettings
    from fivenines.trial.manual import Injected

# Duration in seconds of a manual fault that the user ends.
_FOREVER = 30 * 86400.0

# Seconds between two polls of the deployment.
_LOOK = 0.5

# An event already shown: its time, kind and node.
Shown = tuple[float, str, str]


def inject(
    fault: Annotated[
        str | None,
        typer.Argument(
            help="Fault to inject; --list shows all.", metavar="FAULT", autocompletion=complete.faults
        ),
    ] = None,
    target: Annotated[
        str | None, typer.Option(help="Target: primary, replica, majority, node1, ...", metavar="ROLE")
    ] = None,
    settings: Settings = None,
    seconds: Annotated[
        str | None, typer.Option("--for", help="Duration; default: until Ctrl-C or --heal.", metavar="TIME")
    ] = None,
    heal: Annotated[bool, typer.Option("--heal", help="End all active faults.")] = False,
    show: Annotated[bool, typer.Option("--list", help="List all faults.")] = False,
) -> None:
    """Inject a fault into the running deployment and report its effects.

    \b
    fivenines inject --list
    fivenines inject kill --for 5s
    fivenines inject freeze --target replica
    fivenines inject partition --set peers=replicas --set direction=in --for 10s
    fivenines inject degrade --target node2 --set latency=100ms --for 1m
    fivenines inject maintenance --set switchover=false
    fivenines inject --heal

    A lasting fault ends after --for, at Ctrl-C, or by --heal from another terminal.
    Then the nodes rejoin, as after a fault of an experiment.

    With a load (up --load) it also reports how long writes were unavailable
    and whether acknowledged rows are lost.
    """
    from fivenines.trial.manual import heal as end_all
    from fivenines.trial.manual import inject as begin

    if show:
        _list()
    elif heal:
        numbers = end_all()
        if not numbers:
            raise UsageError("no fault is active")
        for number in numbers:
            _conclude(_follow(number, set()))
    elif fault is None:
        raise UsageError("inject: name a fault. `fivenines inject --list` shows all")
    else:
        chosen = fault_of(fault, target, settings or [], seconds)
        number = begin(chosen.model_dump(mode="json"))
        shown: set[Shown] = set()
        try:
            over = _follow(number, shown)
        except KeyboardInterrupt:
            end_all()
            over = _follow(number, shown)
        _conclude(over)


def fault_of(fault: str, target: str | None, assignments: list[str], seconds: str | None) -> "FaultSettings":
    """Return the fault that a command line describes.

    Raises:
        UsageError: the fault is unknown, or its settings are wrong.
    """
    from fivenines.experiment.source import fault_from

    asked: dict[str, Any] = {"fault": fault}
    if target is not None:
        asked["target"] = target
    gather(asked, assignments, "inject: --set", "direction=in", "fault")
    settings = fault_from(asked, "inject")
    keys = [key for key in ("duration", "restart_after") if key in type(settings).model_fields]
    if seconds is not None:
        if not keys:
            raise UsageError(f"inject: --for {seconds}: {fault} has no duration")
        return fault_from({**asked, keys[0]: seconds}, f"inject: --for {seconds}")
    open_end = [key for key in keys if key not in asked and _may_be_null(settings, key)]
    return settings.model_copy(update=dict.fromkeys(open_end, _FOREVER))


def _may_be_null(settings: "FaultSettings", key: str) -> bool:
    """Return whether this setting may be null: a fault without an end."""
    from fivenines.experiment.validation.allowed import Shape

    return any(option.annotation is type(None) for option in Shape.of_field(type(settings), key).options())


def _list() -> None:
    from fivenines.base.plugins import kinds
    from fivenines.cli.output import console
    from fivenines.faults.settings import FaultSettings

    found = kinds("fivenines.faults", FaultSettings, "fault")
    rows = [
        [word, model.model_fields["fault"].description or ""]
        for word, model in found.items()
        if word != "none"
    ]
    console.table(["fault", "what it does"], rows)


def _follow(number: int, shown: set[Shown]) -> "Injected":
    """Print events until the fault is over; return its final state."""
    from fivenines.cli.output import console
    from fivenines.trial.manual import injected

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
    """Report the state of the nodes, and in any case what clients saw."""
    from fivenines.cli.deployment import clients

    try:
        _report_nodes(now)
    finally:
        clients.report(now.moment)


def _report_nodes(now: "Injected") -> None:
    from fivenines.cli.output import console

    for record in now.records:
        name = f"{record['kind']} of {', '.join(record['nodes']) or record['role'] or 'no node'}"
        if not record["verified"]:
            raise FiveninesError(f"{name}: no effect was observed: {record['detail']}")
        if record["ended_verified"] is False:
            raise FiveninesError(f"{name}: its end was not observed: {record['ended_detail']}")
        if record["rejoined"] is False:
            raise FiveninesError(f"{name}: {record['rejoin_detail']}")
        state = f"{', '.join(record['nodes'])} rejoined" if record["rejoined"] else "ended"
        console.say(f"{name}: {state}", "bold")
