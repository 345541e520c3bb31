"""`fivenines up`: deploy a solution for manual experiments."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from typing import TYPE_CHECKING, Annotated, Any

import typer

from fivenines.base.errors import UsageError
from fivenines.cli import complete
from fivenines.cli.assignments import gather, put, split
from fivenines.cli.options import AsJson, Settings
from fivenines.cli.program import Command

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic.fields import FieldInfo

    from fivenines.lab.settings import NetworkSettings
    from fivenines.solutions.settings import SolutionSettings

# Settings for the number of nodes, and the number of nodes that they do not count.
_NUMBERS = {"size": 0, "replicas": 1, "standbys": 1}


def up(  # noqa: PLR0913, PLR0917  (each is an option of the command line)
    solution: Annotated[
        str,
        typer.Argument(
            help="Solution to deploy; see `fivenines list solutions`.",
            metavar="SOLUTION",
            autocompletion=complete.solutions,
        ),
    ],
    settings: Settings = None,
    network: Annotated[
        list[str] | None,
        typer.Option(
            help="Setting of the network or its link, as rtt=10ms or loss=0.001.", metavar="KEY=VALUE"
        ),
    ] = None,
    nodes: Annotated[int | None, typer.Option(min=1, help="Number of database servers.")] = None,
    engine: Annotated[str | None, typer.Option(help="Database server; see `fivenines engines list`.")] = None,
    load: Annotated[
        float | None,
        typer.Option(
            "--load",
            min=0,
            max=100_000,
            help="Run a load of this many transactions per second.",
            metavar="RATE",
        ),
    ] = None,
    workload: Annotated[
        str | None,
        typer.Option(help="Workload for the data and the load; default: oltp_read_write.", metavar="NAME"),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(min=1, max=65535, help="First port on 127.0.0.1; default: free ports.", metavar="BASE"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Deploy a solution for manual experiments.

    \b
    fivenines up hot-standby --set synchronous_commit=remote_apply --nodes 3
    fivenines up galera --set access=haproxy --set access.interval=500ms
    fivenines up replication --set manager.interval=500ms
    fivenines up replication --set manager=none
    fivenines up galera --network rtt=10ms --network loss=0.001
    fivenines up hot-standby --load 100

    Prints how to connect from this machine with any client.

    Next: fivenines status, sql, connect, kill, inject, restart, bench, and down.
    """
    from fivenines.cli.bench.workload import workload_from
    from fivenines.cli.deployment import status
    from fivenines.cli.experiments.progress import listener
    from fivenines.experiment.validation.checks import unknown_hosts
    from fivenines.lab.settings import NetworkSettings
    from fivenines.trial.manual import up as bring_up
    from fivenines.trial.manual.request import Request

    wanted = wanted_solution(solution, settings or [], nodes, engine)
    if wanted.external:
        raise UsageError(
            f"up: {solution} is an external cluster, which fivenines does not deploy. "
            "Measure it with `fivenines run` (see docs/how-to/measure-your-own-cluster.md)"
        )
    around = wanted_network(network or [])
    if around is not None and (unknown := unknown_hosts(around, [wanted.topology()])):
        raise UsageError("\n".join(f"up: --network: {one}" for one in unknown))
    if around is not None and around.begins_late:
        raise UsageError("up: --network from: applies only to trials of experiments. Leave it out")
    run = workload_from([workload] if workload else [], [], [], [], [])
    request = Request(
        solution=wanted, network=around or NetworkSettings(), workload=run, rate=load or 0.0, port=port
    )
    with listener() as listen:
        bring_up(request, listen)
    status.show(as_json)


