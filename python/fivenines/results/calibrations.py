"""Reading and writing of this machine's calibration in the cache."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from fivenines import __version__
from fivenines.base import paths
from fivenines.results.basics import Machine
from fivenines.results.calibration import FORMAT, Calibration, Step


def folder() -> Path:
    """Return the folder of the calibration files."""
    return paths.cache() / "calibration"


def path_of(machine: Machine) -> Path:
    """Return the calibration file of a machine; several machines may share one cache."""
    words = f"{machine.hostname}\n{machine.cpu}\n{machine.memory_bytes >> 28}"
    return folder() / f"{hashlib.sha256(words.encode()).hexdigest()[:16]}.json"


def load(machine: Machine) -> Calibration | None:
    """Return the calibration of a machine; None without one that this version can read."""
    path = path_of(machine)
    try:
        result = Calibration.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None
    return result if result.format == FORMAT else None


def keep(step: Step, order: Sequence[str], now: Machine) -> Calibration:
    """Store a step in place of an older one of the same name; `order` gives the order of the steps.

    Drops steps that another version of fivenines measured, or that were measured under another kernel.

    Raises:
        FiveninesError: the file cannot be written.
    """
    known = load(now)
    fits = known and known.fivenines == __version__ and _same(known.machine, now)
    steps = {item.name: item for item in known.steps} if known and fits else {}
    steps[step.name] = step
    ranked = [steps[name] for name in order if name in steps]
    calibration = Calibration(
        fivenines=__version__,
        machine=now,
        steps=ranked,
        missing=[name for name in order if name not in steps],
    )
    from fivenines.results import store  # noqa: PLC0415  (reading a calibration needs no numpy)

    path = path_of(now)
    path.parent.mkdir(parents=True, exist_ok=True)
    store.write_json(path, calibration)
    return calibration


def _same(a: Machine, b: Machine) -> bool:
    return (a.kernel, a.cores, a.user) == (b.kernel, b.cores, b.user)
