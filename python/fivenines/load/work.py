"""Fixed work: a load that ends after a number of transactions instead of a time."""

from typing import Annotated, Any

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator
from pydantic_core import PydanticCustomError

from fivenines.base.settings import Settings
from fivenines.base.units import format_duration

# Default longest duration of fixed work, in seconds.
CAP = 3600.0

MOST = 1_000_000_000_000

_Count = Annotated[int, Field(ge=1, le=MOST)]


class WorkSettings(Settings):
    """A total number of transactions, written as a number, or a number per connection."""

    short = f"a whole number from 1 to {MOST}"
    made = frozenset({"together"})

    together: _Count | None = Field(None, description="transactions of all connections together")
    each: _Count | None = Field(None, description="transactions of each connection")

    @model_validator(mode="before")
    @classmethod
    def _number(cls, value: Any) -> Any:
        if isinstance(value, dict) and set(value) in ({"each"}, {"together"}):
            return value
        number = isinstance(value, int) and not isinstance(value, bool)
        if not number or not 1 <= value <= MOST:
            raise PydanticCustomError("work", "no number of transactions")
        return {"together": value}

    @model_serializer(mode="wrap")
    def _short(self, whole: SerializerFunctionWrapHandler) -> Any:
        return {"each": self.each} if self.each is not None else self.together

    def flags(self, warmup: float) -> list[str]:
        """Return the flags of `fivenines-core load`; `warmup`: seconds before the work begins."""
        if self.each is not None:
            flags = ["--transactions-each", str(self.each)]
        else:
            flags = ["--transactions", str(self.together)]
        return [*flags, *(["--work-after", format_duration(warmup)] if warmup else [])]


def together(transactions: int) -> WorkSettings:
    """Return fixed work for all connections together."""
    return WorkSettings(together=transactions)
