"""`fivenines hosts`: enrol, check and clean the machines of an inventory."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from fivenines.base.errors import FiveninesError, UsageError
from fivenines.cli.options import AsJson
from fivenines.cli.program import Command, Group

if TYPE_CHECKING:
    from fivenines.lab.ssh.connection import Connection

T = TypeVar("T")

app = typer.Typer(
    help="Enrol, check and clean the SSH machines of an inventory.",
    cls=Group,
    no_args_is_help=True,
    rich_markup_mode="rich",
)

InventoryArgument = Annotated[Path, typer.Argument(help="Inventory file.", metavar="HOSTS.yaml")]
OnlyOption = Annotated[
    list[str] | None, typer.Option(help="Only this machine. Can be repeated.", metavar="NAME")
]


@app.command("enrol", cls=Command)
def enrol(
    inventory: InventoryArgument,
    only: OnlyOption = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Allow fivenines to start, kill and isolate servers on these machines.

    Creates a folder and a marker file on each machine. Without the marker, no other
    command changes a machine.

    \b
    fivenines hosts enrol hosts.yaml
    """
    from fivenines.cli.output import console
    from fivenines.lab.ssh.enrolled import enrol as enrol_one

    names = names_of(inventory, only)
    if not yes:
        console.say(f"fivenines will start, kill and isolate database servers on: {', '.join(names)}.")
        typer.confirm("Do you permit this?", abort=True)

    def work(connection: "Connection") -> str:
        made = enrol_one(connection)
        return "enrolled" if made else "already enrolled"

    _on_each(inventory, names, work)


@app.command("check", cls=Command)
def check(inventory: InventoryArgument, only: OnlyOption = None, as_json: AsJson = False) -> None:
    """Check the prerequisites on each machine; same as `doctor --inventory`.

    \b
    fivenines hosts check hosts.yaml
    """
    from fivenines.cli.machine.doctor import of_inventory

    of_inventory(inventory, as_json, only or [])


@app.command("clean", cls=Command)
def clean(
    inventory: InventoryArgument,
    only: OnlyOption = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Also remove engines, data sets and the marker.")
    ] = False,
) -> None:
    """Remove what a trial has left behind, for example after a power loss.

    Trials clean up when they end. Engines and data sets are kept for the next trial.

    \b
    fivenines hosts clean hosts.yaml
    fivenines hosts clean hosts.yaml --all
    """
    from fivenines.lab.ssh import enrolled

    def work(connection: "Connection") -> str:
        enrolled.require(connection)
        removed = enrolled.clear(connection, everything)
        return "removed " + ", ".join(removed) if removed else "nothing to remove"

    _on_each(inventory, names_of(inventory, only), work)


def names_of(inventory: Path, only: list[str] | None) -> list[str]:
    """Return the selected machines of an inventory.

    Raises:
        UsageError: the inventory has no machine of such a name.
    """
    from fivenines.base.spelling import nearest
    from fivenines.experiment.inventory import read

    known = list(read(inventory).hosts)
    for name in only or []:
        if name not in known:
            raise UsageError(
                f"--only {name}: unknown machine{nearest(name, known)}\n    allowed: {', '.join(known)}"
            )
    return only or known


def _on_each(inventory: Path, names: list[str], work: "Callable[[Connection], str]") -> None:
    """Run a function on several machines in parallel, and print the result of each."""
    from fivenines.cli.output import console

    failed = []
    for name, result, error in done_on(inventory, names, work):
        if error is None:
            console.say(f"{name}: {result}")
        else:
            failed.append(name)
            console.note(str(error), "red")
    if failed:
        raise FiveninesError(f"failed on {', '.join(failed)}, see above")


def done_on(
    inventory: Path, names: list[str], work: "Callable[[Connection], T]"
) -> Iterator[tuple[str, T | None, FiveninesError | None]]:
    """Run a function on machines in parallel; yield results or errors in the order of names."""
    from fivenines.experiment.inventory import read
    from fivenines.lab.ssh.connection import Connection
    from fivenines.lab.ssh.login import require_library

    require_library()
    machines = read(inventory)

    def on_machine(name: str) -> T | FiveninesError:
        try:
            connection = Connection(name, machines.machine(name))
            try:
                return work(connection)
            finally:
                connection.close()
        except FiveninesError as error:
            return error

    with ThreadPoolExecutor(min(32, len(names))) as pool:
        for name, found in zip(names, pool.map(on_machine, names), strict=True):
            failed = isinstance(found, FiveninesError)
            yield (name, None, found) if failed else (name, found, None)  # type: ignore[misc]
