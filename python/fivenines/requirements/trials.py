"""The section `trials:` of an experiment: a number, or as many as a figure needs to be known."""

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

from fivenines.requirements.measures import measure_named
from fivenines.settings import Settings, told

MOST = 1000
"""More trials of each cell than this are nobody's plan."""

MOST_LOOKS = 200
"""With `until` all trials up to `at_most` have to be reckoned with before the first."""


def _measure(name: str) -> str:
    try:
        measure = measure_named(name)
    except ValueError as error:
        raise told(str(error)) from None
    if not measure.valued:
        raise told(
            f"{name} has no mean with an interval: name what each trial has a value of, as tps or "
            "outage_writes"
        )
    return name


def _share(value: object) -> object:
    if not isinstance(value, str):
        raise told("write a share of the mean in per cent, as 10%")
    try:
        share = float(value.strip().removesuffix("%")) / 100
    except ValueError:
        share = 0.0
    if not value.strip().endswith("%") or not 0.001 <= share <= 1:
        raise told(f"{value!r} is no share: write per cent of the mean, from 0.1% to 100%")
    return share


Share = Annotated[
    float,
    BeforeValidator(_share),
    PlainSerializer(lambda share: f"{100 * share:g}%", return_type=str),
    WithJsonSchema({"type": "string", "allowed": "a share of the mean in per cent, as 10%"}),
]


class UntilSettings(Settings):
    """What has to be known of a cell before its trials end."""

    measure: Annotated[str, AfterValidator(_measure)] = Field(
        description="what each trial has a value of, as outage_writes or tps (`fivenines list measures`)"
    )
    within: Share = Field(
        description="half the width of its 95 % interval, as a share of the mean; the interval is one that "
        "holds although it is looked at after each trial"
    )


class TrialsSettings(Settings):
    """A number of trials, written as such; or as many as are needed, from `at_least` to `at_most`."""

    short = f"a whole number from 1 to {MOST}"

    at_least: Annotated[int, Field(ge=1, le=MOST)] = Field(5, description="trials that every cell has")
    at_most: Annotated[int, Field(ge=1, le=MOST)] = Field(
        30, description="trials after which a cell ends, whatever is known"
    )
    until: UntilSettings | None = Field(
        None, description="what has to be known; null: all cells have the same number of trials"
    )

    @model_validator(mode="before")
    @classmethod
    def _number(cls, value: Any) -> Any:
        if isinstance(value, dict):
            return value
        number = isinstance(value, int) and not isinstance(value, bool)
        if not number or not 1 <= value <= MOST:
            raise PydanticCustomError("trials", "no number of trials")
        return {"at_least": value, "at_most": value}

    @model_validator(mode="after")
    def _range(self) -> "TrialsSettings":
        if self.at_least > self.at_most:
            raise told(f"at_least: {self.at_least} is more than at_most: {self.at_most}")
        if self.until is None and self.at_least < self.at_most:
            raise told(
                "when do the trials of a cell end? Say it by until: {measure: outage_writes, within: 10%}, "
                "or write a number of trials"
            )
        if self.until is not None and self.at_least < 2:
            raise told("at_least: 1: there is no interval of one trial; take 2 or more")
        if self.until is not None and self.at_most > MOST_LOOKS:
            raise told(f"at_most: {self.at_most}: with `until` it is {MOST_LOOKS} at most")
        return self

    @model_serializer(mode="wrap")
    def _short(self, whole: SerializerFunctionWrapHandler) -> Any:
        return whole(self) if self.until is not None else self.at_most


def exactly(number: int) -> TrialsSettings:
    """The same number of trials for every cell."""
    return TrialsSettings(at_least=number, at_most=number)
