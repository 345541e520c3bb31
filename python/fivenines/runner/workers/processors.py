"""Processors of this machine, shared out among workers."""

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

_SYSTEM = Path("/sys/devices/system/cpu")


def allowed() -> list[int]:
    """Return the processors that this process may use, those of one core and one package side by side."""
    return sorted(os.sched_getaffinity(0), key=_place)


def shares(processors: Sequence[int], workers: int) -> list[list[int]]:
    """Processors for each worker: as many as can be had, of their own; where there are too few, shared.

    Those of one core stay together, as two threads of one core slow each other.
    """
    if workers >= len(processors):
        return [[processors[n % len(processors)]] for n in range(workers)]
    each = len(processors) // workers
    return [list(processors[n * each : (n + 1) * each]) for n in range(workers)]


def _place(processor: int, system: Path = _SYSTEM) -> tuple[int, int, int]:
    """Package, core, number: sysfs, Documentation/ABI/stable/sysfs-devices-system-cpu."""
    result = []
    for name in ("physical_package_id", "core_id"):
        value = 0
        with suppress(OSError, ValueError):
            value = int((system / f"cpu{processor}/topology/{name}").read_text())
        result.append(value)
    return result[0], result[1], processor
