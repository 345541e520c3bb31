"""Expand sweeps: lists of values become variants of a solution.

Sweeps are expanded before validation, so that each value is checked as if written alone, and later
steps handle only plain solutions. Errors found there are mapped back to their place in the file.
"""

import copy
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

from pydantic import ValidationError

from fivenines.base.plugins import kinds
from fivenines.base.settings import Settings
from fivenines.experiment.names import LONGEST
from fivenines.experiment.spec import AnySolution
from fivenines.experiment.validation.mistakes import KeyPath, Mistake, shown, validated
from fivenines.solutions.settings import SolutionSettings
from fivenines.solutions.sweep import SweepSettings

# Largest number of variants of a sweep.
MOST = 100

_MENTION = re.compile(r"\bsolutions\[(\d+)\]((?:\.\w+)*)")
_NOT_SWEPT = ("solution", "name", "sweep", "variant")
_KIND = "kind"
_EXAMPLE = "a mapping from settings to lists of values, as {appliers: [1, 4, 16]}"

# The index of the list item that a variant has, by key.
Choice = dict[str, int]


@dataclass(frozen=True)
class _Origin:
    """The origin of a solution: its entry and, for a variant, the sweep's place and choice."""

    index: int
    place: KeyPath = ()
    choice: Choice = field(default_factory=dict)
    words: str = ""

    def swept(self, inner: KeyPath) -> tuple[str, KeyPath] | None:
        """Return the swept key that contains a path inside the solution, and the rest of the path."""
        for key in self.choice:
            parts = tuple(key.split("."))
            if inner[: len(parts)] == parts:
                return key, inner[len(parts) :]
        return None


@dataclass
class Spread:
    """The expanded solutions, their origins, and the errors of the sweeps."""

    solutions: list[Any] = field(default_factory=list)
    origins: list[_Origin] = field(default_factory=list)
    mistakes: list[Mistake] = field(default_factory=list)

    def in_file(self, found: Iterable[Mistake]) -> list[Mistake]:
        """Return the errors with the paths and words of the file.

        An error of all variants of a sweep is reported once; an error of some names them.
        """
        placed: dict[Mistake, dict[int, Mistake]] = {}
        for mistake in found:
            index = self._index(mistake.path)
            general = replace(
                mistake, path=self._path(mistake), text=_MENTION.sub(self._mention, mistake.text)
            )
            placed.setdefault(general, {})[index] = mistake
        return [one for general, members in placed.items() for one in self._named(general, members)]

    def _named(self, general: Mistake, members: Mapping[int, Mistake]) -> Iterator[Mistake]:
        for index in members:
            origin = self.origins[index] if index >= 0 else None
            variants = [n for n, one in enumerate(self.origins) if origin and one.index == origin.index]
            everywhere = set(variants) <= set(members)
            if origin is None or not origin.choice or everywhere or "sweep" in general.path:
                yield general
                continue
            head = f"solutions[{origin.index}]"
            yield replace(general, text=general.text.replace(head, f"{head} [{origin.words}]", 1))

    def _index(self, path: KeyPath) -> int:
        """Return the index of the solution that contains a path, or -1."""
        inside = len(path) > 1 and path[0] == "solutions" and isinstance(path[1], int)
        return int(path[1]) if inside else -1

    def _path(self, mistake: Mistake) -> KeyPath:
        index = self._index(mistake.path)
        if index < 0:
            return mistake.path
        origin, inner = self.origins[index], mistake.path[2:]
        if found := origin.swept(inner):
            key, rest = found
            at_name = mistake.at_key and not rest
            return (*origin.place, key, *(() if at_name else (origin.choice[key], *rest)))
        return ("solutions", origin.index, *inner)

    def _mention(self, match: re.Match[str]) -> str:
        origin = self.origins[int(match[1])]
        head = f"solutions[{origin.index}]"
        if found := origin.swept(tuple(match[2].split(".")[1:])):
            key, rest = found
            place = ".".join(str(step) for step in origin.place[2:])
            return f"{head}.{place}.{key}[{origin.choice[key]}]" + "".join(f".{one}" for one in rest)
        return head + match[2]


