"""`fivenines show`: print the configuration that fivenines writes, or has written, for a solution."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fivenines.base.errors import UsageError
from fivenines.cli import complete
from fivenines.cli.options import Settings

if TYPE_CHECKING:
    from fivenines.cli.output.configurations import Shown
    from fivenines.results.configuration import Configuration


class Format(StrEnum):
    """Formats of a configuration."""

    text = "text"
    json = "json"


def show(
    what: Annotated[
        str,
        typer.Argument(
            help="Solution, experiment file or run.",
            metavar="SOLUTION|FILE|RUN",
            autocompletion=complete.shown,
        ),
    ],
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help="A node, or a solution of the file or run and then a node; two solutions are compared.",
            metavar="NAME",
        ),
    ] = None,
    settings: Settings = None,
    format_: Annotated[Format, typer.Option("--format", help="Output format: text or json.")] = Format.text,
    out: Annotated[
        Path | None,
        typer.Option(help="Write the files into this new folder, one folder per node.", metavar="DIR"),
    ] = None,
) -> None:
    """Print the configuration files that fivenines writes for a solution.

    \b
    fivenines show galera
    fivenines show patroni --set mode=synchronous node1
    fivenines show examples/managers.yaml Patroni node2
    fivenines show hot-standby --out conf
    fivenines show quickstart
    fivenines show quickstart "1-safe (local)" "2-safe durable (on)"

    Starts nothing. A comment marks each line that only fivenines needs. Passwords are shown as ***.
    """
    from fivenines.cli.output import configurations
    from fivenines.cli.output.configurations import Shown

    asked = list(names or [])
    shown = _of_solution(what, settings or [])
    if shown is None:
        if settings:
            raise UsageError(f"show: --set changes a solution, and {what!r} is none: leave it out")
        shown = _of_file(Path(what)) if what.endswith((".yaml", ".yml")) else _of_run(what)
        chosen = [name for name in asked if name in shown.every]
        if len(chosen) == 2 and len(asked) == 2:
            configurations.print_differences(
                {name: shown.every[name] for name in asked}, as_json=format_ is Format.json
            )
            return
        if asked and asked[0] in shown.every:
            shown = Shown({asked[0]: shown.every[asked[0]]}, [])
            asked = asked[1:]
    configurations.note_external(shown.external)
    if not shown.every:
        return
    every = _only(shown.every, asked, what)
    if out is not None:
        configurations.write(every, out)
    else:
        configurations.print_files(every, as_json=format_ is Format.json)


def _only(
    every: "Mapping[str, Configuration]", asked: Sequence[str], what: str
) -> "dict[str, Configuration]":
    """Return the configurations of a node, or all without a node.

    Raises:
        UsageError: no solution and no node has such a name.
    """
    if not asked:
        return dict(every)
    hosts = list(dict.fromkeys(host for one in every.values() for host in one.hosts))
    if len(asked) > 1 or asked[0] not in hosts:
        unknown = asked[0] if asked[0] not in hosts else asked[1]
        solutions = f"\n    solutions: {', '.join(every)}" if len(every) > 1 else ""
        raise UsageError(f"show {what}: unknown name {unknown!r}{solutions}\n    nodes: {', '.join(hosts)}")
    node = asked[0]
    return {name: one.of(node) for name, one in every.items() if node in one.hosts}


def _of_solution(name: str, assignments: list[str]) -> "Shown | None":
    """Return what a deployment of this solution would write; None: there is no such kind of solution."""
    from fivenines.base.plugins import kinds
    from fivenines.cli.deployment.up import wanted_solution
    from fivenines.cli.output.configurations import Shown
    from fivenines.solutions.settings import SolutionSettings
    from fivenines.trial.deployment.rendering import rendered

    kind = kinds("fivenines.solutions", SolutionSettings, "solution").get(name)
    if kind is None:
        return None
    if kind.external:
        return Shown({}, [name])
    wanted = wanted_solution(name, assignments, None, None, command="show")
    return Shown({name: rendered(wanted)}, [])


def _of_file(path: Path) -> "Shown":
    """Return what the deployments of an experiment file would write, by solution."""
    from fivenines.cli.output.configurations import Shown
    from fivenines.experiment import examples
    from fivenines.experiment.source import load_parts
    from fivenines.trial.deployment.rendering import rendered

    every: dict[str, Configuration] = {}
    external = []
    for part in load_parts(examples.located(path)):
        network = part.experiment.network[0]
        for solution in part.experiment.solutions:
            name = f"{part.name}/{solution.name}" if part.name else solution.name
            if solution.external:
                external.append(name)
            else:
                every[name] = rendered(solution, network)
    return Shown(every, external)


def _of_run(name: str) -> "Shown":
    """Return what the deployments of a run have written, by solution; without a run, those of an example.

    Raises:
        UsageError: there is no such run, or no trial of it has deployed anything.
    """
    from fivenines.analysis.configuration import with_read_back
    from fivenines.base.plugins import kinds
    from fivenines.base.spelling import nearest
    from fivenines.cli.experiments import runs
    from fivenines.cli.output.configurations import Shown
    from fivenines.experiment import examples
    from fivenines.results.store import open_run
    from fivenines.solutions.settings import SolutionSettings

    try:
        folder = runs.find(name, by_experiment=True)
    except UsageError as error:
        if name in examples.names():
            return _of_file(Path(name))
        known = kinds("fivenines.solutions", SolutionSettings, "solution")
        guess = nearest(name, [*known, *map(runs.called, runs.all_runs())])
        raise UsageError(
            f"show: {name!r} is neither a solution, an experiment file (.yaml) nor a run{guess}"
            "\n    solutions: fivenines list solutions\n    runs: fivenines results list"
        ) from error
    every = with_read_back(open_run(folder))
    if not every:
        raise UsageError(f"show {name}: no trial of this run has deployed a solution")
    return Shown(every, [])
