"""Cache of figures of finished trials in the run's folder (`results.cache`).

A finished trial does not change, so the next report need not compute its figures again. The key of an entry
covers the source files that compute figures (`sources`), the versions of the libraries, and names, sizes and
times of change of the trial's files. So no format number must be raised by hand. Figures of a read-only
folder stay in memory.

Figures are computed in batches of trials and returned one by one: the tables of a run are never in memory all
at once. Returned figures were always serialised and deserialised, the first time as well: a report from
cached figures is identical, to the byte, to the one that computed them.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Generic, TypeVar

from fivenines.analysis.listening import report_progress
from fivenines.results import cache as entries
from fivenines.results import unreadable
from fivenines.results.codec import dumps, loads
from fivenines.results.store import StoredTrial

_T = TypeVar("_T")

# Number of trials whose tables are read by one query, and are in memory together.
BATCH = 40

_ROOT = Path(__file__).resolve().parents[1]
# Packages whose code computes figures; the modules that they import in addition are below.
_PROGRAM = ("analysis", "results")
_BELOW = (
    "__init__.py",
    "base/__init__.py",
    *(f"base/{name}.py" for name in ("drivers", "errors", "settings", "spelling", "units")),
)
_LIBRARIES = ("numpy", "scipy", "duckdb", "hdrhistogram")

_MOST_UNKEPT = 10_000
# Entries that could not be written to disk, by path: key and bytes.
_unkept: OrderedDict[Path, tuple[str, bytes]] = OrderedDict()


@dataclass(frozen=True)
class Kind(Generic[_T]):
    """A kind of figures: name, type, and the function that computes them for several trials."""

    name: str
    shape: type[_T]
    compute: Callable[[Sequence[StoredTrial]], Sequence[_T]]


def cached(kind: Kind[_T], trials: Sequence[StoredTrial]) -> Iterator[_T]:
    """Yield the figures of each trial in order; compute and store missing ones."""
    for start in range(0, len(trials), BATCH):
        some = trials[start : start + BATCH]
        result = _known(kind, some)
        missing = [item for item in some if item.folder not in result]
        if missing:
            result |= _computed(kind, missing)
            report_progress(min(start + BATCH, len(trials)), len(trials))
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
    data = entries.read(place, key)
    if data is not None:
        return data
    known, data = _unkept.get(place, ("", b""))
    return data if known == key else None


def _computed(kind: Kind[_T], trials: Sequence[StoredTrial]) -> dict[Path, bytes]:
    # Keys come first: a file that changes meanwhile must not count as the one that was read.
    where = [_where(kind, trial) for trial in trials]
    result: dict[Path, bytes] = {}
    failed = unreadable.times()
    computed = list(kind.compute(trials))
    whole = unreadable.times() == failed
    if not whole and len(trials) > 1:
        # One damaged file must not prevent the figures of other trials from being stored.
        for trial in trials:
            result |= _computed(kind, [trial])
        return result
    for trial, (place, key), figures in zip(trials, where, computed, strict=True):
        data = result[trial.folder] = dumps(kind.shape, figures)
        # A failed read may succeed next time, and the key would not change.
        if whole and place is not None and not entries.write(place, key, data):
            _unkept[place] = (key, data)
            if len(_unkept) > _MOST_UNKEPT:
                _unkept.popitem(last=False)
    return result


def _where(kind: Kind[_T], trial: StoredTrial) -> tuple[Path | None, str]:
    """Return path and key of an entry; no path where nothing can be stored."""
    place = entries.place_of(trial.folder, kind.name)
    try:
        return place, entries.key_of(trial.folder, program()) if place else ""
    except OSError:
        return None, ""


def program() -> str:
    """Return a hash of the code that computes figures, and of the versions of its libraries."""
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


# Read on import, together with the code itself: an upgrade during a campaign must not give figures of the old
# code the key of the new code.
_PROGRAM_READ = _read_program()
