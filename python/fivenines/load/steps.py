"""Steps of a load: so many transactions a second, or so many connections, for so long."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from fivenines.units import format_duration, parse_duration

MOST_CONNECTIONS = 100_000

_STEP = re.compile(r"\s*(?P<rate>\d+(?:\.\d+)?)\s*@\s*(?P<length>.+?)\s*", re.ASCII)


@dataclass(frozen=True)
class RateStep:
    """So many transactions a second, or so many connections, for so many seconds."""

    rate: float
    seconds: float


def parse_step(text: str) -> RateStep:
    """A step from text such as `1000@10s`.

    Raises:
        ValueError: it is not a step.
    """
    match = _STEP.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a step: write RATE@DURATION, as in 1000@10s")
    rate, seconds = float(match["rate"]), parse_duration(match["length"])
    if not (0 < rate <= 10_000_000 and seconds > 0):
        raise ValueError(f"{text!r} is not a step: rate and duration are above 0")
    return RateStep(rate, seconds)


def parse_connection_step(text: str) -> RateStep:
    """A step of connections from text such as `4000@10s`.

    Raises:
        ValueError: it is not one.
    """
    try:
        step = parse_step(text)
    except ValueError:
        step = RateStep(0.0, 0.0)
    if step.rate != int(step.rate) or not 1 <= step.rate <= MOST_CONNECTIONS:
        raise ValueError(
            f"{text!r} is not a step: write CONNECTIONS@DURATION with 1 to {MOST_CONNECTIONS} "
            "connections, as in 4000@10s"
        )
    return step


def schedule(steps: Sequence[RateStep], seconds: float) -> str:
    """The steps as one word, the last one lengthened until the end of a load of so many seconds."""
    *before, last = steps
    left = max(last.seconds, seconds - sum(step.seconds for step in before))
    every = [*before, RateStep(last.rate, left)]
    return ",".join(f"{step.rate:.15g}@{format_duration(step.seconds)}" for step in every)
