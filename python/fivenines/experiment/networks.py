"""Networks as a file writes them: lists of round trips and bandwidths span a matrix, a network for each.

The matrix is spread out before anything is validated, so that what follows knows single networks only;
mistakes found there are led back to where they stand in the file.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

from fivenines.experiment.mistakes import KeyPath, Mistake, shown

# Keys of `link:` that may have a list.
_LISTS = ("rtt", "bandwidth")

# What the networks of a matrix without a name begin with.
_BASE = "wan"

_MENTION = re.compile(r"\bnetwork\[(\d+)\](\.link\.(rtt|bandwidth)\b)?")

# Which item of each list a network has, by key.
Choice = dict[str, int]


@dataclass
class Spread:
    """The networks one by one; `origins` says for each which entry it comes from, with which choice."""

    networks: list[Any] = field(default_factory=list)
    origins: list[tuple[int, Choice]] = field(default_factory=list)
    mistakes: list[Mistake] = field(default_factory=list)

    def in_file(self, mistake: Mistake) -> Mistake:
        """The same mistake with the path and the words of the file."""
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
    """The experiment with one entry for each network of its matrices, and where each comes from."""
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
    """What is repeated has been said; it shall not be said again in other words."""
    sites = entry.get("sites") if isinstance(entry, dict) else None
    if not isinstance(sites, list):
        return entry
    return {**entry, "sites": [one for k, one in enumerate(sites) if one not in sites[:k]]}


def _lists(entry: Any) -> dict[str, list[Any]]:
    link = entry.get("link") if isinstance(entry, dict) else None
    if not isinstance(link, dict):
        return {}
    # an empty list stays where it is: it is a mistake
    return {key: link[key] for key in _LISTS if isinstance(link.get(key), list) and link[key]}


def _words(key: str, value: Any) -> str:
    """`10ms` as `10 ms`."""
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
                text = f"network[{index}].{key}[{item}]: {shown(value)} stands in the list twice"
                yield Mistake(None, path, f"{text}: remove one of them")
