"""Sets of timeouts among which `fivenines tune` chooses.

The timeouts that decide when a cluster fails over must fit each other, so they are chosen as sets: from the
quickest to the calmest one, all with the same settings. The manual permits each of them.
"""

from collections.abc import Mapping, Sequence

# Values by setting, as an experiment file has them.
Values = Mapping[str, str | int]


def table(names: str, *rows: Sequence[str | int]) -> tuple[Values, ...]:
    """Return sets from rows of values; `names`: their settings, separated by blanks."""
    return tuple(dict(zip(names.split(), row, strict=True)) for row in rows)
