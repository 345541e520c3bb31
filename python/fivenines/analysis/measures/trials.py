"""Settings of the sections `trials:` and `until_decided:`: how many trials each cell has."""

from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PlainSerializer,
    SerializerFunctionWrapHandler,
    WithJsonSchema,
    model_serializer,
    model_validator,
)
from pydantic_core import PydanticCustomError

from fivenines.analysis.measures.measures import measure_named
from fivenines.base.settings import Settings, invalid
from fivenines.base.units import Duration

# The largest number of trials of a cell.
MOST = 1000

# The largest `at_most` with `until`, which has to plan every trial before the first one.
MOST_LOOKS = 200


def _measure(name: str) -> str:
    try:
        measure = measure_named(name)
    except ValueError as error:
        raise invalid(str(error)) from None
    if not measure.valued:
        raise invalid(
            f"{name} has no mean with an interval: name a measure with a value in each trial, such as tps or "
            "outage_writes"
        )
    return name


def _share(value: object) -> object:
    if not isinstance(value, str):
        raise invalid("write a percentage of the mean, such as 10%")
    try:
        share = float(value.strip().removesuffix("%")) / 100
    except ValueError:
        share = 0.0
    if not value.strip().endswith("%") or not 0.001 <= share <= 1:
        raise invalid(f"{value!r} is not a percentage of the mean from 0.1% to 100%")
    return share


Share = Annotated[
    float,
    BeforeValidator(_share),
    PlainSerializer(lambda share: f"{100 * share:g}%", return_type=str),
    WithJsonSchema({"type": "string", "allowed": "a percentage of the mean, such as 10%"}),
]


class UntilSettings(Settings):
    """The precision at which the trials of a cell end."""

    measure: Annotated[str, AfterValidator(_measure)] = Field(
        description="a measure with a value in each trial, such as outage_writes or tps "
        "(`fivenines list measures`)"
    )
    within: Share = Field(
        description="half the width of the 95 % interval, as a percentage of the mean; the interval allows "
        "for a look after each trial"
    )


class TrialsSettings(Settings):
    """A fixed number of trials, or `at_least` to `at_most` trials until an interval is narrow enough."""

    short = f"a whole number from 1 to {MOST}"

    at_least: Annotated[int, Field(ge=1, le=MOST)] = Field(
        5, description="smallest number of trials of each cell"
    )
    at_most: Annotated[int, Field(ge=1, le=MOST)] = Field(
        30, description="largest number of trials of each cell, even if the interval is still wider"
    )
    until: UntilSettings | None = Field(
        None, description="precision to reach; null: all cells have the same number of trials"
    )

    @model_validator(mode="before")
    @classmethod
    def _number(cls, value: Any) -> Any:
        if isinstance(value, dict):
            return value
        number = isinstance(value, int) and not isinstance(value, bool)
        if not number or not 1 <= value <= MOST:
            raise PydanticCustomError("trials", "not a number of trials")
        return {"at_least": value, "at_most": value}

    @model_validator(mode="after")
    def _range(self) -> "TrialsSettings":
        if self.at_least > self.at_most:
            raise invalid(f"at_least: {self.at_least} is more than at_most: {self.at_most}")
        if self.until is None and self.at_least < self.at_most:
            raise invalid(
                "at_least is less than at_most, but `until` is missing: add until: {measure: outage_writes, "
                "within: 10%}, or write a number of trials"
            )
        if self.until is not None and self.at_least < 2:
            raise invalid("at_least: 1: one trial has no interval; write 2 or more")
        if self.until is not None and self.at_most > MOST_LOOKS:
            raise invalid(f"at_most: {self.at_most}: the largest value with `until` is {MOST_LOOKS}")
        return self

    @model_serializer(mode="wrap")
    def _short(self, whole: SerializerFunctionWrapHandler) -> Any:
        return whole(self) if self.until is not None else self.at_most


class UntilDecidedSettings(Settings):
    """When the trials and blocks of a part of a study end before their largest number."""

    at_least: Annotated[int, Field(ge=2, le=MOST_LOOKS)] = Field(
        4, description="trials of each cell, and blocks, before the claims are first judged"
    )
    within: Annotated[Duration, Field(gt=0)] | None = Field(
        None,
        description="time of all trials and blocks after which none is begun, once there are `at_least`; "
        "null: no limit",
    )


def exactly(number: int) -> TrialsSettings:
    """Return settings with the same number of trials for every cell."""
    return TrialsSettings(at_least=number, at_most=number)
