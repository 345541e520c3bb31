"""The range in which the severity of a fault is searched, as the delay of a slow disk."""

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from fivenines.base.settings import Settings
from fivenines.base.units import parse_duration, parse_fraction

# What a setting is: a time in seconds, or a share.
Unit = Literal["time", "share"]


class SeveritySettings(Settings):
    """The setting to search, and its range."""

    of: str = Field(description="setting of the fault to search, as `delay` of slow-disk")
    at_least: str = Field(description="smallest value to try, as 10ms or 5%")
    at_most: str = Field(description="largest value to try")

    def ends(self, units: Mapping[str, Unit]) -> tuple[float, float]:
        """Return the range, in seconds or as shares; `units`: the settings that can be searched.

        Raises:
            ValueError: an end is not a value of this unit.
        """
        unit = units[self.of]
        return _parsed("at_least", self.at_least, unit), _parsed("at_most", self.at_most, unit)

    def problem(self, units: Mapping[str, Unit]) -> str:
        """Return what is wrong with the setting or its range; `units`: the settings that can be searched."""
        if self.of not in units:
            known = f"one of {', '.join(units)}" if units else "a fault with one, as slow-disk or degrade"
            return f"of: {self.of!r} is not a setting whose severity can be searched: choose {known}"
        try:
            low, high = self.ends(units)
        except ValueError as error:
            return str(error)
        if not 0 < low < high:
            return f"at_most: {self.at_most} is not larger than at_least, or at_least is 0"
        if units[self.of] == "share" and high >= 1:
            return f"at_most: {self.at_most} must be below 100%"
        return ""


def _parsed(key: str, text: str, unit: Unit) -> float:
    try:
        return parse_duration(text) if unit == "time" else parse_fraction(text)
    except ValueError as error:
        raise ValueError(f"{key}: {error}") from None