def spread(data: dict[str, Any]) -> tuple[dict[str, Any], Spread]:
    """Return the experiment with one solution per variant, and the origin of each."""
    found = Spread()
    entries = data.get("solutions")
    if not isinstance(entries, list):
        return data, found
    called: dict[str, int] = {}
    for index, entry in enumerate(entries):
        for one, origin in _each(index, entry, found.mistakes, called):
            found.solutions.append(one)
            found.origins.append(origin)
    return {**data, "solutions": found.solutions}, found


def _each(
    index: int, entry: Any, mistakes: list[Mistake], called: dict[str, int]
) -> Iterator[tuple[Any, _Origin]]:
    if not isinstance(entry, dict) or entry.get("sweep") is None:
        yield entry, _Origin(index)
        return
    place: KeyPath = ("solutions", index, "sweep")
    bare = {key: value for key, value in entry.items() if key != "sweep"}
    sweep = _long_form(entry["sweep"], place, mistakes)
    if sweep is None:
        yield bare, _Origin(index)
        return
    if "settings" in entry["sweep"]:
        place = (*place, "settings")
    lists = _lists(bare, sweep["settings"], place, mistakes)
    general = {**sweep, "settings": {}}
    if not lists or not _well_formed(general):
        # Errors in the rest of the sweep are found when the solution is validated.
        yield {**bare, "sweep": general} if not _well_formed(general) else bare, _Origin(index)
        return
    base = _base_name(bare)
    if called.setdefault(base, index) != index:
        text = f"solutions[{index}] and solutions[{called[base]}] have the same name {shown(base)}"
        mistakes.append(
            Mistake(None, ("solutions", index, "name"), f"{text}: set another `name:` for one of them")
        )
        return
    for words, name, choice in _combinations(base, lists):
        values = {key: lists[key][item] for key, item in choice.items()}
        rest = {key: sweep[key] for key in ("by", "best_for", "judged_on") if key in sweep}
        one = _with(bare, values)
        one["variant"] = {"of": base, "settings": values, **rest}
        if isinstance(bare.get("name", ""), str):
            one["name"] = name
        yield one, _Origin(index, place, choice, words)


def _long_form(raw: Any, place: KeyPath, mistakes: list[Mistake]) -> dict[str, Any] | None:
    """Return the sweep with its key `settings`; None, and an error, if it is malformed."""
    where = f"solutions[{place[1]}].sweep"
    if not isinstance(raw, dict) or not raw:
        mistakes.append(Mistake(None, place, f"{where}: found {shown(raw)}", _EXAMPLE))
        return None
    if "settings" not in raw:
        for key in (field for field in SweepSettings.model_fields if field in raw):
            mistakes.append(
                Mistake(
                    None,
                    (*place, key),
                    f"{where}: {shown(key)} is mixed with the settings: write "
                    f"`sweep: {{settings: {{...}}, {key}: ...}}`",
                    at_key=True,
                )
            )
            return None
        return {"settings": raw}
    if not isinstance(raw["settings"], dict) or not raw["settings"]:
        text = f"{where}.settings: found {shown(raw['settings'])}"
        mistakes.append(Mistake(None, (*place, "settings"), text, _EXAMPLE))
        return None
    return raw


def _well_formed(general: dict[str, Any]) -> bool:
    try:
        SweepSettings.model_validate_json(json.dumps(general), strict=True)
    except ValidationError:
        return False
    return True


def _lists(
    bare: dict[str, Any], settings: dict[str, Any], place: KeyPath, mistakes: list[Mistake]
) -> dict[str, list[Any]]:
    """Return the values of each swept setting; others are left out and reported."""
    found: dict[str, list[Any]] = {}
    for key, values in settings.items():
        path = (*place, key)
        where = f"solutions[{place[1]}]." + ".".join(str(step) for step in path[2:])
        if text := _key_problem(key, bare, settings) or _list_problem(key, values):
            mistakes.append(Mistake(None, path, f"{where}: {text}", at_key=True))
            continue
        written = [json.dumps(value, sort_keys=True) for value in values]
        for item, one in enumerate(written):
            if one in written[:item]:
                text = f"{where}[{item}]: {shown(values[item])} is repeated"
                mistakes.append(Mistake(None, (*path, item), f"{text}: remove one of them"))
        if len(set(written)) == len(written):
            found[key] = values
    count = math.prod(len(values) for values in found.values())
    if count > MOST:
        text = f"solutions[{place[1]}].sweep: {count} variants are too many"
        mistakes.append(Mistake(None, place, text, f"up to {MOST} variants"))
        return {}
    return found


