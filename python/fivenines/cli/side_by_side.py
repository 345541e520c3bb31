"""`--parallel` and `--on`: how many trials run side by side, where, and who carries them out."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from fivenines.errors import UsageError

if TYPE_CHECKING:
    from fivenines.cli.planned import Planned
    from fivenines.runner.workers.base import Worker
    from fivenines.runner.workers.ray_cluster import Cluster
    from fivenines.runner.workers.remote import Introduction
    from fivenines.runner.workers.room import Demand

ParallelOption = Annotated[
    str,
    typer.Option(
        help="So many trials side by side, each with processors of its own; auto: as many as fit.",
        metavar="N|auto",
    ),
]
OversubscribeOption = Annotated[
    bool,
    typer.Option("--oversubscribe", help="With --parallel: also where there are more hosts than processors."),
]
OnOption = Annotated[
    str | None,
    typer.Option(
        help="On the machines of a Ray cluster, --parallel N on each. Example: --on ray://head:10001",
        metavar="ray://HOST:PORT",
    ),
]


def nobody() -> "Sequence[Worker]":
    """Only this process, one trial after another."""
    return ()


@dataclass(frozen=True)
class Crew:
    """Who carries out trials.

    Attributes:
        at_once: so many run side by side.
        workers: makes the workers of a campaign, which close with it; none: this process does all.
        where: the machines, in words; empty: only this one.
    """

    at_once: int = 1
    workers: "Callable[[], Sequence[Worker]]" = nobody
    where: str = ""


@dataclass(frozen=True)
class SideBySide:
    """What the command line says of it."""

    parallel: str = "1"
    oversubscribe: bool = False
    on: str | None = None

    def __post_init__(self) -> None:
        """Refuse what is no number.

        Raises:
            UsageError: it is neither a number from 1 to 999 nor `auto`.
        """
        if self.parallel != "auto" and not 1 <= _number(self.parallel) <= 999:
            raise UsageError(f"--parallel {self.parallel}: write a number from 1 on, or auto")
        if self.oversubscribe and self.parallel == "1":
            raise UsageError("--oversubscribe says nothing without --parallel 2 or more")

    @property
    def words(self) -> list[str]:
        """As the command line that continues a run says it."""
        words = [] if self.on is None else ["--on", self.on]
        words += [] if self.parallel == "1" else ["--parallel", self.parallel]
        return words + (["--oversubscribe"] if self.oversubscribe else [])

    def crew(self, works: "Sequence[Planned]") -> Crew:
        """Who carries out these trials.

        Raises:
            UsageError: they would disturb each other.
            FiveninesError: the cluster cannot be used.
        """
        if self.on is not None:
            return self._on_machines(connected(self.on), works)
        count = self._here(works)
        return Crew(count, partial(_on_this_machine, count)) if count > 1 else Crew()

    def _here(self, works: "Sequence[Planned]") -> int:
        from fivenines.runner.workers.room import Room, require_room

        if self.parallel == "1":
            return 1
        demand, room = _demand(works), Room.here()
        if self.parallel == "auto":
            return room.fits(demand)
        require_room(int(self.parallel), demand, room, self.oversubscribe)
        return int(self.parallel)

    def _on_machines(self, cluster: "Cluster", works: "Sequence[Planned]") -> Crew:
        said = cluster.introductions(cluster.nodes())
        if not said:
            raise UsageError(f"{self.on} has no machine that takes tasks (num-cpus is 0 everywhere)")
        demand = _demand(works)
        places = {name: self._there(name, one, demand) for name, one in said.items()}
        at_once = sum(places.values())
        return Crew(at_once, partial(cluster.workers, places), described(said, places))

    def _there(self, name: str, said: "Introduction", demand: "Demand") -> int:
        from fivenines.runner.workers.room import require_room

        if self.parallel == "auto":
            return said.room.fits(demand)
        count = int(self.parallel)
        try:
            require_room(count, demand, said.room, self.oversubscribe)
        except UsageError as error:
            raise UsageError(f"{name}: {error}") from error
        return count


def connected(on: str) -> "Cluster":
    """The Ray cluster of `--on`.

    Raises:
        UsageError: it is no address of one, or Ray is not installed.
        FiveninesError: it cannot be used.
    """
    from fivenines.cli import console
    from fivenines.runner.workers.ray_cluster import Cluster

    console.note(f"connecting with {on}")
    return Cluster(on)


def described(said: "Mapping[str, Introduction]", places: Mapping[str, int]) -> str:
    """The machines of a cluster in words, and whether they are machines of their own."""
    from fivenines.analysis.wording import count, listed

    at_once = sum(places.values())
    beside = f", {at_once} trials at once" if max(places.values()) > 1 else ""
    words = f"{count(len(said), 'machine')}{beside}: {listed(list(said))}"
    alike: dict[str, list[str]] = {}
    for name, one in said.items():
        alike.setdefault(one.boot, []).append(name)
    for names in alike.values():
        if len(names) > 1:
            words += (
                f". {listed(names)} are nodes of one machine: trials on them disturb each other, and their "
                "figures compare within the run only"
            )
    return words


def _demand(works: "Sequence[Planned]") -> "Demand":
    from fivenines.runner.workers.room import Demand

    demands = [Demand.of([*one.blocks, *one.trials], one.experiment) for one in works]
    return Demand(max(one.hosts for one in demands), max(one.memory for one in demands))


def _on_this_machine(count: int) -> "Sequence[Worker]":
    from fivenines.runner.workers.process import on_this_machine

    return on_this_machine(count)


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 4 else 0
