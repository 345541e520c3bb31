"""The section `thresholds:` of an experiment: what a pipeline fails for."""

import re
from typing import Any

from pydantic import Field, model_validator

from fivenines.requirements.condition import Condition
from fivenines.requirements.measures import FAMILIES, MEASURES
from fivenines.settings import Settings, told


class ThresholdSettings(Settings):
    """A condition that every cell of a solution must meet; `outage_writes < 10s` alone is of all of them."""

    requirement: Condition = Field(description="as `failover p95 < 10s` or `lost = 0`")
    solution: str | None = Field(None, description="name of the solution; null: all of them")

    @model_validator(mode="before")
    @classmethod
    def _words(cls, value: Any) -> Any:
        if isinstance(value, dict) and len(value) == 1 and not {"requirement", "solution"} & set(value):
            ((name, requirement),) = value.items()
            raise told(f"write the whole threshold in quotes: '{name}: {requirement}'")
        return split(value) if isinstance(value, str) else value


_COLONS = "|".join(dict.fromkeys([*FAMILIES, *(name.partition(":")[0] for name in MEASURES if ":" in name)]))
"""What stands before the colon of a measure."""
_THRESHOLD = re.compile(rf"(?:(?P<solution>.*?):)??\s*(?P<requirement>(?:{_COLONS}):\S.*|[^:]*)", re.DOTALL)


def split(text: str) -> dict[str, str]:
    """`galera: lost = 0` as the fields of a threshold; without a name it is of all solutions.

    A colon within a measure's name ends no solution's: `galera: counter:Com_commit/s < 5`.
    """
    match = _THRESHOLD.fullmatch(text.strip())
    found = match.groupdict() if match else {"requirement": text}
    return {key: value.strip() for key, value in found.items() if value is not None}
