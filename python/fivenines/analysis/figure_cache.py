"""Figures of finished trials: computed once, and kept in the run's folder (`results.cache`).

A finished trial does not change, so what depends on it alone need not be computed again by the next report.
Kept figures are used only where they are of this very program and of these very files: their key has the
sources of all that computes them (`sources`), the versions of the libraries, and names, sizes and times of
change of the trial's files. Nobody has to remember to raise a number. Where the folder may only be read, they
stay in memory.

Figures are computed for some trials at a time, and given out one after the other: the tables of a run are
never in memory all at once. What is given out has always been written and read, the first time, too: so a
report of kept figures is the same, to the byte, as the one that computed them.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Generic, TypeVar

from fivenines.analysis.listening import tell
from fivenines.results import cache as kept_files
from fivenines.results import unreadable
from fivenines.results.codec import dumps, loads
from fivenines.results.store import StoredTrial

_T = TypeVar("_T")

# Trials whose tables are read by one query, and are in memory together.
BATCH = 40

_ROOT = Path(__file__).resolve().parents[1]
# The rooms whose code computes figures; what they import besides is below.
_PROGRAM = ("analysis", "results", "requirements")
_BELOW = ("__init__.py", "drivers.py", "errors.py", "settings.py", "spelling.py", "units.py")
_LIBRARIES = ("numpy", "scipy", "duckdb", "hdrhistogram")

_MOST_UNKEPT = 10_000
# What could not be written down, by its place: its key and its bytes.
_unkept: OrderedDict[Path, tuple[str, bytes]] = OrderedDict()


@dataclass(frozen=True)
class Kind(Generic[_T]):
    """Figures of one kind: their name, their type, and how those of some trials are computed."""

    name: str
    shape: type[_T]
    compute: Callable[[Sequence[StoredTrial]], Sequence[_T]]


def cached(kind: Kind[_T], trials: Sequence[StoredTrial]) -> Iterator[_T]:
    """Yield the figures of each trial, in their order; what is not there is computed, and kept."""
    for start in range(0, len(trials), BATCH):
        some = trials[start : start + BATCH]
        result = _known(kind, some)
        missing = [item for item in some if item.folder not in result]
        if missing:
            result |= _computed(kind, missing)
            tell(min(start + BATCH, len(trials)), len(trials))
        for item in some:
            yield loads(kind.shape, result[item.folder])


def _known(kind: Kind[_T], trials: Sequence[StoredTrial]) -> dict[Path, bytes]:
    result = {}
    for trial in trials:
        place, key = _where(kind, trial)
        data = _read(place, key) if place else None
        if data is not None:
            result[trial.folder] = data
    return result


def _read(place: Path, key: str) -> bytes | None:
    data = kept_files.read(place, key)
    if data is not None:
        return data
    known, data = _unkept.get(place, ("", b""))
    return data if known == key else None


def _computed(kind: Kind[_T], trials: Sequence[StoredTrial]) -> dict[Path, bytes]:
    # keys first: a file that changes meanwhile must not count as what was read
    where = [_where(kind, trial) for trial in trials]
    result: dict[Path, bytes] = {}
    failed = unreadable.times()
    computed = list(kind.compute(trials))
    whole = unreadable.times() == failed
    if not whole and len(trials) > 1:
        # so that one damaged file does not keep the figures of the others from being kept
        for trial in trials:
            result |= _computed(kind, [trial])
        return result
    for trial, (place, key), figures in zip(trials, where, computed, strict=True):
        data = result[trial.folder] = dumps(kind.shape, figures)
        # what stood in the way of reading may be gone the next time, and no file would tell
        if whole and place is not None and not kept_files.write(place, key, data):
            _unkept[place] = (key, data)
            if len(_unkept) > _MOST_UNKEPT:
                _unkept.popitem(last=False)
    return result


def _where(kind: Kind[_T], trial: StoredTrial) -> tuple[Path | None, str]:
    """Return the place of an entry and its key; no place where nothing can be kept."""
    place = kept_files.place_of(trial.folder, kind.name)
    try:
        return place, kept_files.key_of(trial.folder, program()) if place else ""
    except OSError:
        return None, ""


def program() -> str:
    """Changes with the code that computes figures, and with the libraries that it computes them by."""
    return _PROGRAM_READ


def _read_program() -> str:
    result = hashlib.blake2b(digest_size=20)
    for path in sources():
        result.update(f"{path.relative_to(_ROOT)}\0".encode() + path.read_bytes() + b"\0")
    for name in _LIBRARIES:
        result.update(f"{name} {version(name)}\0".encode())
    return result.hexdigest()


def sources() -> list[Path]:
    """Return the files of the code that figures depend on."""
    rooms = [path for name in _PROGRAM for path in sorted((_ROOT / name).rglob("*.py"))]
    return [*rooms, *(_ROOT / name for name in _BELOW)]


# Read when this file is imported, beside the code that it is about: an upgrade in the middle of a campaign
# must not give the figures of the old code the new one's key.
_PROGRAM_READ = _read_program()
