"""How commands show themselves: typer's, without types behind flags, which take no value,
and words instead of types of Python behind options."""

import re
from typing import Any

from typer.core import TyperCommand, TyperGroup


class Command(TyperCommand):
    """A command of the program."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Its arguments and options, `--help` with them."""
        return _plain(super().get_params(ctx), ctx)


class Group(TyperGroup):
    """A command that has others."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Its options, `--help` with them."""
        return _plain(super().get_params(ctx), ctx)


# What to write for a type of Python.
_WORDS = {"str": "TEXT", "path": "FILE", "int": "N", "float": "NUMBER"}

# Such a type, as some versions of typer show it.
_PYTHON = re.compile(r"<(?:list\[)?(\w+)(?: range)?\]?>")


def _plain(parameters: list[Any], ctx: Any) -> list[Any]:
    """A flag is given or not: some versions of typer say `<bool>` behind it, and `<list[str]>` elsewhere."""
    for one in parameters:
        if one.param_type_name == "argument" and _PYTHON.fullmatch(_type_of(one, ctx)):
            # the argument's name says what it is
            one.display_type_rich = _nothing
        if one.metavar is not None or one.param_type_name != "option":
            continue
        if one.is_flag:
            one.metavar = ""
        elif shown := _PYTHON.fullmatch(_type_of(one, ctx)):
            one.metavar = _WORDS.get(shown[1])
    return parameters


def _nothing(ctx: Any) -> None:
    """What is said of an argument's type."""


def _type_of(option: Any, ctx: Any) -> str:
    """What typer would say behind the option; older versions say it in words already."""
    return str(option.display_type(ctx)) if hasattr(option, "display_type") else ""
