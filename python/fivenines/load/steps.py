"""Steps of a load: a rate or a number of connections, and its duration."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from fivenines.base.units import format_duration, parse_duration

MOST_CONNECTIONS = 100_000

_STEP = re.compile(r"\s*(?P<rate>\d+(?:\.\d+)?)\s*@\s*(?P<length>.+?)\s*", re.ASCII)


@dataclass(frozen=True)
class RateStep:
    """A rate in transactions per second, or a number of connections, and its duration."""

    rate: float
    seconds: float


def parse_step(text: str) -> RateStep:
    """Parse a step such as `1000@10s`.

    Raises:
        ValueError: the text is not a step.
    """
    match = _STEP.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a step: write RATE@DURATION, as 1000@10s")
    rate, seconds = float(match["rate"]), parse_duration(match["length"])
    if not (0 < rate <= 10_000_000 and seconds > 0):
        raise ValueError(f"{text!r} is not a step: rate and duration must be above 0")
    return RateStep(rate, seconds)


def parse_connection_step(text: str) -> RateStep:
    """Parse a step of connections such as `4000@10s`.

    Raises:
        ValueError: the text is not a step of connections.
    """
    try:
        step = parse_step(text)
    except ValueError:
        step = RateStep(0.0, 0.0)
    if step.rate != int(step.rate) or not 1 <= step.rate <= MOST_CONNECTIONS:
        raise ValueError(
            f"{text!r} is not a step: write CONNECTIONS@DURATION with 1 to {MOST_CONNECTIONS} "
            "connections, as 4000@10s"
        )
    return step


def schedule(steps: Sequence[RateStep], seconds: float) -> str:
    """Format the steps as one word; the last one extends to the end of the load."""
    *before, last = steps
    left = max(last.seconds, seconds - sum(step.seconds for step in before))
    every = [*before, RateStep(last.rate, left)]
    return ",".join(f"{step.rate:.15g}@{format_duration(step.seconds)}" for step in every)
