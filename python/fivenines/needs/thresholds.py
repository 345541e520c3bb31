"""The section `thresholds:` of an experiment: what a pipeline fails for."""

from typing import Any

from pydantic import Field, model_validator

from fivenines.needs.condition import Condition
from fivenines.settings import Settings, told


class ThresholdSettings(Settings):
    """A condition that every cell of a solution must meet; `outage_writes < 10s` alone is of all of them."""

    need: Condition = Field(description="as `failover p95 < 10s` or `lost = 0`")
    solution: str | None = Field(None, description="name of the solution; null: all of them")

    @model_validator(mode="before")
    @classmethod
    def _words(cls, value: Any) -> Any:
        if isinstance(value, dict) and len(value) == 1 and not {"need", "solution"} & set(value):
            ((name, need),) = value.items()
            raise told(f"write the whole threshold in quotes: '{name}: {need}'")
        return split(value) if isinstance(value, str) else value


def split(text: str) -> dict[str, str]:
    """`galera: lost = 0` as the fields of a threshold; without a name it is of all solutions."""
    name, colon, need = text.rpartition(":")
    return {"need": need.strip(), "solution": name.strip()} if colon else {"need": text.strip()}
