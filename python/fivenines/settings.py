"""What the settings models of solutions, managers, access layers, workloads and faults share."""

from pydantic import BaseModel, ConfigDict


class Settings(BaseModel):
    """Settings written in an experiment file: unknown keys are errors, values never change later.

    Every field of a subclass carries a `description`: the reference page is generated from it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