def _key_problem(key: str, bare: dict[str, Any], settings: dict[str, Any]) -> str:
    """Return why a key cannot be swept; empty if it can."""
    if key.partition(".")[0] in _NOT_SWEPT:
        return f"{shown(key)} cannot be swept: list the solutions one by one instead"
    above = [other for other in settings if key.startswith(f"{other}.")]
    if above:
        return f"it is inside {shown(above[0])}, which is swept, too: remove one of them"
    inner: Any = bare
    for part in key.split("."):
        if not isinstance(inner, dict) or part not in inner:
            return ""
        inner = inner[part]
    return f"the solution sets {shown(key)}, too: remove one of them"


def _list_problem(key: str, values: Any) -> str:
    """Return why values cannot be swept; empty if they can."""
    if isinstance(values, dict):
        inner = next(iter(values), "key")
        return f"found a mapping: write nested keys with dots, as {shown(f'{key}.{inner}')}"
    if not isinstance(values, list):
        return f"found {shown(values)}, but a sweep needs a list of at least 2 values"
    if not values:
        return "the list of values is empty"
    if len(values) == 1:
        return (
            f"a sweep needs at least 2 values: add others, or write {shown(values[0])} as a"
            " setting of the solution"
        )
    return ""


def _base_name(bare: dict[str, Any]) -> str:
    """Return the solution's name, or else its default name without the sweep."""
    given = bare.get("name")
    if isinstance(given, str) and given:
        return given
    try:
        return str(validated(AnySolution, bare).default_name())
    except ValidationError:
        return str(bare.get("solution", "solution"))


def _combinations(base: str, lists: dict[str, list[Any]]) -> list[tuple[str, str, Choice]]:
    """Return the description (`a=1, b=2`), name and choice of each variant."""
    last = [key.rpartition(".")[2] for key in lists]
    short = dict(zip(lists, last if len(set(last)) == len(last) else lists, strict=True))
    choices = [
        dict(zip(lists, items, strict=True))
        for items in product(*(range(len(values)) for values in lists.values()))
    ]
    values = [[_words(lists[key][item]) for key, item in choice.items()] for choice in choices]
    full = [
        ", ".join(f"{short[key]}={word}" for key, word in zip(one, words, strict=True))
        for one, words in zip(choices, values, strict=True)
    ]
    numbers = [f"variant {number}" for number in range(1, len(choices) + 1)]
    # Use the first form of names that is distinct and short enough for tables.
    for form in (full, [", ".join(words) for words in values], numbers):
        called = [f"{base} [{one}]" for one in form]
        if max(map(len, called)) <= LONGEST and len(set(called)) == len(called):
            break
    return list(zip(full, called, choices, strict=True))


def _words(value: Any) -> str:
    """Format a value for a name."""
    if isinstance(value, dict):
        return " ".join(f"{key} {_words(inner)}" for key, inner in value.items())
    if isinstance(value, list):
        return " ".join(_words(inner) for inner in value)
    return value if isinstance(value, str) else json.dumps(value)


def _with(bare: dict[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the solution with values at dotted keys."""
    one = copy.deepcopy(bare)
    for key, value in values.items():
        *outer, last = key.split(".")
        inner: Any = one
        for depth, part in enumerate(outer):
            below = inner[part] if part in inner else _usual(one, part) if depth == 0 else {}
            # A single word stands for a kind with its defaults.
            inner[part] = {_KIND: below} if isinstance(below, str) else below
            inner = inner[part]
            if not isinstance(inner, dict):
                break
        else:
            inner[last] = value
    return one


def _usual(solution: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the default kind of a mapping that the file leaves out, if it has kinds."""
    model = kinds("fivenines.solutions", SolutionSettings, "solution").get(str(solution.get("solution")))
    if model is None or name not in model.model_fields:
        return {}
    usual = model.model_fields[name].get_default(call_default_factory=True, validated_data={})
    has_kind = isinstance(usual, Settings) and _KIND in type(usual).model_fields
    return {_KIND: getattr(usual, _KIND)} if has_kind else {}
