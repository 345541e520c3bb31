"""The section `timing:` of an experiment: the phases of a trial."""

from typing import Annotated, Any, Literal

from pydantic import (
    Field,
    SerializerFunctionWrapHandler,
    ValidationError,
    ValidationInfo,
    model_serializer,
    model_validator,
)
from pydantic_core import PydanticCustomError

from fivenines.settings import Settings, told
from fivenines.units import Duration


class _AtMost(Settings):
    """A duration that stands for the whole section."""

    at_most: Annotated[Duration, Field(gt=0)]


class RecoverySettings(Settings):
    """How long the load goes on after the fault: a fixed time, or until the cluster has recovered."""

    short = "a duration such as 15s"

    at_most: Annotated[Duration, Field(gt=0)] = Field(
        15.0, description="load after the fault; with `until` it ends then at the latest"
    )
    until: Literal["rejoined"] | None = Field(
        None,
        description="end the load earlier, once every fault is over, every node is a member again and the "
        "load has reached 90 % of its steady rate; null: always wait for the whole time",
    )
    calm: Duration = Field(
        3.0, description="with `until`: how long all of this must last before the load ends"
    )

    @model_validator(mode="before")
    @classmethod
    def _duration(cls, value: Any, info: ValidationInfo) -> Any:
        if isinstance(value, dict):
            return value
        try:
            one = {"at_most": value}
            _AtMost.model_validate(one, strict=True, context=info.context)
        except ValidationError:
            # found at the key itself, not at one that nobody wrote
            raise PydanticCustomError("recovery", "no duration") from None
        return one

    @model_validator(mode="after")
    def _range(self) -> "RecoverySettings":
        if self.until is None and "calm" in self.model_fields_set:
            raise told("recovery.calm: without `until` the load always goes on for the whole time")
        if self.until is not None and self.calm >= self.at_most:
            raise told("recovery.calm: it is not shorter than `at_most`, so the load never ends early")
        return self

    @model_serializer(mode="wrap")
    def _short(self, whole: SerializerFunctionWrapHandler) -> Any:
        found = whole(self)
        return found if self.until is not None else found["at_most"]


class Timing(Settings):
    """How long the phases of a trial are. The fault is injected at the end of the steady window."""

    warmup: Duration = Field(3.0, description="load before anything is measured")
    steady: Annotated[Duration, Field(gt=0)] = Field(
        10.0, description="the measured window, before any fault"
    )
    recovery: RecoverySettings = Field(
        default_factory=RecoverySettings, description="load after the fault; unused without a fault"
    )
    settle: Duration = Field(
        20.0, description="longest wait, after the load, for nodes to rejoin and replicas to catch up"
    )
