"""Memory check of a block: all its solutions must fit into this machine's memory at once.

Runs before each deployment.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import psutil

from fivenines.base.errors import FiveninesError
from fivenines.base.units import format_size
from fivenines.solutions.settings import SolutionSettings

if TYPE_CHECKING:
    from fivenines.trial.deployment.deployed import Deployed

# Estimated bytes of a node without any observation.
ASSUMED = 200 * 2**20

# Additional memory under load, as a share of the memory of an idle solution.
GROWTH = 0.5

# Share of the machine's memory that must stay free.
RESERVE = 0.05


class MemoryShortError(FiveninesError):
    """The solutions of a block together do not fit into memory."""


def require_memory(coming: SolutionSettings | None, up: "Sequence[Deployed]") -> None:
    """Check that the next solution, or the load of the running ones, fits into memory.

    Args:
        coming: the next solution to deploy; None: none.
        up: the running solutions of the block.

    Raises:
        MemoryShortError: the message has the required and the free memory.
    """
    seen = [_used(item) for item in up]
    nodes = [item.solution.settings.traits.nodes for item in up]
    need = [
        _limit(item.solution.settings, int(used * GROWTH), used) for item, used in zip(up, seen, strict=True)
    ]
    if coming is not None:
        each = max((used // n for used, n in zip(seen, nodes, strict=True)), default=ASSUMED)
        need.append(_limit(coming, int(each * coming.traits.nodes * (1 + GROWTH)), 0))
    memory = psutil.virtual_memory()
    free = memory.available - int(memory.total * RESERVE)
    if sum(need) <= free:
        return
    names = [item.solution.settings.name for item in up] + ([coming.name] if coming else [])
    raise MemoryShortError(
        f"memory: an interleaved comparison runs {', '.join(names)} at once, which need about "
        f"{_mebibytes(sum(need))} more; {_mebibytes(max(free, 0))} are free. Compare fewer solutions, "
        "give their hosts a smaller `limits: memory`, or choose `design: trials`"
    )


def _limit(settings: SolutionSettings, estimate: int, used: int) -> int:
    """Return the bytes that a solution may still take: the rest of its limit, or without one the estimate."""
    if settings.limits.memory is None:
        return estimate
    return max(0, settings.limits.memory * settings.traits.nodes - used)


def _used(deployed: "Deployed") -> int:
    """Return the bytes that the hosts of a solution use now; shared memory counts once."""
    from fivenines.trial.observers.hosts import first_processes  # noqa: PLC0415  (a plan is shown without)
    from fivenines.trial.observers.processes import Processes, proportional  # noqa: PLC0415

    result = Processes().look(first_processes(deployed.lab.hosts)).hosts
    return sum(proportional(processes) or 0 for processes in result.values())


def _mebibytes(size: int) -> str:
    return format_size(size // 2**20 * 2**20)
