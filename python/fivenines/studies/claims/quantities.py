"""Shares and amounts as tests write them: `10%`, `0.6`, `8s`, `1.1`."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field, PlainSerializer, WithJsonSchema

from fivenines.base.settings import invalid
from fivenines.base.units import format_duration, parse_duration


def _share(value: object) -> object:
    if isinstance(value, str):
        text = value.strip().removesuffix("%")
        try:
            return float(text) / (100 if value.strip().endswith("%") else 1)
        except ValueError:
            raise invalid(f"{value!r} is no share: write it as 10% or 0.1") from None
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


# A share of 1, written in per cent or as a number.
Share = Annotated[
    float,
    BeforeValidator(_share),
    Field(ge=0, allow_inf_nan=False),
    PlainSerializer(lambda share: f"{100 * share:g}%", return_type=str),
    WithJsonSchema({"type": "string", "allowed": "a share, as 10% or 0.1"}),
]


def _amount(value: object) -> object:
    if not isinstance(value, str):
        return value if isinstance(value, bool) else _number(value)
    if value.strip().endswith("%"):
        return _share(value)
    try:
        return 1000 * parse_duration(value)
    except ValueError:
        raise invalid(
            f"{value!r} is no amount: write a number, a time (8s, 120ms) or a share (10%)"
        ) from None


def _number(value: Any) -> Any:
    return float(value) if isinstance(value, int) else value


# A limit in the measure's unit: times are kept in ms.
Amount = Annotated[
    float,
    BeforeValidator(_amount),
    Field(ge=0, allow_inf_nan=False),
    WithJsonSchema({"type": "string", "allowed": "a number, a time (8s, 120ms) or a share (10%)"}),
]


def in_ms(ms: float) -> str:
    """Return a time as it is written in a file."""
    return format_duration(ms / 1000)
