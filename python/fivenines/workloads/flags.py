"""Settings as flags of `fivenines-core`."""

from collections.abc import Iterable

from fivenines.settings import Settings

Flags = dict[str, str]
"""Values by flag, as in `{"--tpcc-warehouses": "2"}`."""


def flags_of(settings: Settings, names: Iterable[str], prefix: str = "") -> Flags:
    """One flag for each named setting: `data_length` is `--<prefix>data-length`.

    What is None has no flag. Numbers have no exponent.
    """
    values = ((name, getattr(settings, name)) for name in names)
    return {
        f"--{prefix}{name.replace('_', '-')}": flag_text(value)
        for name, value in values
        if value is not None
    }


def flag_text(value: object) -> str:
    """A value as the program reads it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.15g}" if abs(value) >= 1e-4 or value == 0 else f"{value:.15f}".rstrip("0")
    return str(value)


def words(flags: Flags) -> list[str]:
    """The words of a command line; a value is joined to its flag, as it may begin with a dash."""
    return [f"{flag}={value}" for flag, value in flags.items()]
