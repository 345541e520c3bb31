"""The plan: the cells, and the trials of each in a seeded, interleaved order."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from fivenines.base.errors import UsageError
from fivenines.base.spelling import nearest
from fivenines.experiment.course import course
from fivenines.experiment.sections.stacks import stacks_of
from fivenines.experiment.spec import Experiment
from fivenines.experiment.validation.checks import fault_names
from fivenines.experiment.validation.mistakes import shown
from fivenines.faults.settings import FaultSettings
from fivenines.lab.settings import NetworkSettings
from fivenines.load.workloads.settings import WorkloadSettings
from fivenines.results.records import CellKey
from fivenines.solutions.settings import SolutionSettings

# Estimated seconds from the end of the load to the end of the trial, if all replicas are up to date.
CHECK_SECONDS = 3.0

# Estimated seconds until a client stack has opened its pool, as all of them start at once.
STACK_SECONDS = 0.5

# Estimated seconds that each single fault adds, as its node rejoins before the checks.
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
    # Value of the setting whose severity is searched; None: none is, or it is not chosen yet.
    severity: float | None = None

    @property
    def longest_pause(self) -> float:
        """Return the longest wait before the load, in seconds: one period of the failure detector."""
        return 0.0 if self.cell.fault.fault == "none" else self.cell.solution.watch_period

    @property
    def pause(self) -> float:
        """Return the wait before the load, in seconds, uniformly distributed by the seed.

        All trials of a cell are deployed alike. Without the wait, the fault would always meet the same
        phase of periodic checks, and failover times would seem to vary too little.
        """
        return random.Random(f"pause {self.seed}").uniform(0.0, self.longest_pause)


def cells(experiment: Experiment) -> list[Cell]:
    """Return all cells of the matrix in the order of the file, without faults that exclude a solution."""
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
    """Return the cells with trials: with an interleaved comparison, only those with a fault."""
    every = cells(experiment)
    if experiment.design != "interleaved":
        return every
    return [cell for cell in every if cell.fault.fault != "none"]


def plan(experiment: Experiment) -> list[Trial]:
    """Return the trials in blocks: block n has trial n of every cell, shuffled by the seed.

    Interleaving spreads the machine's drift over all cells alike (randomised complete block design;
    Montgomery, Design and Analysis of Experiments, ch. 4). A plan with fewer trials is the
    beginning of a plan with more.
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
    """Return the trials of the solutions in `only`, at most `trials_override` per cell.

    The name of a swept solution stands for all its variants.
    Trials keep their ids, so that the rest can be run later into the same folder.

    Raises:
        UsageError: the name is unknown, or fewer trials are planned.
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
            known = ", ".join(shown(solution) for solution in sorted(solutions))
            raise UsageError(
                f"unknown solution {shown(name)}{nearest(name, solutions)}\n    allowed: {known}"
            )
    planned = max((trial.number for trial in trials), default=0)
    if trials_override is not None and not 1 <= trials_override <= planned:
        raise UsageError(f"found {trials_override} trials per cell, but only {planned} are planned")
    return [
        trial
        for trial in trials
        if (not only or trial.cell.solution.is_called(only))
        and (trials_override is None or trial.number <= trials_override)
    ]


def trial_seconds(trial: Trial, experiment: Experiment) -> float:
    """Estimate the duration of a trial, in seconds, from set-up to checks.

    Fixed work counts with its longest possible time, see `is_at_most`.
    """
    faulty = trial.cell.fault.fault != "none"
    stacks = stacks_of(experiment.stacks, trial.cell.solution) if experiment.stacks else []
    setup = trial.cell.solution.setup_seconds + STACK_SECONDS * len(stacks)
    checks = CHECK_SECONDS + trial.cell.solution.traits.compare_seconds
    load = course(experiment, trial.cell.workload.ends_itself, faulty).end
    if not faulty:
        return setup + load + checks
    single = len(trial.cell.fault.schedule(random.Random(trial.seed)))
    return setup + trial.pause + load + REJOIN_SECONDS * single + checks


def servers_decide(trials: Sequence[Trial]) -> dict[tuple[str, str], float]:
    """Estimate the seconds of faults whose length the servers decide, by names of fault and solution."""
    cells = {(trial.cell.key.fault, trial.cell.key.solution): trial.cell for trial in trials}
    expected = {
        names: (cell.fault.expected(cell.solution.topology()), cell.fault.longest())
        for names, cell in sorted(cells.items(), key=lambda one: one[0])
    }
    return {names: seconds for names, (seconds, least) in expected.items() if seconds != least}


def is_at_most(trials: Sequence[Trial], experiment: Experiment) -> bool:
    """Return whether the estimate is an upper bound, because loads may end earlier."""
    if experiment.load.transactions is not None:
        return bool(trials)
    early = experiment.timing.recovery.until is not None
    return any(
        trial.cell.workload.ends_itself or (early and trial.cell.fault.fault != "none") for trial in trials
    )


def expected_seconds(trials: Sequence[Trial], experiment: Experiment) -> float:
    """Estimate the duration of trials that run one after another, in seconds, with a warm cache.

    The estimate uses rough constants. Replicas that lag far behind may add up to `timing.settle`
    to each trial.
    """
    return sum(trial_seconds(trial, experiment) for trial in trials)
