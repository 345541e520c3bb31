"""How many trials this machine can run side by side without one disturbing another."""

from collections.abc import Sequence
from dataclasses import dataclass

import psutil

from fivenines.errors import UsageError
from fivenines.experiment.interleaved_plan import Block
from fivenines.experiment.plan import Cell, Trial
from fivenines.experiment.spec import Experiment
from fivenines.runner.interleaved_memory import ASSUMED, GROWTH, RESERVE
from fivenines.runner.workers.processors import allowed
from fivenines.units import format_size

AUTO = "auto"

# Bytes of a node that is a virtual machine without a limit of its own.
_OF_VM = 400 * 2**20

# Bytes of what a trial has beside its servers: the worker, the load, proxies, managers.
_BESIDE = 300 * 2**20


@dataclass(frozen=True)
class Demand:
    """What a trial takes: hosts (its client, proxy and manager, too), bytes of memory."""

    hosts: int
    memory: int

    @staticmethod
    def of(work: Sequence[Trial | Block], experiment: Experiment) -> "Demand":
        """Return the most that one of several trials takes."""
        demands = [_demand(item, experiment) for item in work]
        return Demand(
            max((demand.hosts for demand in demands), default=1),
            max((demand.memory for demand in demands), default=0),
        )


@dataclass(frozen=True)
class Room:
    """What a machine has: processors, bytes of free memory."""

    processors: int
    memory: int

    @staticmethod
    def here() -> "Room":
        """Return what this process may use."""
        memory = psutil.virtual_memory()
        return Room(len(allowed()), memory.available - int(memory.total * RESERVE))

    def fits(self, demand: Demand) -> int:
        """So many trials find room side by side, each with as many processors as it has hosts; 1 at least."""
        return max(1, min(self.processors // demand.hosts, self.memory // max(1, demand.memory)))


def require_room(count: int, demand: Demand, room: Room, oversubscribe: bool) -> None:
    """Refuse so many trials at once where they would disturb each other.

    Args:
        count: how many side by side.
        need: what each of them takes.
        room: what there is.
        oversubscribe: the user insists on more hosts than processors; memory cannot be insisted on.

    Raises:
        UsageError: with what is needed, what there is, and what to do.
    """
    if count == 1:
        return
    hosts = count * demand.hosts
    if hosts > room.processors and not oversubscribe:
        raise UsageError(
            f"--parallel {count}: {count} trials with {demand.hosts} hosts each would share {room.processors} "
            f"processors, and slow each other: here {room.fits(demand)} at once is the most (--parallel auto). "
            "To insist, add --oversubscribe: figures are then comparable within the run only"
        )
    if count * demand.memory > room.memory:
        raise UsageError(
            f"--parallel {count}: {count} trials need about {format_size(_round(count * demand.memory))} of "
            f"memory, {format_size(_round(room.memory))} are free: ask for fewer, or give hosts a smaller "
            "`limits: memory`"
        )


def _demand(work: Trial | Block, experiment: Experiment) -> Demand:
    cells = work.cells if isinstance(work, Block) else [work.cell]
    hosts = [_hosts(cell, len(experiment.clients) or 1) for cell in cells]
    return Demand(sum(hosts), sum(_memory(cell) for cell in cells) + _BESIDE)


def _hosts(cell: Cell, clients: int) -> int:
    topology = cell.solution.topology()
    return topology.nodes + clients + len(topology.host_names) - len(topology.clients)


def _memory(cell: Cell) -> int:
    settings = cell.solution
    assumed = _OF_VM if settings.machines == "virtual-machines" else int(ASSUMED * (1 + GROWTH))
    return settings.nodes * (settings.limits.memory or assumed)


def _round(size: int) -> int:
    return size // 2**20 * 2**20
