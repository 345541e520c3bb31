"""`--parallel` and `--on`: run trials in parallel, on this machine or a Ray cluster."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from fivenines.base.errors import UsageError

if TYPE_CHECKING:
    from fivenines.campaign.workers.base import Worker
    from fivenines.campaign.workers.ray_cluster import Cluster
    from fivenines.campaign.workers.remote import Introduction
    from fivenines.campaign.workers.room import Demand
    from fivenines.cli.experiments.planned import Planned
    from fivenines.experiment.spec import Experiment

ParallelOption = Annotated[
    str,
    typer.Option(
        help="Number of parallel trials, each pinned to its own CPUs; auto: the maximum.", metavar="N|auto"
    ),
]
OversubscribeOption = Annotated[
    bool, typer.Option("--oversubscribe", help="Permit --parallel with more hosts than CPUs.")
]
OnOption = Annotated[
    str | None,
    typer.Option(
        help="Run on a Ray cluster, with --parallel N trials per machine. Example: --on ray://head:10001",
        metavar="ray://HOST:PORT",
    ),
]


def no_workers() -> "Sequence[Worker]":
    """Return no workers: this process runs one trial at a time."""
    return ()


@dataclass(frozen=True)
class Crew:
    """The workers that run trials.

    Attributes:
        at_once: the number of parallel trials.
        workers: creates the workers of a campaign; none: this process runs all trials.
        where: a description of the machines; empty: only this machine.
    """

    at_once: int = 1
    workers: "Callable[[], Sequence[Worker]]" = no_workers
    where: str = ""


@dataclass(frozen=True)
class Parallelism:
    """The options of the command line for parallel trials."""

    parallel: str = "1"
    oversubscribe: bool = False
    on: str | None = None

    def __post_init__(self) -> None:
        """Check the options.

        Raises:
            UsageError: `parallel` is neither a number from 1 to 999 nor `auto`.
        """
        if self.parallel != "auto" and not 1 <= _number(self.parallel) <= 999:
            raise UsageError(f"--parallel {self.parallel}: write a number from 1 to 999, or auto")
        if self.oversubscribe and self.parallel == "1":
            raise UsageError("--oversubscribe has no effect without --parallel 2 or more")

    @property
    def words(self) -> list[str]:
        """Return the options for the command line that continues a run."""
        words = [] if self.on is None else ["--on", self.on]
        words += [] if self.parallel == "1" else ["--parallel", self.parallel]
        return words + (["--oversubscribe"] if self.oversubscribe else [])

    def require_possible(self, experiments: "Sequence[Experiment]") -> None:
        """Require that trials of these experiments may run in parallel, if that is asked for.

        Raises:
            UsageError: one uses machines over SSH, or an external cluster.
        """
        if not self.words:
            return
        if any(experiment.lab.kind == "ssh" for experiment in experiments):
            raise UsageError(
                f"{self.words[0]}: over SSH, trials run one at a time, as each uses all machines of the "
                "inventory. Leave it out"
            )
        if any(solution.external for experiment in experiments for solution in experiment.solutions):
            raise UsageError(
                f"{self.words[0]}: trials of an external cluster run one at a time. Leave it out"
            )

    def crew(self, works: "Sequence[Planned]") -> Crew:
        """Return the workers for these trials.

        Raises:
            UsageError: the trials would disturb each other.
            FiveninesError: the cluster is not usable.
        """
        if self.on is not None:
            return self._on_machines(connected(self.on), works)
        count = self._here(works)
        return Crew(count, partial(_on_this_machine, count)) if count > 1 else Crew()

    def _here(self, works: "Sequence[Planned]") -> int:
        from fivenines.campaign.workers.room import Room, require_room

        if self.parallel == "1":
            return 1
        demand, room = _demand(works), Room.here()
        if self.parallel == "auto":
            return room.fits(demand)
        require_room(int(self.parallel), demand, room, self.oversubscribe)
        return int(self.parallel)

    def _on_machines(self, cluster: "Cluster", works: "Sequence[Planned]") -> Crew:
        machines = cluster.introductions(cluster.nodes())
        if not machines:
            raise UsageError(f"{self.on}: no machine accepts tasks (num-cpus is 0 on all)")
        demand = _demand(works)
        places = {name: self._places(name, machine, demand) for name, machine in machines.items()}
        at_once = sum(places.values())
        return Crew(at_once, partial(cluster.workers, places), described(machines, places))

    def _places(self, name: str, machine: "Introduction", demand: "Demand") -> int:
        from fivenines.campaign.workers.room import require_room

        if self.parallel == "auto":
            return machine.room.fits(demand)
        count = int(self.parallel)
        try:
            require_room(count, demand, machine.room, self.oversubscribe)
        except UsageError as error:
            raise UsageError(f"{name}: {error}") from error
        return count


def connected(on: str) -> "Cluster":
    """Connect to the Ray cluster of `--on`.

    Raises:
        UsageError: the address is malformed, or Ray is not installed.
        FiveninesError: the cluster is not usable.
    """
    from fivenines.campaign.workers.ray_cluster import Cluster
    from fivenines.cli.output import console

    console.note(f"connecting to {on}")
    return Cluster(on)


def described(machines: "Mapping[str, Introduction]", places: Mapping[str, int]) -> str:
    """Describe the machines of a cluster, and warn if several nodes share a machine."""
    from fivenines.analysis.wording import count, listed

    at_once = sum(places.values())
    parallel = f", {at_once} trials in parallel" if max(places.values()) > 1 else ""
    words = f"{count(len(machines), 'machine')}{parallel}: {listed(list(machines))}"
    alike: dict[str, list[str]] = {}
    for name, machine in machines.items():
        alike.setdefault(machine.boot, []).append(name)
    for names in alike.values():
        if len(names) > 1:
            words += (
                f". {listed(names)} are on the same machine: their trials disturb each other, and their "
                "results are comparable only within the run"
            )
    return words


def _demand(works: "Sequence[Planned]") -> "Demand":
    from fivenines.campaign.workers.room import Demand

    demands = [Demand.of([*work.blocks, *work.trials], work.experiment) for work in works]
    return Demand(max(demand.hosts for demand in demands), max(demand.memory for demand in demands))


def _on_this_machine(count: int) -> "Sequence[Worker]":
    from fivenines.campaign.workers.process import on_this_machine

    return on_this_machine(count)


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 4 else 0
