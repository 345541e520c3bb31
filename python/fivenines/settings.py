"""What the settings models of solutions, managers, access layers, workloads and faults share."""

from collections.abc import Mapping
from typing import ClassVar

from pydantic import BaseModel, ConfigDict
from pydantic_core import PydanticCustomError

# The type of an error whose message is for the person who wrote the file, as it stands.
TOLD = "told"


def told(message: str) -> PydanticCustomError:
    """An error of a validator that says by itself what is wrong, and what to write."""
    return PydanticCustomError(TOLD, "{message}", {"message": message})


class Settings(BaseModel):
    """Settings written in an experiment file: unknown keys are errors, values never change later.

    Every field of a subclass carries a `description`: the reference page is generated from it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    def problems(self) -> list[str]:
        """What is wrong with them alone, in sentences; parts that are settings speak for themselves."""
        return []

    # What may be written instead of a mapping, in words.
    short: ClassVar[str] = ""

    # Fields that the program itself writes, into the experiment that a run keeps.
    made: ClassVar[frozenset[str]] = frozenset()

    # A line for each kind by its name, where one model stands for several.
    about: ClassVar[Mapping[str, str]] = {}

    @classmethod
    def written(cls) -> list[str]:
        """The fields that a person writes."""
        return [name for name in cls.model_fields if name not in cls.made]
