"""Words of experiment files that were renamed: the old ones are read for one version, with a hint."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from fivenines.errors import RenamedWarning
from fivenines.experiment.document import Document
from fivenines.experiment.mistakes import KeyPath

FAULTS = {
    old: old.replace("_", "-")
    for old in (
        "connection_storm",
        "full_disk",
        "long_transaction",
        "slow_disk",
        "stalled_replica",
    )
}
_COMMAND = {"strike": "inject", "mend": "recover"}
_LEDGER = {"lists": "append"}
_LISTS_OF_FAULTS = ("faults", "steps")
_FAULT_KEYS = ("fault", "of")


@dataclass(frozen=True)
class Renamed:
    """An old word where it stands; `key`: it is a key, not a value."""

    path: KeyPath
    old: str
    new: str
    key: bool

    @property
    def hint(self) -> str:
        """What to write instead."""
        return f"`{self.old}` is called `{self.new}` now; the old word is read by this version only"


def modern(source: Document) -> Document:
    """The same document in today's words, which stand where the old ones do; each old one is warned of."""
    words = list(renamed(source.data))
    for word in words:
        warn(word, f"{source.file}:{source.place(word.path, word.key)}")
    keys = [word for word in words if word.key]
    return replace(
        source,
        data=current(source.data),
        keys={_moved(path, keys): place for path, place in source.keys.items()},
        values={_moved(path, keys): place for path, place in source.values.items()},
    )


def warn(word: Renamed, where: str) -> None:
    """Say what to write instead."""
    warnings.warn(f"{where}: {word.hint}", RenamedWarning, stacklevel=2)


def _moved(path: KeyPath, keys: Sequence[Renamed]) -> KeyPath:
    for word in keys:
        if path[: len(word.path)] == word.path:
            path = (*word.path[:-1], word.new, *path[len(word.path) :])
    return path


def renamed(data: Any, path: KeyPath = ()) -> Iterator[Renamed]:
    """The old words of a document, or of a part of it at `path`."""
    if isinstance(data, list):
        for index, item in enumerate(data):
            if _is_list_of_faults(path) and _is_old_fault(item):
                yield Renamed((*path, index), item, FAULTS[item], key=False)
            yield from renamed(item, (*path, index))
    elif isinstance(data, dict):
        for key in _FAULT_KEYS:
            if _is_old_fault(data.get(key)):
                yield Renamed((*path, key), data[key], FAULTS[data[key]], key=False)
        for old, new in _keys(data, path).items():
            if old in data and new not in data:
                yield Renamed((*path, old), old, new, key=True)
        for key, value in data.items():
            yield from renamed(value, (*path, key))


def current(data: Any, path: KeyPath = ()) -> Any:
    """The same values in today's words."""
    if isinstance(data, list):
        faults = _is_list_of_faults(path)
        return [
            FAULTS[item] if faults and _is_old_fault(item) else current(item, (*path, index))
            for index, item in enumerate(data)
        ]
    if not isinstance(data, dict):
        return data
    names = {old: new for old, new in _keys(data, path).items() if new not in data}
    found = {names.get(key, key): current(value, (*path, key)) for key, value in data.items()}
    old = {key: found[key] for key in _FAULT_KEYS if _is_old_fault(found.get(key))}
    return found | {key: FAULTS[value] for key, value in old.items()}


def _keys(data: Mapping[str, Any], path: KeyPath) -> dict[str, str]:
    if data.get("fault") == "command":
        return _COMMAND
    if path == ("availability", "mtbf"):
        return FAULTS
    return _LEDGER if path == ("ledger",) else {}


def _is_list_of_faults(path: KeyPath) -> bool:
    return bool(path) and path[-1] in _LISTS_OF_FAULTS


def _is_old_fault(value: object) -> bool:
    return isinstance(value, str) and value in FAULTS