class WithSolutions(Command):
    """A command whose help lists all solutions, read from their models when the help is shown."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        from fivenines.base import plugins
        from fivenines.experiment import choices
        from fivenines.solutions.settings import SolutionSettings

        names = choices.lines("solutions")
        for name, kind in plugins.kinds("fivenines.solutions", SolutionSettings, "solution").items():
            if kind.external:
                del names[name]
        width = max(map(len, names))
        lines = [f"{name:<{width}}  {about}" for name, about in names.items()]
        first, _, rest = (self.help or "").partition("\n\n")
        self.help = "\n\n".join([first, "\b\nSolutions:\n" + "\n".join(lines), rest])
        super().format_help(ctx, formatter)


def wanted_network(assignments: list[str]) -> "NetworkSettings | None":
    """Return the network that a command line describes; keys of `link:` imply two sites.

    Raises:
        UsageError: the settings are wrong or contradict each other.
    """
    from fivenines.experiment.source import network_from
    from fivenines.lab.settings import LinkSettings, NetworkSettings

    asked: dict[str, Any] = {}
    for assignment in assignments:
        parts, value = split(assignment, "up: --network", "rtt=10ms")
        # `bandwidth` belongs to the link: the bandwidth of each host is a setting of the lab.
        if parts[0] in LinkSettings.model_fields:
            parts = ["link", *parts]
        elif parts[0] not in NetworkSettings.model_fields:
            known = ", ".join([*LinkSettings.model_fields, "sites"])
            raise UsageError(f"up: --network {assignment}: unknown key\n    allowed: {known}")
        put(asked, parts, value, f"up: --network {assignment}", "name")
    if not asked:
        return None
    if "link" in asked:
        asked.setdefault("sites", ["east", "west"])
    return network_from(asked, "up: --network")


def wanted_solution(
    solution: str, assignments: list[str], nodes: int | None, engine: str | None, command: str = "up"
) -> "SolutionSettings":
    """Return the solution that a command line describes; `command`: its name, for messages.

    Raises:
        UsageError: the settings are wrong or contradict each other.
    """
    from fivenines.experiment.source import solution_from
    from fivenines.experiment.validation.checks import machine_problem

    asked = described(solution, assignments, engine, command)
    model = _model(solution)
    fields = model.model_fields if model else {}
    count = next((key for key in _NUMBERS if key in fields), None)
    if nodes is not None and count is not None:
        # Set before validation, as checks may depend on the number of nodes.
        asked[count] = nodes - _NUMBERS[count]
    where = command if nodes is None else f"{command}: --nodes {nodes}"
    wanted = solution_from(asked, where)
    if command == "up" and (lacking := machine_problem(wanted)):
        raise UsageError(f"up: {lacking}")
    has = wanted.traits.nodes
    if nodes is not None and count is None and nodes != has:
        raise UsageError(f"{where}: {solution} has {has} nodes. Leave --nodes out")
    return wanted


def described(
    solution: str, assignments: list[str], engine: str | None = None, command: str = "up"
) -> dict[str, Any]:
    """Return the entry of an experiment file for a solution that a command line describes.

    Raises:
        UsageError: an assignment is none, or has a wrong key.
    """
    asked: dict[str, Any] = {"solution": solution}
    if engine is not None:
        asked["engine"] = engine
    gather(asked, assignments, f"{command}: --set", "synchronous_commit=on", "kind")
    model = _model(solution)
    _fill_kinds(asked, model.model_fields if model else {})
    return asked


def _model(solution: str) -> "type[SolutionSettings] | None":
    """Return the model of a solution's settings; None if the name is unknown."""
    from fivenines.base.plugins import kinds
    from fivenines.solutions.settings import SolutionSettings

    return kinds("fivenines.solutions", SolutionSettings, "solution").get(solution)


def _fill_kinds(asked: dict[str, Any], fields: "Mapping[str, FieldInfo]") -> None:
    """Add the default kind to settings of `manager` or `access` that name no kind."""
    from fivenines.base.settings import Settings
    from fivenines.experiment.validation.allowed import KIND_KEYS

    for name, inner in asked.items():
        if not isinstance(inner, dict) or name not in fields:
            continue
        usual = fields[name].get_default(call_default_factory=True, validated_data={})
        for key in KIND_KEYS:
            if isinstance(usual, Settings) and key in type(usual).model_fields:
                inner.setdefault(key, getattr(usual, key))
