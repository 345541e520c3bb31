"""All commands of the program: name, one line of help, and the module that defines them.

The help of the program and the completion of command names need nothing else. A command's own module is
imported when the command runs, shows its help, or completes its options. To add a command, write its module
and add one entry here.
"""

from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from importlib import import_module
from typing import Any, cast

import typer
from typer.core import TyperCommand
from typer.main import get_group

from fivenines.cli.program import Command, Group


@dataclass(frozen=True)
class Entry:
    """Where a command is defined.

    Attributes:
        module: in `fivenines.cli`.
        definition: in that module: a function, or a Typer application for a command that has others.
        help: the first paragraph of the command's own help.
        command: the class in that module that shows it, where it is not `Command`.
    """

    module: str
    definition: str
    help: str
    command: str = ""


ENTRIES = {
    "init": Entry("experiments.init", "init", "Create a commented experiment file that is ready to run."),
    "run": Entry(
        "experiments.run", "run", "Run an experiment: deploy, run the load, inject faults, check, report."
    ),
    "tolerate": Entry(
        "timeouts.tolerate", "tolerate", "Find the longest hiccup that a cluster survives without a failover."
    ),
    "tune": Entry(
        "timeouts.tune", "tune", "Find the timeouts that meet requirements on outage and needless failovers."
    ),
    "stalls": Entry("timeouts.stalls", "stalls", "Record the stalls of this machine, for `fivenines tune`."),
    "replicate": Entry(
        "experiments.replicate", "replicate", "Run a published study again and check each of its claims."
    ),
    "serve": Entry(
        "experiments.serve", "serve", "Show running experiments live and finished runs in a web browser."
    ),
    "report": Entry(
        "experiments.report", "report", "Write the report of a run as a web page, or print its tables."
    ),
    "decide": Entry(
        "experiments.decide",
        "decide",
        "Recommend a solution from finished runs, by requirements and preferences.",
    ),
    "check": Entry(
        "experiments.check", "check", "Check a finished run against thresholds, for CI pipelines."
    ),
    "compare": Entry(
        "experiments.compare",
        "compare",
        "Compare runs and show the ratio of each measure, regressions first.",
    ),
    "export": Entry(
        "experiments.export",
        "export",
        "Export all trials of one or more runs to one file, for notebooks and SQL.",
    ),
    "up": Entry("deployment.up", "up", "Deploy a solution for manual experiments.", "WithSolutions"),
    "down": Entry(
        "deployment.down", "down", "Tear down the running deployment. Does nothing if there is none."
    ),
    "show": Entry(
        "deployment.show", "show", "Print the configuration files that fivenines writes for a solution."
    ),
    "status": Entry(
        "deployment.status",
        "status",
        "Show the nodes of the running deployment: address, role, health, and how to connect.",
    ),
    "sql": Entry("deployment.sql", "sql", "Run SQL on a node, in the database with the workload's tables."),
    "connect": Entry(
        "deployment.connect",
        "connect",
        "Open the database's command-line client (psql, mariadb, mysql) on a node.",
    ),
    "exec": Entry(
        "deployment.exec",
        "execute",
        "Run a command on a host of the running deployment, with its files and network.",
    ),
    "kill": Entry("deployment.kill", "kill", "Kill all server processes of a node (SIGKILL)."),
    "restart": Entry(
        "deployment.restart", "restart", "Start a killed node, which then rejoins the deployment."
    ),
    "inject": Entry(
        "deployment.inject", "inject", "Inject a fault into the running deployment and report its effects."
    ),
    "bench": Entry("bench.command", "bench", "Run a load against any database server, without a lab."),
    "stacks": Entry(
        "stacks.command", "app", "Measure the outage that applications have, with their drivers and pools."
    ),
    "calibrate": Entry(
        "machine.calibrate",
        "calibrate",
        "Measure the accuracy of fivenines on this machine, in about three minutes.",
    ),
    "list": Entry(
        "machine.kinds",
        "list_",
        "List the available solutions, workloads, faults, managers, access, measures or examples.",
    ),
    "schema": Entry(
        "machine.schema",
        "schema",
        "Print the JSON Schema of experiment files, for completion and checks in editors.",
    ),
    "doctor": Entry(
        "machine.doctor", "doctor", "Check this machine and print how to install each missing prerequisite."
    ),
    "version": Entry("machine.version", "version", "Print the versions of fivenines and Python."),
    "results": Entry("experiments.results", "app", "List, show, copy, query and remove runs."),
    "engines": Entry("machine.engines", "app", "List, fetch and remove database server binaries."),
    "workers": Entry("machine.workers", "app", "Check the machines of a Ray cluster."),
    "hosts": Entry("machine.hosts", "app", "Enrol, check and clean the SSH machines of an inventory."),
    "aws": Entry(
        "machine.aws",
        "app",
        "Find and delete AWS resources that runs with `solution: aurora` have left behind.",
    ),
}


class Commands(Mapping[str, Any]):
    """The commands by name; each is imported when it is looked up."""

    def __init__(self) -> None:
        self._loaded: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        """Return a command; import its module if that has not happened yet."""
        if name not in self._loaded:
            self._loaded[name] = _load(name, ENTRIES[name])
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names, in the order of the help."""
        return iter(ENTRIES)

    def __len__(self) -> int:
        """Return the number of commands."""
        return len(ENTRIES)


class Program(Group):
    """The program itself, which lists its commands without importing them."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = cast(Any, Commands())

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands."""
        return list(self.commands)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help, with the commands' lines from the registry."""
        Group.format_help(self._listed(), ctx, formatter)

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """Complete the name of a command, with its line from the registry."""
        shown = copy(ctx)
        shown.command = self._listed()
        return list(Group.shell_complete(shown.command, shown, incomplete))

    def _listed(self) -> "Program":
        """Return a copy whose commands have a name and a line of help, and nothing else."""
        listed = copy(self)
        listed.commands = {name: TyperCommand(name, help=entry.help) for name, entry in ENTRIES.items()}
        return listed


def _load(name: str, entry: Entry) -> Any:
    """Import a command and build it as typer does."""
    module = import_module(f"fivenines.cli.{entry.module}")
    definition = getattr(module, entry.definition)
    app = typer.Typer(cls=Group, rich_markup_mode="rich")
    if isinstance(definition, typer.Typer):
        app.add_typer(definition, name=name)
    else:
        app.command(name, cls=getattr(module, entry.command) if entry.command else Command)(definition)
    return get_group(app).commands[name]
