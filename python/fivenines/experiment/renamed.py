"""Words of experiment files that were renamed: the old ones are read for one version, with a hint."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from fivenines.errors import RenamedWarning
from fivenines.experiment.document import Document
from fivenines.experiment.mistakes import KeyPath

FAULTS = {
    old: old.replace("_", "-")
    for old in ("connection_storm", "full_disk", "long_transaction", "slow_disk", "stalled_replica")
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
    data, words = today(source.data)
    for word in words:
        warn(word, f"{source.file}:{source.place(word.path, word.key)}")
    keys = [word for word in words if word.key]
    return replace(
        source,
        data=data,
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


def today(data: Any, path: KeyPath = ()) -> tuple[Any, list[Renamed]]:
    """A document, or the part at a path, in today's words, and the old words in it, in their order."""
    if isinstance(data, list):
        parts = [_value(item, (*path, index), _is_list_of_faults(path)) for index, item in enumerate(data)]
        return [part for part, _ in parts], [word for _, words in parts for word in words]
    if not isinstance(data, dict):
        return data, []
    names = {old: new for old, new in _keys(data, path).items() if new not in data}
    words = [Renamed((*path, old), old, new, key=True) for old, new in names.items() if old in data]
    found: dict[str, Any] = {}
    for key, value in data.items():
        name = str(names.get(key, key))
        found[name], more = _value(value, (*path, key), key in _FAULT_KEYS)
        words += more
    return found, words


def _value(value: Any, path: KeyPath, is_fault: bool) -> tuple[Any, list[Renamed]]:
    if is_fault and isinstance(value, str) and value in FAULTS:
        return FAULTS[value], [Renamed(path, value, FAULTS[value], key=False)]
    return today(value, path)


def _keys(data: Mapping[str, Any], path: KeyPath) -> dict[str, str]:
    if data.get("fault") == "command":
        return _COMMAND
    if path == ("availability", "mtbf"):
        return FAULTS
    return _LEDGER if path == ("ledger",) else {}


def _is_list_of_faults(path: KeyPath) -> bool:
    return bool(path) and path[-1] in _LISTS_OF_FAULTS
