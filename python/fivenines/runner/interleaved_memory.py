"""Do all solutions of an interleaved comparison fit into this machine's memory at once? Asked before each is
deployed.
"""

from collections.abc import Sequence

import psutil

from fivenines.deployment.deployed import Deployed
from fivenines.errors import FiveninesError
from fivenines.observe.hosts import first_processes
from fivenines.observe.processes import Processes, proportional
from fivenines.solutions.settings import SolutionSettings
from fivenines.units import format_size

# Bytes of a node of which nothing was seen yet.
ASSUMED = 200 * 2**20

# What a deployed solution may still take under load, as a share of what it has when it is idle.
GROWTH = 0.5

# The share of the machine's memory that stays free.
RESERVE = 0.05


class MemoryShortError(FiveninesError):
    """The solutions of an interleaved comparison do not fit into the memory together."""


def require_memory(coming: SolutionSettings | None, up: Sequence[Deployed]) -> None:
    """Refuse to go on when the next solution, or the load of those that are up, would not fit.

    Args:
        coming: what is to be deployed next; None: nothing more.
        up: the solutions of the interleaved that are up.

    Raises:
        MemoryShortError: with what is needed and what is free.
    """
    seen = [_used(item) for item in up]
    nodes = [item.solution.settings.nodes for item in up]
    need = [
        _limit(item.solution.settings, int(used * GROWTH), used) for item, used in zip(up, seen, strict=True)
    ]
    if coming is not None:
        each = max((used // n for used, n in zip(seen, nodes, strict=True)), default=ASSUMED)
        need.append(_limit(coming, int(each * coming.nodes * (1 + GROWTH)), 0))
    memory = psutil.virtual_memory()
    free = memory.available - int(memory.total * RESERVE)
    if sum(need) <= free:
        return
    names = [item.solution.settings.name for item in up] + ([coming.name] if coming else [])
    raise MemoryShortError(
        f"memory: {', '.join(names)} would be up at once in an interleaved comparison and need about "
        f"{_mebibytes(sum(need))} more, {_mebibytes(max(free, 0))} are free: compare fewer solutions, "
        "give their hosts a smaller `limits: memory`, or choose `design: trials`"
    )


def _limit(settings: SolutionSettings, estimate: int, used: int) -> int:
    """Return what it may still take: the rest of its limit where it has one, else the estimate."""
    if settings.limits.memory is None:
        return estimate
    return max(0, settings.limits.memory * settings.nodes - used)


def _used(deployed: Deployed) -> int:
    """Return bytes that the hosts of a solution have now; what is shared counts once."""
    result = Processes().look(first_processes(deployed.lab.hosts)).hosts
    return sum(proportional(processes) or 0 for processes in result.values())


def _mebibytes(size: int) -> str:
    return format_size(size // 2**20 * 2**20)
