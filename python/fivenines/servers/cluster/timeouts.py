"""Sets of timeouts among which `fivenines tune` chooses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

# Values by setting, as an experiment file has them.
Values = Mapping[str, str | int]


@dataclass(frozen=True)
class Timeouts:
    """The timeouts that decide when a cluster fails over.

    A manager has several timeouts that must fit each other, so they are chosen as sets. A later set waits
    longer before a failover than an earlier one.

    Attributes:
        sets: the sets, from the quickest to the calmest; all have the same settings.
        rule: what the manual requires of them, in a sentence with its source.
    """

    sets: Sequence[Values]
    rule: str

    def within(self, key: str) -> "Timeouts":
        """Return the same sets as settings of a part, such as `manager`."""
        return Timeouts(
            [{f"{key}.{name}": value for name, value in values.items()} for values in self.sets], self.rule
        )


def table(names: str, *rows: Sequence[str | int]) -> list[Values]:
    """Return sets from rows of values; `names`: their settings, separated by blanks."""
    return [dict(zip(names.split(), row, strict=True)) for row in rows]
