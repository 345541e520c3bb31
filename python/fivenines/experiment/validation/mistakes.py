"""Errors in an experiment file, in words: where, what was found, what is allowed.

pydantic reports errors by the path through its types; `from_validation` follows the same path
through the models, so that each message can name the right line, kind, keys and values.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter
from pydantic_core import ErrorDetails

from fivenines.base import settings
from fivenines.base.settings import Settings
from fivenines.base.spelling import nearest
from fivenines.base.units import FROM_FILE
from fivenines.experiment.validation.allowed import KIND_KEYS, Shape, allowed, discriminator, kinds

# The keys and indices that lead to a value, as `("solutions", 0, "engine")`.
KeyPath = tuple[str | int, ...]


@dataclass(frozen=True, order=True)
class Place:
    """Line and column in a file, from 1."""

    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.line}:{self.column}"


@dataclass(frozen=True)
class Mistake:
    """An error in a file; `place` is None as long as only the path is known."""

    place: Place | None
    path: KeyPath
    text: str
    allowed: str = ""
    at_key: bool = False

    def block(self, file: str) -> str:
        """Return the error as shown to the user."""
        position = f"{file}:{self.place}" if self.place else file
        hint = f"\n    allowed: {self.allowed}" if self.allowed else ""
        return f"{position}: {self.text}{hint}"


def of_entry(key: str, index: int, text: str, inner: str = "") -> Mistake:
    """Return an error of an entry of a list, or of a key in it, whose text begins with its path."""
    path: KeyPath = (key, index, inner) if inner else (key, index)
    return Mistake(None, path, f"{dotted(path)}: {text}")


def shown(value: object) -> str:
    """Format a value as in a file, shortened."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return "a mapping" if value else "an empty mapping"
    if isinstance(value, list):
        return f"a list of {len(value)}" if value else "an empty list"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..." + text[0]


def dotted(path: KeyPath) -> str:
    """Format a path, as `solutions[0].access.interval`."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def validated(kind: Any, data: object) -> Any:
    """Validate a part of a file as a value of this type.

    JSON in strict mode: a number is no text, a text no number, and 1 is not true.

    Raises:
        ValidationError: the value has another form.
    """
    return _adapter(kind).validate_json(json.dumps(data), strict=True, context={FROM_FILE: True})


# By identity, as unions of kinds have no hash. There are a dozen; making one takes longer than a validation.
_ADAPTERS: dict[int, tuple[Any, TypeAdapter[Any]]] = {}


def _adapter(kind: Any) -> TypeAdapter[Any]:
    known = _ADAPTERS.get(id(kind))
    if known is None:
        known = _ADAPTERS[id(kind)] = (kind, TypeAdapter[Any](kind))
    return known[1]


def from_validation(
    model: type[Settings], errors: Sequence[ErrorDetails], start: Shape | None = None
) -> list[Mistake]:
    """Convert pydantic's errors, one for each place."""
    found: dict[tuple[KeyPath, bool], Mistake] = {}
    for error in errors:
        spot = _walk(start or Shape.of(model), error["loc"])
        mistake = _mistake(error, spot)
        found.setdefault((mistake.path, mistake.at_key), mistake)
    return list(found.values())


@dataclass(frozen=True)
class _Spot:
    """The target of an error's path: in the file, and in the models."""

    path: KeyPath
    shape: Shape | None
    owner: type[Settings] | None


def _walk(shape: Shape | None, loc: Iterable[str | int]) -> _Spot:
    path: KeyPath = ()
    owner: type[Settings] | None = None
    for step in loc:
        models = shape.models() if shape else []
        if len(models) > 1:  # the step is the tag that chose the kind; it is not in the file
            chosen = kinds(models).get(str(step))
            shape = Shape.of(chosen) if chosen else None
        elif models:
            owner, path = models[0], (*path, step)
            known = isinstance(step, str) and step in owner.model_fields
            shape = Shape.of_field(owner, str(step)) if known else None
        elif shape and (inner := shape.item()):
            shape, path = inner, (*path, step)
    return _Spot(path, shape, owner)


def _unknown_key(key: str, spot: _Spot, known: list[str]) -> Mistake:
    inside = _inside(spot)
    if instead := spot.owner.elsewhere.get(key.replace("-", "_")) if spot.owner else None:
        return Mistake(None, spot.path, f"{shown(key)} is not a key{inside}: {instead}", at_key=True)
    text = f"unknown key {shown(key)}{inside}{nearest(key, known)}"
    return Mistake(None, spot.path, text, ", ".join(known), at_key=True)


def _mistake(error: ErrorDetails, spot: _Spot) -> Mistake:
    name = dotted(spot.path)
    known = spot.owner.written() if spot.owner else []
    match error["type"]:
        case "extra_forbidden":
            key = str(spot.path[-1])
            return _unknown_key(key, spot, known)
        case "missing":
            inside = _inside(spot)
            text = f"the key {shown(str(spot.path[-1]))} is missing{inside}"
            return Mistake(None, spot.path[:-1], text, _allowed(spot), at_key=True)
        case "union_tag_invalid" | "union_tag_not_found":
            return _kind(error, spot)
        case "literal_error":
            return _word(error, spot)
        case "recursion_loop" | "json_invalid" | settings.INVALID:
            return Mistake(None, spot.path, _at(name, error["msg"]))
        case _:
            bare = error["input"] is None and spot.path[-2:-1] == ("server",)
            hint = "; for an option without a value write true" if bare else ""
            text = _at(name, f"found {shown(error['input'])}{hint}")
            return Mistake(None, spot.path, text, _allowed(spot))


def _at(name: str, text: str) -> str:
    return f"{name}: {text}" if name else text


def _inside(spot: _Spot) -> str:
    """Format the parent of a key, as ` in solutions[0]`."""
    parent = dotted(spot.path[:-1])
    return f" in {parent}" if parent else ""


def _allowed(spot: _Spot) -> str:
    return allowed(spot.shape) if spot.shape else ""


def _kind(error: ErrorDetails, spot: _Spot) -> Mistake:
    models = spot.shape.models() if spot.shape else []
    key = discriminator(models) or "kind"
    words = list(kinds(models))
    value = error["input"]
    tag = value.get(key) if isinstance(value, Mapping) else None
    name = dotted(spot.path)
    if not isinstance(value, Mapping):
        return Mistake(None, spot.path, _at(name, f"found {shown(value)}"), _allowed(spot))
    if key not in value:
        text = f"the key {shown(key)} is missing in {name}"
        return Mistake(None, spot.path, text, "one of " + ", ".join(words), at_key=True)
    return Mistake(
        None,
        (*spot.path, key),
        _at(name, f"unknown {key} {shown(tag)}{nearest(str(tag), words)}"),
        "one of " + ", ".join(words),
    )


def _word(error: ErrorDetails, spot: _Spot) -> Mistake:
    """Describe a value that is none of a list of words."""
    options = spot.shape.options() if spot.shape else []
    words = [word for option in options for word in option.values()]
    value = error["input"]
    hint = nearest(value, words) if isinstance(value, str) else ""
    if isinstance(value, str) and value in words:
        # The words are shown as texts, and this one is a number.
        hint = ", a text: write it without quotes"
    key = spot.path[-1] if spot.path else ""
    chooses = key in KIND_KEYS and len(words) > 1
    text = f"found {shown(value)}{hint}"
    name = dotted(spot.path)
    if chooses:
        name, text = dotted(spot.path[:-1]), f"unknown {key} {shown(value)}{hint}"
    return Mistake(None, spot.path, _at(name, text), _allowed(spot))
