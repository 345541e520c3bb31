"""Settings of the section `thresholds:`, the conditions that `fivenines check` enforces in a pipeline."""

import re
from typing import Any

from pydantic import Field, model_validator

from fivenines.analysis.measures.condition import Condition
from fivenines.analysis.measures.measures import FAMILIES, MEASURES
from fivenines.base.settings import Settings, invalid


class ThresholdSettings(Settings):
    """A condition that every cell of a solution must meet; without a solution, every cell of the run."""

    requirement: Condition = Field(description="a condition, such as `failover p95 < 10s` or `lost = 0`")
    solution: str | None = Field(None, description="name of the solution; null: all solutions")

    @model_validator(mode="before")
    @classmethod
    def _words(cls, value: Any) -> Any:
        if isinstance(value, dict) and len(value) == 1 and not {"requirement", "solution"} & set(value):
            ((name, requirement),) = value.items()
            raise invalid(f"write the whole threshold in quotes: '{name}: {requirement}'")
        return split(value) if isinstance(value, str) else value


# The prefixes of measures that contain a colon.
_PREFIXES = "|".join(
    dict.fromkeys([*FAMILIES, *(name.partition(":")[0] for name in MEASURES if ":" in name)])
)
_THRESHOLD = re.compile(rf"(?:(?P<solution>.*?):)??\s*(?P<requirement>(?:{_PREFIXES}):\S.*|[^:]*)", re.DOTALL)


def split(text: str) -> dict[str, str]:
    """Split `galera: lost = 0` into the fields of a threshold; without a name there is no field `solution`.

    A colon within a measure's name does not end the solution's name: `galera: counter:Com_commit/s < 5`.
    """
    match = _THRESHOLD.fullmatch(text.strip())
    fields = match.groupdict() if match else {"requirement": text}
    return {key: value.strip() for key, value in fields.items() if value is not None}
