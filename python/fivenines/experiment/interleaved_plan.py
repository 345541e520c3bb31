"""The plan of an interleaved comparison: the solutions of each block, and the order of their windows."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from fivenines.experiment.plan import Cell, Trial, cells, expected_seconds
from fivenines.experiment.spec import Experiment
from fivenines.faults.none import NoFaultSettings
from fivenines.results.records import CellKey

# Seconds from the moment at which all loads are ready to the first window, to start them together.
LEAD_SECONDS = 0.25


@dataclass(frozen=True)
class Block:
    """All cells of a group, deployed at the same time; `id` is unique in the run and names its folder."""

    id: str
    cells: tuple[Cell, ...]
    number: int
    seed: int

    def members(self) -> list[Trial]:
        """Return its cells as trials, for preparing each solution."""
        return [Trial(self.id, cell, self.number, self.seed) for cell in self.cells]


@dataclass(frozen=True)
class Window:
    """A window of one solution, the `index`-th of its group, in seconds since the first window.

    Round 0 is the warm-up and not measured. Answers from `measured` to `to` count.
    """

    round: int
    index: int
    start: float
    measured: float
    to: float


def groups(experiment: Experiment) -> list[tuple[Cell, ...]]:
    """Group the cells without a fault that differ only in the solution, in the order of the file."""
    found: dict[tuple[str, int, str], list[Cell]] = {}
    without_faults = experiment.model_copy(update={"faults": [NoFaultSettings()]})
    for cell in cells(without_faults):
        key = (cell.key.workload, cell.key.connections, cell.key.network)
        found.setdefault(key, []).append(cell)
    return [tuple(members) for members in found.values()]


def blocks(experiment: Experiment, only: Sequence[str] = ()) -> list[Block]:
    """Return all blocks in the order in which they run; none with another design.

    `only` selects solutions; blocks with fewer than two are left out.
    """
    if experiment.design != "interleaved":
        return []
    order = random.Random(f"interleaved {experiment.seed}")
    planned: list[Block] = []
    for number in range(1, experiment.interleaved.blocks + 1):
        found = groups(experiment)
        order.shuffle(found)
        for group in found:
            seed = order.randrange(2**31)
            planned.append(Block(f"block-{len(planned) + 1:03d}", group, number, seed))
    if not only:
        return planned
    chosen = [
        replace(block, cells=tuple(c for c in block.cells if c.solution.is_called(only))) for block in planned
    ]
    return [block for block in chosen if len(block.cells) > 1]


def windows(block: Block, experiment: Experiment) -> list[Window]:
    """Return the windows of a block: in each round every solution has one, in random order.

    Source: randomized multiple interleaved trials (Abedi and Brecht, ICPE 2017).
    """
    order = random.Random(block.seed)
    interleaved = experiment.interleaved
    found: list[Window] = []
    moment = 0.0
    for number in range(interleaved.rounds + 1):
        length = interleaved.window if number else max(experiment.timing.warmup, interleaved.window)
        turns = list(range(len(block.cells)))
        order.shuffle(turns)
        for index in turns:
            found.append(Window(number, index, moment, moment + interleaved.skip, moment + length))
            moment += length
    return found


def deployment_order(block: Block) -> list[int]:
    """Draw the order in which the solutions of a block are deployed, as the first may have an advantage."""
    order = list(range(len(block.cells)))
    random.Random(f"deployment {block.seed}").shuffle(order)
    return order


def keys(block: Block) -> list[CellKey]:
    """Return the keys of its cells."""
    return [cell.key for cell in block.cells]


def block_seconds(block: Block, experiment: Experiment) -> float:
    """Estimate the duration of a block, in seconds."""
    setup = sum(cell.solution.setup_seconds for cell in block.cells)
    return setup + LEAD_SECONDS + windows(block, experiment)[-1].to


def seconds_of(work: Sequence[Trial | Block], experiment: Experiment) -> float:
    """Estimate the duration of trials and blocks that run one after another, in seconds."""
    trials = [one for one in work if isinstance(one, Trial)]
    blocks = sum(block_seconds(one, experiment) for one in work if isinstance(one, Block))
    return expected_seconds(trials, experiment) + blocks
