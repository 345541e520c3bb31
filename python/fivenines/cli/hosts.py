"""`fivenines hosts`: the machines of an inventory: let fivenines use them, look at them, clear them."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from fivenines.cli.options import AsJson
from fivenines.cli.program import Command, Group
from fivenines.errors import FiveninesError, UsageError

if TYPE_CHECKING:
    from fivenines.lab.ssh.connection import Connection

T = TypeVar("T")

app = typer.Typer(
    help="The machines of an inventory, which are reached over SSH.",
    cls=Group,
    no_args_is_help=True,
    rich_markup_mode="rich",
)

InventoryArgument = Annotated[
    Path, typer.Argument(help="The file that names the machines.", metavar="HOSTS.yaml")
]
OnlyOption = Annotated[
    list[str] | None, typer.Option(help="Only this machine; may be repeated.", metavar="NAME")
]


@app.command("enrol", cls=Command)
def enrol(
    inventory: InventoryArgument,
    only: OnlyOption = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Let fivenines start, kill and cut off servers on these machines.

    It makes a folder and a marker file on each. Without the marker no other
    command touches a machine.

    \b
    fivenines hosts enrol hosts.yaml
    """
    from fivenines.cli import console
    from fivenines.lab.ssh.enrolled import enrol as enrol_one

    names = names_of(inventory, only)
    if not yes:
        console.say(f"fivenines will start, kill and cut off database servers on: {', '.join(names)}.")
        typer.confirm("Are they yours to be used so?", abort=True)

    def work(connection: "Connection") -> str:
        made = enrol_one(connection)
        return "enrolled" if made else "was enrolled before"

    _on_each(inventory, names, work)


@app.command("check", cls=Command)
def check(inventory: InventoryArgument, only: OnlyOption = None, as_json: AsJson = False) -> None:
    """Say what each machine can do; the same as `doctor --inventory`.

    \b
    fivenines hosts check hosts.yaml
    """
    from fivenines.cli.doctor import of_inventory

    of_inventory(inventory, as_json, only or [])


@app.command("clean", cls=Command)
def clean(
    inventory: InventoryArgument,
    only: OnlyOption = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Also engines, data sets, and the marker: nothing is left.")
    ] = False,
) -> None:
    """Remove what a trial has left, as after a machine lost its power.

    A trial that ends, however it ends, clears up by itself; engines and data
    sets stay for the next one.

    \b
    fivenines hosts clean hosts.yaml
    fivenines hosts clean hosts.yaml --all
    """
    from fivenines.lab.ssh import enrolled

    def work(connection: "Connection") -> str:
        enrolled.require(connection)
        gone = enrolled.clear(connection, everything)
        return "removed " + ", ".join(gone) if gone else "nothing was left"

    _on_each(inventory, names_of(inventory, only), work)


def names_of(inventory: Path, only: list[str] | None) -> list[str]:
    """The machines of an inventory that are meant.

    Raises:
        UsageError: it has no machine of such a name.
    """
    from fivenines.experiment.inventory import read
    from fivenines.spelling import nearest

    known = list(read(inventory).hosts)
    for name in only or []:
        if name not in known:
            raise UsageError(
                f"--only {name}: the inventory has no such machine{nearest(name, known)}\n"
                f"    allowed: {', '.join(known)}"
            )
    return only or known


def _on_each(inventory: Path, names: list[str], work: "Callable[[Connection], str]") -> None:
    """Do something on several machines at once, and say what came of it on each."""
    from fivenines.cli import console

    failed = []
    for name, said, error in done_on(inventory, names, work):
        if error is None:
            console.say(f"{name}: {said}")
        else:
            failed.append(name)
            console.note(str(error), "red")
    if failed:
        raise FiveninesError(f"not done on {', '.join(failed)}")


def done_on(
    inventory: Path, names: list[str], work: "Callable[[Connection], T]"
) -> Iterator[tuple[str, T | None, FiveninesError | None]]:
    """What was done on each machine, all at once, in the order of the names; or why it was not."""
    from fivenines.experiment.inventory import read
    from fivenines.lab.ssh.connection import Connection
    from fivenines.lab.ssh.login import require_library

    require_library()
    machines = read(inventory)

    def one(name: str) -> T | FiveninesError:
        try:
            connection = Connection(name, machines.machine(name))
            try:
                return work(connection)
            finally:
                connection.close()
        except FiveninesError as error:
            return error

    with ThreadPoolExecutor(min(32, len(names))) as pool:
        for name, found in zip(names, pool.map(one, names), strict=True):
            failed = isinstance(found, FiveninesError)
            yield (name, None, found) if failed else (name, found, None)  # type: ignore[misc]
