"""Maximum number of parallel trials on this machine that do not disturb each other."""

from collections.abc import Sequence
from dataclasses import dataclass

import psutil

from fivenines.base.errors import UsageError
from fivenines.base.units import format_size
from fivenines.campaign.workers.processors import allowed
from fivenines.experiment.interleaved_plan import Block
from fivenines.experiment.plan import Cell, Trial
from fivenines.experiment.spec import Experiment
from fivenines.trial.interleaved.memory import ASSUMED, GROWTH, RESERVE

AUTO = "auto"

# Bytes of a node in a virtual machine without a limit.
_OF_VM = 400 * 2**20

# Bytes of a trial's processes other than servers: the worker, the load, proxies, managers.
_OTHERS = 300 * 2**20


@dataclass(frozen=True)
class Demand:
    """Demand of a trial: hosts (including client, proxy and manager), bytes of memory."""

    hosts: int
    memory: int

    @staticmethod
    def of(work: Sequence[Trial | Block], experiment: Experiment) -> "Demand":
        """Return the largest demand of several trials."""
        demands = [_demand(item, experiment) for item in work]
        return Demand(
            max((demand.hosts for demand in demands), default=1),
            max((demand.memory for demand in demands), default=0),
        )


@dataclass(frozen=True)
class Room:
    """Resources of a machine: CPUs, bytes of free memory."""

    processors: int
    memory: int

    @staticmethod
    def here() -> "Room":
        """Return the resources that this process may use."""
        memory = psutil.virtual_memory()
        return Room(len(allowed()), memory.available - int(memory.total * RESERVE))

    def fits(self, demand: Demand) -> int:
        """Return the number of parallel trials that fit, each with a CPU per host; at least 1."""
        return max(1, min(self.processors // demand.hosts, self.memory // max(1, demand.memory)))


def require_room(count: int, demand: Demand, room: Room, oversubscribe: bool) -> None:
    """Check that this number of parallel trials would not disturb each other.

    Args:
        count: number of parallel trials.
        demand: demand of each trial.
        room: resources of the machine.
        oversubscribe: permit more hosts than CPUs; memory is always checked.

    Raises:
        UsageError: the message has the demand, the resources, and what to do.
    """
    if count == 1:
        return
    hosts = count * demand.hosts
    if hosts > room.processors and not oversubscribe:
        raise UsageError(
            f"--parallel {count}: {count} trials with {demand.hosts} hosts each would share "
            f"{room.processors} CPUs and slow each other; the maximum here is {room.fits(demand)} "
            "(--parallel auto). Add --oversubscribe to run them anyway: figures are then comparable within "
            "the run only"
        )
    if count * demand.memory > room.memory:
        raise UsageError(
            f"--parallel {count}: {count} trials need about {format_size(_round(count * demand.memory))} of "
            f"memory; {format_size(_round(room.memory))} are free. Choose fewer, or give hosts a smaller "
            "`limits: memory`"
        )


def _demand(work: Trial | Block, experiment: Experiment) -> Demand:
    cells = work.cells if isinstance(work, Block) else [work.cell]
    hosts = [_hosts(cell, len(experiment.clients) or 1) for cell in cells]
    return Demand(sum(hosts), sum(_memory(cell) for cell in cells) + _OTHERS)


def _hosts(cell: Cell, clients: int) -> int:
    topology = cell.solution.topology()
    return topology.nodes + clients + len(topology.host_names) - len(topology.clients)


def _memory(cell: Cell) -> int:
    settings = cell.solution
    assumed = _OF_VM if settings.machines == "virtual-machines" else int(ASSUMED * (1 + GROWTH))
    return settings.traits.nodes * (settings.limits.memory or assumed)


def _round(size: int) -> int:
    return size // 2**20 * 2**20
