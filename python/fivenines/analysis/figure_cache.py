"""Cache of figures of finished trials in the run's folder (`results.figure_store`).

A finished trial does not change, so the next report need not compute its figures again. The key of an entry
covers the source files that compute figures (`sources`), the versions of the libraries, and names, sizes and
times of change of the trial's files. So no format number must be raised by hand. Figures of a read-only
folder stay in memory.

Figures are computed in batches of trials and returned one by one: the tables of a run are never in memory all
at once. The kinds that each report needs (`_EVERY`) are computed together, so that each table is read once.
Returned figures were always serialised and deserialised, the first time as well: a report from cached figures
is identical, to the byte, to the one that computed them.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any, Generic, TypeVar

from fivenines.analysis.listening import report_progress
from fivenines.results import figure_store, layout, unreadable
from fivenines.results.cache import key_of
from fivenines.results.codec import dumps, loads
from fivenines.results.figure_store import Row
from fivenines.results.reading import kept
from fivenines.results.store import StoredTrial

_T = TypeVar("_T")

# Number of trials whose tables are read by one query, and are in memory together.
BATCH = 40

# The kinds of figures that each report needs.
_EVERY = (
    "trials.MEASURES",
    "replication.lag.FIGURES",
    "resources.sampled.SAMPLED",
    "resources.side_by_side.USE",
    "resources.links.LINKS",
)

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
# Figures that could not be written to disk, by folder of the trial and kind: key and bytes.
_unkept: OrderedDict[tuple[Path, str], tuple[str, bytes]] = OrderedDict()

# Keys of trials within `one_look`.
_keys: ContextVar[dict[Path, str] | None] = ContextVar("keys", default=None)


@dataclass(frozen=True)
class Kind(Generic[_T]):
    """A kind of figures: name, type, and the function that computes them for several trials."""

    name: str
    shape: type[_T]
    compute: Callable[[Sequence[StoredTrial]], Sequence[_T]]


@contextmanager
def one_look() -> Iterator[None]:
    """Look at the files of each trial only once within this context, as while one report is written."""
    token = _keys.set({})
    try:
        yield
    finally:
        _keys.reset(token)


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
    keys = {trial.folder: key for trial in trials if (key := _key(trial))}
    result: dict[Path, bytes] = {}
    for run in dict.fromkeys(_run(folder) for folder in keys):
        own = {folder.name: key for folder, key in keys.items() if _run(folder) == run}
        stored = figure_store.read(run, kind.name, own)
        result |= {layout.trial_folder(run, trial): data for trial, data in stored.items()}
    for folder, key in keys.items():
        known, data = _unkept.get((folder, kind.name), ("", b""))
        if known == key:
            result.setdefault(folder, data)
    return result


def _computed(kind: Kind[_T], trials: Sequence[StoredTrial]) -> dict[Path, bytes]:
    """Return missing figures; compute and store those of all kinds that are computed together with them."""
    together = _every()
    kinds: Sequence[Kind[Any]] = together if kind in together else [kind]
    # Keys come first: a file that changes meanwhile must not count as the one that was read.
    keys = {trial.folder: _key(trial) for trial in trials}
    result: dict[Path, bytes] = {}
    rows: dict[Path, list[Row]] = {}
    with kept([trial.folder for trial in trials]) if len(kinds) > 1 else nullcontext():
        for each in kinds:
            computed, whole = _figures(each, trials)
            if each == kind:
                result = computed
            for folder in whole:
                rows.setdefault(_run(folder), []).append(
                    Row(each.name, folder.name, keys[folder], computed[folder])
                )
    for run, some in rows.items():
        _store(run, [row for row in some if row.key])
    return result


def _figures(kind: Kind[_T], trials: Sequence[StoredTrial]) -> tuple[dict[Path, bytes], list[Path]]:
    """Return the figures by folder, and the folders of the trials whose files could all be read."""
    failed = unreadable.times()
    computed = list(kind.compute(trials))
    whole = unreadable.times() == failed
    if not whole and len(trials) > 1:
        # One damaged file must not prevent the figures of other trials from being stored.
        each = [_figures(kind, [trial]) for trial in trials]
        return {k: v for some, _ in each for k, v in some.items()}, [f for _, some in each for f in some]
    figures = {trial.folder: dumps(kind.shape, item) for trial, item in zip(trials, computed, strict=True)}
    # A failed read may succeed next time, and the key would not change.
    return figures, list(figures) if whole else []


def _store(run: Path, rows: Sequence[Row]) -> None:
    if not rows or figure_store.write(run, rows):
        return
    for row in rows:
        _unkept[layout.trial_folder(run, row.trial), row.kind] = (row.key, row.data)
    while len(_unkept) > _MOST_UNKEPT:
        _unkept.popitem(last=False)


def _run(trial: Path) -> Path:
    return trial.parent.parent


def _key(trial: StoredTrial) -> str:
    """Return the key of a trial's figures; empty where nothing can be stored."""
    known = _keys.get()
    if known is not None and trial.folder in known:
        return known[trial.folder]
    try:
        key = key_of(trial.folder, program()) if trial.folder.parent.name == layout.TRIALS else ""
    except OSError:
        key = ""
    if known is not None:
        known[trial.folder] = key
    return key


@cache
def _every() -> list[Kind[Any]]:
    """Return the kinds of figures that each report needs; their modules import this one."""
    places = (f"{__package__}.{name}".rpartition(".") for name in _EVERY)
    return [getattr(import_module(module), name) for module, _, name in places]


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
