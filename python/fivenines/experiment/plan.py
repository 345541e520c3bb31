"""The plan: cells, and trials of each in a seeded, interleaved order."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from fivenines.errors import UsageError
from fivenines.experiment.checks import fault_names
from fivenines.experiment.course import course
from fivenines.experiment.mistakes import shown
from fivenines.experiment.spec import Experiment
from fivenines.faults.settings import FaultSettings
from fivenines.lab.settings import NetworkSettings
from fivenines.results.records import CellKey
from fivenines.solutions.settings import SolutionSettings
from fivenines.spelling import nearest
from fivenines.workloads.settings import WorkloadSettings

# Rough time from the end of the load to the end of the trial, when all replicas are up to date.
CHECK_SECONDS = 3.0

# What each single fault adds to the checks: the broken node rejoins first.
REJOIN_SECONDS = 3.0


@dataclass(frozen=True)
class Cell:
    """One combination of solution, workload, load, network and fault."""

    key: CellKey
    solution: SolutionSettings
    workload: WorkloadSettings
    connections: int
    network: NetworkSettings
    fault: FaultSettings


@dataclass(frozen=True)
class Trial:
    """One run of one cell; `id` is unique in the run and is its folder's name."""

    id: str
    cell: Cell
    number: int
    seed: int

    @property
    def longest_pause(self) -> float:
        """Seconds that it may wait before its load: one period of what may notice its fault, else 0."""
        return 0.0 if self.cell.fault.fault == "none" else self.cell.solution.watch_period

    @property
    def pause(self) -> float:
        """Seconds that it waits before its load, evenly distributed, by its seed.

        All trials of a cell are deployed alike, so that a fault at the same moment of each load would meet
        the same phase of every period of checks, and failover times would seem to hardly vary.
        """
        return random.Random(f"pause {self.seed}").uniform(0.0, self.longest_pause)


def cells(experiment: Experiment) -> list[Cell]:
    """All cells of the matrix, in the order of the file, without faults that are not for a solution."""
    faults = zip(experiment.faults, fault_names(experiment.faults), strict=True)
    return [
        Cell(
            CellKey(
                solution=solution.name,
                workload=workload.name,
                connections=connections,
                network=network.name,
                fault=fault_name,
            ),
            solution,
            workload,
            connections,
            network,
            fault,
        )
        for solution, workload, connections, network, (fault, fault_name) in product(
            experiment.solutions, experiment.workloads, experiment.connections, experiment.network, faults
        )
        if not fault.only or solution.is_called(fault.only)
    ]


def tried(experiment: Experiment) -> list[Cell]:
    """The cells that have trials: all, but for those without a fault where blocks compare the speed."""
    every = cells(experiment)
    if experiment.design != "interleaved":
        return every
    return [cell for cell in every if cell.fault.fault != "none"]


def plan(experiment: Experiment) -> list[Trial]:
    """Trials in blocks: block n holds trial n of every cell, shuffled by the experiment's seed.

    Interleaving spreads the machine's drift over all cells alike (randomised complete block design;
    Montgomery, Design and Analysis of Experiments, ch. 4). The plan for fewer trials is the
    beginning of the plan for more.
    """
    order = random.Random(experiment.seed)
    trials: list[Trial] = []
    for number in range(1, experiment.trials.at_most + 1):
        block = tried(experiment)
        order.shuffle(block)
        for cell in block:
            trials.append(Trial(f"{len(trials) + 1:04d}", cell, number, order.randrange(2**31)))
    return trials


def select(
    trials: Sequence[Trial], only: Sequence[str] = (), trials_override: int | None = None
) -> list[Trial]:
    """The trials of the solutions named in `only`, of each cell at most `trials_override`.

    The name of a solution that is swept stands for all its variants.
    Trials keep their ids, so that the rest can be run later into the same folder.

    Raises:
        UsageError: no solution has this name, or that many trials are not planned.
    """
    variants = (trial.cell.solution.variant for trial in trials)
    solutions = list(
        dict.fromkeys(
            [
                *(trial.cell.key.solution for trial in trials),
                *(variant.of for variant in variants if variant is not None),
            ]
        )
    )
    for name in only:
        if name not in solutions:
            known = ", ".join(shown(one) for one in sorted(solutions))
            raise UsageError(
                f"no solution is called {shown(name)}{nearest(name, solutions)}\n    allowed: {known}"
            )
    planned = max((trial.number for trial in trials), default=0)
    if trials_override is not None and not 1 <= trials_override <= planned:
        raise UsageError(f"{trials_override} trials of each cell are asked for, {planned} are planned")
    return [
        trial
        for trial in trials
        if (not only or trial.cell.solution.is_called(only))
        and (trials_override is None or trial.number <= trials_override)
    ]


def trial_seconds(trial: Trial, experiment: Experiment) -> float:
    """About how long one trial takes: set-up, warm-up, steady, fault and recovery, checks.

    Fixed work counts with the time that it may take at most, see `is_at_most`.
    """
    faulty = trial.cell.fault.fault != "none"
    setup = trial.cell.solution.setup_seconds
    checks = CHECK_SECONDS + trial.cell.solution.compare_seconds
    load = course(experiment, trial.cell.workload.ends_itself, faulty).end
    if not faulty:
        return setup + load + checks
    single = len(trial.cell.fault.schedule(random.Random(trial.seed)))
    return setup + trial.pause + load + REJOIN_SECONDS * single + checks


def servers_decide(trials: Sequence[Trial]) -> dict[tuple[str, str], float]:
    """About how long faults take whose length the servers decide: seconds by names of fault and solution."""
    cells = {(one.cell.key.fault, one.cell.key.solution): one.cell for one in trials}
    expected = {
        names: (cell.fault.expected(cell.solution.topology()), cell.fault.longest())
        for names, cell in sorted(cells.items(), key=lambda one: one[0])
    }
    return {names: seconds for names, (seconds, least) in expected.items() if seconds != least}


def is_at_most(trials: Sequence[Trial], experiment: Experiment) -> bool:
    """Whether the expected time is the longest possible: loads may end earlier, done or recovered."""
    if experiment.load.transactions is not None:
        return bool(trials)
    early = experiment.timing.recovery.until is not None
    return any(
        trial.cell.workload.ends_itself or (early and trial.cell.fault.fault != "none") for trial in trials
    )


def expected_seconds(trials: Sequence[Trial], experiment: Experiment) -> float:
    """About how long the trials take one after the other, once engines and data sets are cached.

    An estimate for people, made of rough constants; replicas that have a long way to catch up may
    take up to `timing.settle` more in each trial.
    """
    return sum(trial_seconds(trial, experiment) for trial in trials)
