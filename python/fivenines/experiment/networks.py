"""Expand lists of round-trip times and bandwidths into a network for each combination.

The lists are expanded before validation, so that later steps handle only single networks. Errors found
there are mapped back to their place in the file.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

from fivenines.experiment.validation.mistakes import KeyPath, Mistake, shown

# Keys of `link:` that accept a list.
_LISTS = ("rtt", "bandwidth")

# First word of the names of an unnamed matrix of networks.
_BASE = "wan"

_MENTION = re.compile(r"\bnetwork\[(\d+)\](\.link\.(rtt|bandwidth)\b)?")

# The index of the list item that a network has, by key.
Choice = dict[str, int]


@dataclass
class Spread:
    """The expanded networks; `origins` has the entry and the choice of each."""

    networks: list[Any] = field(default_factory=list)
    origins: list[tuple[int, Choice]] = field(default_factory=list)
    mistakes: list[Mistake] = field(default_factory=list)

    def in_file(self, mistake: Mistake) -> Mistake:
        """Return the error with the path and the words of the file."""
        return replace(mistake, path=self._path(mistake.path), text=_MENTION.sub(self._mention, mistake.text))

    def _path(self, path: KeyPath) -> KeyPath:
        if len(path) < 2 or path[0] != "network" or not isinstance(path[1], int):
            return path
        index, choice = self.origins[path[1]]
        inner = path[2:]
        if inner[:1] == ("link",) and len(inner) == 2 and inner[1] in choice:
            inner = (*inner, choice[str(inner[1])])
        return ("network", index, *inner)

    def _mention(self, match: re.Match[str]) -> str:
        index, choice = self.origins[int(match[1])]
        item = f"[{choice[match[3]]}]" if match[3] in choice else ""
        return f"network[{index}]{match[2] or ''}{item}"


def spread(data: dict[str, Any]) -> tuple[dict[str, Any], Spread]:
    """Return the experiment with one entry per network, and the origin of each."""
    found = Spread()
    entries = data.get("network")
    if not isinstance(entries, list):
        return data, found
    for index, entry in enumerate(entries):
        found.mistakes.extend(_repeated(index, entry))
        for one, choice in _each(_with_distinct_sites(entry)):
            found.networks.append(one)
            found.origins.append((index, choice))
    return {**data, "network": found.networks}, found


def _each(entry: Any) -> Iterator[tuple[Any, Choice]]:
    lists = _lists(entry)
    if not lists:
        yield entry, {}
        return
    base = entry.get("name", _BASE)
    distinct = [[k for k, value in enumerate(values) if value not in values[:k]] for values in lists.values()]
    for items in product(*distinct):
        choice = dict(zip(lists, items, strict=True))
        chosen = {key: lists[key][item] for key, item in choice.items()}
        name = f"{base} {', '.join(_words(key, value) for key, value in chosen.items())}"
        named = name if isinstance(base, str) else base
        yield {**entry, "name": named, "link": {**entry["link"], **chosen}}, choice


def _with_distinct_sites(entry: Any) -> Any:
    """Remove repeated sites, which have been reported already."""
    sites = entry.get("sites") if isinstance(entry, dict) else None
    if not isinstance(sites, list):
        return entry
    return {**entry, "sites": [one for k, one in enumerate(sites) if one not in sites[:k]]}


def _lists(entry: Any) -> dict[str, list[Any]]:
    link = entry.get("link") if isinstance(entry, dict) else None
    if not isinstance(link, dict):
        return {}
    # An empty list stays in place, as it is an error.
    return {key: link[key] for key in _LISTS if isinstance(link.get(key), list) and link[key]}


def _words(key: str, value: Any) -> str:
    """Format a value for a name: `10ms` as `10 ms`."""
    if value is None:
        return f"any {key}"
    return re.sub(r"(?<=\d)(?=[a-zA-Z])", " ", str(value).strip())


def _repeated(index: int, entry: Any) -> Iterator[Mistake]:
    lists: dict[str, Sequence[Any]] = {f"link.{key}": some for key, some in _lists(entry).items()}
    if isinstance(entry, dict) and isinstance(entry.get("sites"), list):
        lists["sites"] = entry["sites"]
    for key, values in lists.items():
        for item, value in enumerate(values):
            if value in values[:item]:
                path: KeyPath = ("network", index, *key.split("."), item)
                text = f"network[{index}].{key}[{item}]: {shown(value)} is repeated"
                yield Mistake(None, path, f"{text}: remove one of them")
