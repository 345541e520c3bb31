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

from fivenines.base.settings import Settings, invalid
from fivenines.base.units import Duration


class _AtMost(Settings):
    """A duration as the short form of the section."""

    at_most: Annotated[Duration, Field(gt=0)]


class RecoverySettings(Settings):
    """Duration of the load after the fault: a fixed time, or until the cluster has recovered."""

    short = "a duration such as 15s"

    at_most: Annotated[Duration, Field(gt=0)] = Field(
        15.0, description="duration of the load after the fault; with `until`, its longest duration"
    )
    until: Literal["rejoined"] | None = Field(
        None,
        description="rejoined: end the load early, once every fault is over, every node has rejoined and the "
        "load has reached 90 % of its steady rate; null: always wait for the whole time",
    )
    calm: Duration = Field(
        3.0, description="with `until`: how long these conditions must hold before the load ends"
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
            # Reported at the key itself, not at an inner key that the file does not have.
            raise PydanticCustomError("recovery", "no duration") from None
        return one

    @model_validator(mode="after")
    def _range(self) -> "RecoverySettings":
        if self.until is None and "calm" in self.model_fields_set:
            raise invalid("recovery.calm: has no effect without `until`: leave it out")
        if self.until is not None and self.calm >= self.at_most:
            raise invalid("recovery.calm: must be shorter than `at_most`, or the load never ends early")
        return self

    @model_serializer(mode="wrap")
    def _short(self, whole: SerializerFunctionWrapHandler) -> Any:
        found = whole(self)
        return found if self.until is not None else found["at_most"]


class Timing(Settings):
    """Durations of the phases of a trial. The fault is injected at the end of the steady window."""

    warmup: Duration = Field(3.0, description="warm-up, excluded from the results")
    steady: Annotated[Duration, Field(gt=0)] = Field(10.0, description="measured window before any fault")
    recovery: RecoverySettings = Field(
        default_factory=RecoverySettings,
        description="duration of the load after the fault; not used without a fault",
    )
    settle: Duration = Field(
        20.0, description="longest wait after the load for nodes to rejoin and replicas to catch up"
    )
