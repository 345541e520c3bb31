"""How commands show themselves: typer's, without types behind flags, which take no value."""

from typing import Any

from typer.core import TyperCommand, TyperGroup


class Command(TyperCommand):
    """A command of the program."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Its arguments and options, `--help` with them."""
        return _plain(super().get_params(ctx))


class Group(TyperGroup):
    """A command that has others."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Its options, `--help` with them."""
        return _plain(super().get_params(ctx))


def _plain(parameters: list[Any]) -> list[Any]:
    """A flag is given or not: some versions of typer say `<bool>` behind it."""
    for one in parameters:
        if getattr(one, "is_flag", False) and one.metavar is None:
            one.metavar = ""
    return parameters
