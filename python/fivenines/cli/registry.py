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
    "init": Entry(
        "init",
        "init",
        "Write an experiment file to begin with: it runs as it stands, and its comments teach the rest.",
    ),
    "run": Entry("run", "run", "Run an experiment: deploy, load, break, check, report."),
    "replicate": Entry(
        "replicate", "replicate", "Run a published study again and judge its claims, one by one."
    ),
    "serve": Entry(
        "serve",
        "serve",
        "Show runs on a web page of this machine: the running one live, the others in their reports.",
    ),
    "report": Entry("report", "report", "Write the report of a run, or print its tables."),
    "decide": Entry(
        "decide", "decide", "Say which solution to take, from what a run has measured; nothing is run again."
    ),
    "check": Entry("check", "check", "Judge thresholds by a run that is done; nothing is run again."),
    "compare": Entry(
        "compare",
        "compare",
        "Compare runs cell by cell: each measure as a ratio with its interval, regressions first.",
    ),
    "export": Entry(
        "export", "export", "Write all trials of one run or several to one file, for notebooks and SQL."
    ),
    "up": Entry("up", "up", "Bring a solution up, to look at it and to break it by hand.", "WithSolutions"),
    "down": Entry(
        "down",
        "down",
        "End what `up` brought up; nothing is left of it. With nothing up there is nothing to do.",
    ),
    "status": Entry(
        "status", "status", "Show the nodes that `up` brought up: address, role, health, and how to connect."
    ),
    "sql": Entry(
        "sql", "sql", "Run SQL on a node that `up` brought up, in the database with the workload's tables."
    ),
    "connect": Entry(
        "connect",
        "connect",
        "Open the engine's own client (psql, mariadb, mysql) on a node that `up` brought up.",
    ),
    "exec": Entry(
        "exec",
        "execute",
        "Run a command inside a host of what `up` brought up, with its files, its network and its programs.",
    ),
    "kill": Entry("kill", "kill", "Kill all server processes of a node (SIGKILL), and see who takes over."),
    "restart": Entry(
        "restart", "restart", "Start a killed node again; it has to find its place in the solution."
    ),
    "inject": Entry("inject", "inject", "Break the playground on purpose, and watch what becomes of it."),
    "bench": Entry("bench", "bench", "Put any running server under load, without a lab."),
    "calibrate": Entry(
        "calibrate",
        "calibrate",
        "Find out how far to trust fivenines on this machine, in about three minutes.",
    ),
    "list": Entry(
        "kinds", "list_", "List what an experiment file can name, or the examples, each with a line about it."
    ),
    "schema": Entry(
        "schema",
        "schema",
        "Print the JSON Schema of experiment files, for editors that complete and check them.",
    ),
    "doctor": Entry(
        "doctor", "doctor", "Check what this machine can do; for what it cannot, say the exact remedy."
    ),
    "version": Entry("version", "version", "Print the version of fivenines and of Python."),
    "results": Entry("results", "app", "List, show, copy, ask and remove runs."),
    "engines": Entry("engines", "app", "List, fetch and remove database servers."),
    "workers": Entry("workers", "app", "Check the machines of a Ray cluster."),
    "hosts": Entry("hosts", "app", "The machines of an inventory, which are reached over SSH."),
    "aws": Entry("aws", "app", "What runs with `solution: aurora` have made at Amazon, and left there."),
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
