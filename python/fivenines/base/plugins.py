"""Discover kinds: a file in a package, or in a folder of the package, that defines a subclass registers it.

`settings_union` returns the pydantic type of "one of the kinds", distinguished by a key such as
`solution:` or `kind:`; `classes` finds the classes that a package's files define.
"""

import importlib
import inspect
import pkgutil
from collections.abc import Container
from functools import cache
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

from pydantic import BeforeValidator, Field

from fivenines.base.settings import Settings

T = TypeVar("T")


def classes(package: str, base: type[T], without: Container[str] = ()) -> list[type[T]]:
    """Return the concrete subclasses of `base` in the files of `package` and of its folders, by file name.

    Files named in `without` are skipped: their kinds consist of the others.
    """
    found: list[type[T]] = []
    for name in sorted(_files(package)):
        if name.rpartition(".")[2] in without:
            continue
        module = importlib.import_module(name)
        for value in vars(module).values():
            if (
                inspect.isclass(value)
                and issubclass(value, base)
                and value is not base
                and value.__module__ == module.__name__
                and not inspect.isabstract(value)
            ):
                found.append(value)
    return found


@cache
def _files(package: str) -> tuple[str, ...]:
    """Return the modules of a package and of the packages in it, one level deep."""
    found: list[str] = []
    for info in pkgutil.iter_modules(importlib.import_module(package).__path__, f"{package}."):
        if not info.ispkg:
            found.append(info.name)
            continue
        inner = pkgutil.iter_modules(importlib.import_module(info.name).__path__, f"{info.name}.")
        found += [module.name for module in inner if not module.ispkg]
    return tuple(found)


def kinds(package: str, base: type[T], key: str, without: Container[str] = ()) -> dict[str, type[T]]:
    """Return the settings models of a package by the values of their field `key`, in alphabetical order."""
    named: dict[str, type[T]] = {}
    for model in classes(package, base, without):
        annotation = model.model_fields[key].annotation  # type: ignore[attr-defined]
        if get_origin(annotation) is Literal:
            named |= dict.fromkeys(get_args(annotation), model)
    return dict(sorted(named.items()))


def settings_union(package: str, base: type[Settings], key: str, without: Container[str] = ()) -> Any:
    """Return the pydantic type of "any of these kinds"; plain text `x` stands for `{key: x}`.

    Raises:
        TypeError: the package defines no kind.
    """
    models = tuple(dict.fromkeys(kinds(package, base, key, without).values()))
    if not models:
        raise TypeError(f"{package} defines no kind of {base.__name__}")
    union: Any = Union[models]  # noqa: UP007  (built at run time)
    tagged = Annotated[union, Field(discriminator=key)] if len(models) > 1 else union
    return Annotated[tagged, BeforeValidator(lambda value: spelled_out(value, key))]


def spelled_out(value: object, key: str) -> object:
    """Return `{key: value}` for a text, and other values unchanged."""
    return {key: value} if isinstance(value, str) else value


def implementation(package: str, base: type[T], settings: Settings) -> type[T]:
    """Return the class of a package whose `settings_type` is the type of these settings."""
    for kind in classes(package, base):
        if kind.settings_type is type(settings):  # type: ignore[attr-defined]
            return kind
    raise AssertionError(f"nothing in {package} works with {type(settings).__name__}")
