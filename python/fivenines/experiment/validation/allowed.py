"""Describe the values that a settings model allows, for error messages and the reference.

A `Shape` is a type together with its constraints, as pydantic stores them. It can be walked like the
data: into a field of a model, an item of a list, or one of several kinds.
"""

import types
from dataclasses import dataclass
from ipaddress import IPv4Address
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import WithJsonSchema
from pydantic.fields import FieldInfo

from fivenines.base.settings import Settings
from fivenines.base.units import format_duration, format_rate, format_size

# Keys that name a kind.
KIND_KEYS = ("solution", "workload", "fault", "kind")


def _number(value: Any) -> str:
    return str(value) if isinstance(value, int) else f"{value:g}"


_UNITS = {
    "duration": ("a duration", ", with a unit, as 500ms, 10s, 1m30s", format_duration),
    "size": ("a size", ", with a unit, as 64MiB, 2GB", format_size),
    "rate": ("a rate", ", with a unit, as 57kbit/s, 100Mbit/s", format_rate),
    "fraction": ("a number", ", or a percentage, as 0.5%", _number),
}
_PLAIN: dict[Any, str] = {
    int: "a whole number",
    float: "a number",
    str: "text",
    bool: "true or false",
    type(None): "null",
    IPv4Address: "an IPv4 address",
}
_BOUNDS = (("ge", "at least"), ("gt", "above"), ("le", "at most"), ("lt", "below"))


@dataclass(frozen=True)
class Shape:
    """A type without its `Annotated` wrapping, and the metadata of the wrapping."""

    annotation: Any
    metadata: tuple[Any, ...] = ()

    @classmethod
    def of(cls, annotation: Any, metadata: tuple[Any, ...] = ()) -> "Shape":
        """Return the shape of a type, unwrapping `Annotated`."""
        while get_origin(annotation) is Annotated:
            annotation, *inner = get_args(annotation)
            metadata = (*inner, *metadata)
        return cls(annotation, metadata)

    @classmethod
    def of_field(cls, model: type[Settings], name: str) -> "Shape":
        """Return the shape of a field of a model."""
        info = model.model_fields[name]
        return cls.of(info.annotation, tuple(info.metadata))

    def whole(self) -> Any:
        """Return the type with its `Annotated` wrapping."""
        return Annotated[self.annotation, *self.metadata] if self.metadata else self.annotation

    def options(self) -> list["Shape"]:
        """Return the members of a union and of nested unions, or the shape itself."""
        if get_origin(self.annotation) in (Union, types.UnionType):
            members = [Shape.of(option, self.metadata) for option in get_args(self.annotation)]
            return [option for member in members for option in member.options()]
        return [self]

    def models(self) -> list[type[Settings]]:
        """Return the settings models that are allowed here."""
        found = [option.annotation for option in self.options()]
        return [each for each in found if isinstance(each, type) and issubclass(each, Settings)]

    def item(self) -> "Shape | None":
        """Return the shape of a list's items or of a mapping's values; None for other types."""
        for option in self.options():
            if get_origin(option.annotation) in (list, dict):
                return Shape.of(get_args(option.annotation)[-1])
        return None

    def values(self) -> list[str]:
        """Return the words of a `Literal`."""
        if get_origin(self.annotation) is Literal:
            return [str(value) for value in get_args(self.annotation)]
        return []


def discriminator(models: list[type[Settings]]) -> str | None:
    """Return the key that names the kind: `solution`, `workload`, `fault` or `kind`."""
    for name in models[0].model_fields if models else ():
        if name in KIND_KEYS and all(Shape.of_field(model, name).values() for model in models):
            return name
    return None


def kinds(models: list[type[Settings]]) -> dict[str, type[Settings]]:
    """Return the models by their kind."""
    key = discriminator(models)
    if key is None:
        return {}
    return {word: model for model in models for word in Shape.of_field(model, key).values()}


def allowed(shape: Shape) -> str:
    """Describe the allowed values."""
    return _own_words(shape) or _derived(shape)


def _derived(shape: Shape) -> str:
    options = shape.options()
    models = shape.models()
    if models:
        return _one_of_models(models)
    if len(options) > 1:
        return _joined([allowed(option) for option in options])
    if words := shape.values():
        return words[0] if len(words) == 1 else "one of " + ", ".join(words)
    if get_origin(shape.annotation) is list:
        inner = shape.item()
        some = "a list, not empty, of: " if _least_length(shape) else "a list of: "
        return some + (allowed(inner) if inner else "anything")
    if get_origin(shape.annotation) is dict:
        inner = shape.item()
        return "a mapping from text to " + (allowed(inner) if inner else "anything")
    return _scalar(shape)


def _one_of_models(models: list[type[Settings]]) -> str:
    words = list(kinds(models))
    key = discriminator(models)
    if key is None:
        short = f"{models[0].short}, or " if models[0].short else ""
        return f"{short}a mapping with the keys {', '.join(models[0].written())}"
    return f"a mapping with `{key}:` one of {', '.join(words)}"


def _scalar(shape: Shape) -> str:
    unit = _unit(shape)
    text, forms, write = unit or (_PLAIN.get(shape.annotation, "a value"), "", _number)
    bounds = _bounds(shape)
    if write is not _number and bounds.get("ge") in (0, 1):  # the lower bound of a duration is obvious
        bounds.pop("ge")
    if "ge" in bounds and "le" in bounds:
        limits = f" from {write(bounds['ge'])} to {write(bounds['le'])}"
    else:
        limits = "".join(f" {word} {write(bounds[key])}" for key, word in _BOUNDS if key in bounds)
    if shape.annotation is str and _least_length(shape):
        text = "text, not empty"
    return f"{text}{limits}{forms}"


def _unit(shape: Shape) -> tuple[str, str, Any] | None:
    for one in shape.metadata:
        if isinstance(one, WithJsonSchema) and one.json_schema:
            return _UNITS.get(str(one.json_schema.get("format")))
    return None


def _own_words(shape: Shape) -> str:
    """Return the description that a type defines: the key `allowed` of its JSON schema."""
    for one in _flat(shape):
        if isinstance(one, WithJsonSchema) and one.json_schema:
            return str(one.json_schema.get("allowed", ""))
    return ""


def _flat(shape: Shape) -> list[Any]:
    flat: list[Any] = []
    for one in shape.metadata:
        flat.extend(one.metadata if isinstance(one, FieldInfo) else [one])
    return flat


def _bounds(shape: Shape) -> dict[str, Any]:
    """Return the tightest bounds; a strict bound replaces an inclusive one."""
    found: dict[str, Any] = {}
    for one in _flat(shape):
        for name in ("ge", "gt", "le", "lt"):
            if (bound := getattr(one, name, None)) is not None:
                found[name] = bound
    if "gt" in found:
        found.pop("ge", None)
    if "lt" in found:
        found.pop("le", None)
    return found


def _least_length(shape: Shape) -> int:
    return max([getattr(one, "min_length", None) or 0 for one in _flat(shape)], default=0)


def _joined(texts: list[str]) -> str:
    unique = list(dict.fromkeys(texts))
    return unique[0] if len(unique) == 1 else ", ".join(unique[:-1]) + ", or " + unique[-1]
