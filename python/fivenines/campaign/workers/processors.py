"""CPUs of this machine, divided among workers."""

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

_SYSTEM = Path("/sys/devices/system/cpu")


def allowed() -> list[int]:
    """Return the CPUs that this process may use, ordered by package and core."""
    return sorted(os.sched_getaffinity(0), key=_place)


def shares(processors: Sequence[int], workers: int) -> list[list[int]]:
    """Return equal shares of CPUs for all workers; with fewer CPUs than workers, several share one.

    CPUs of one core stay together, as two threads of one core slow each other.
    """
    if workers >= len(processors):
        return [[processors[n % len(processors)]] for n in range(workers)]
    each = len(processors) // workers
    return [list(processors[n * each : (n + 1) * each]) for n in range(workers)]


def _place(processor: int, system: Path = _SYSTEM) -> tuple[int, int, int]:
    """Return package, core and number of a CPU: sysfs, Documentation/ABI/stable/sysfs-devices-system-cpu."""
    result = []
    for name in ("physical_package_id", "core_id"):
        value = 0
        with suppress(OSError, ValueError):
            value = int((system / f"cpu{processor}/topology/{name}").read_text())
        result.append(value)
    return result[0], result[1], processor
