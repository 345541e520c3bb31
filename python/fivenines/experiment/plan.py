"""The plan: cells, and trials of each in a seeded, interleaved order."""

import random
from dataclasses import dataclass
from itertools import product

from fivenines.experiment.spec import Experiment, NetworkSettings
from fivenines.faults.settings import FaultSettings
from fivenines.results.records import CellKey
from fivenines.solutions.settings import SolutionSettings
from fivenines.workloads.settings import WorkloadSettings


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


def cells(experiment: Experiment) -> list[Cell]:
    """All cells of the matrix, in the order of the file."""
    return [
        Cell(
            CellKey(
                solution=solution.name,
                workload=workload.name,
                connections=connections,
                network=network.name,
                fault=fault.fault,
            ),
            solution, workload, connections, network, fault,
        )
        for solution, workload, connections, network, fault in product(
            experiment.solutions,
            experiment.workloads,
            experiment.connections,
            experiment.network,
            experiment.faults,
        )
    ]  # fmt: skip


def plan(experiment: Experiment) -> list[Trial]:
    """Trials in blocks: block n holds trial n of every cell, shuffled by the experiment's seed.

    Interleaving spreads the machine's drift over all cells alike (randomised complete block design;
    Montgomery, Design and Analysis of Experiments, ch. 4).
    """
    order = random.Random(experiment.seed)
    trials: list[Trial] = []
    for number in range(1, experiment.trials + 1):
        block = cells(experiment)
        order.shuffle(block)
        for cell in block:
            trials.append(
                Trial(f"{len(trials) + 1:04d}", cell, number, order.randrange(2**31))
            )
    return trials
