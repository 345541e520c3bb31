"""Command classes that show flags without a type, and options with words instead of Python types."""

import re
from typing import Any

from typer.core import TyperCommand, TyperGroup


class Command(TyperCommand):
    """Define how a command shows its arguments and options."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return its arguments and options, including `--help`."""
        return _plain(super().get_params(ctx), ctx)


class Group(TyperGroup):
    """Define how a command with subcommands shows its options."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return its options, including `--help`."""
        return _plain(super().get_params(ctx), ctx)


# Placeholder shown for each Python type.
_WORDS = {"str": "TEXT", "path": "FILE", "int": "N", "float": "NUMBER"}

# A Python type, as some versions of Typer show it.
_PYTHON = re.compile(r"<(?:list\[)?(\w+)(?: range)?\]?>")


def _plain(parameters: list[Any], ctx: Any) -> list[Any]:
    """Replace the Python types that some versions of Typer show behind options, as `<bool>`."""
    for parameter in parameters:
        if parameter.param_type_name == "argument" and _PYTHON.fullmatch(_type_of(parameter, ctx)):
            # The argument's name is sufficient.
            parameter.display_type_rich = _nothing
        if parameter.metavar is not None or parameter.param_type_name != "option":
            continue
        if parameter.is_flag:
            parameter.metavar = ""
        elif shown := _PYTHON.fullmatch(_type_of(parameter, ctx)):
            parameter.metavar = _WORDS.get(shown[1])
    return parameters


def _nothing(ctx: Any) -> None:
    """Show no type for an argument."""


def _type_of(option: Any, ctx: Any) -> str:
    """Return the type that Typer would show; empty for older versions, which show words."""
    return str(option.display_type(ctx)) if hasattr(option, "display_type") else ""
