"""The base class of the settings models of an experiment file."""

from collections.abc import Mapping
from typing import ClassVar

from pydantic import BaseModel, ConfigDict
from pydantic_core import PydanticCustomError

# The type of errors whose message is shown to the user unchanged.
INVALID = "invalid"


def invalid(message: str) -> PydanticCustomError:
    """Return an error for a validator whose message says what is wrong and what to write."""
    return PydanticCustomError(INVALID, "{message}", {"message": message})


class Settings(BaseModel):
    """Settings of an experiment file: unknown keys are errors, instances are immutable.

    Every field of a subclass has a `description`: the reference page is generated from it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    def problems(self) -> list[str]:
        """Return problems of these settings, in sentences, without those of nested settings."""
        return []

    # Description of the short form, which replaces a mapping.
    short: ClassVar[str] = ""

    # Fields that the program sets, in the experiment that a run stores.
    made: ClassVar[frozenset[str]] = frozenset()

    # Keys that have another place: what to write instead.
    elsewhere: ClassVar[Mapping[str, str]] = {}

    # Descriptions by kind, if a model defines several kinds.
    about: ClassVar[Mapping[str, str]] = {}

    @classmethod
    def written(cls) -> list[str]:
        """Return the fields that a user can set."""
        return [name for name in cls.model_fields if name not in cls.made]
