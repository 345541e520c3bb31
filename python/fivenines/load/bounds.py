"""How long the clients of a load wait: part of the section `load:` of an experiment.

What drivers have: pgjdbc connects within 10 s and waits for answers for ever; Connector/J (MySQL), libpq
and Go's driver for MySQL have no bounds; MariaDB's Connector/J connects within 30 s. Keepalive is on in
libpq and in both Connector/J with the kernel's times (two hours), in Go with 15 s. HikariCP, the most used
pool, recommends 30 s for an answer. None sets TCP_USER_TIMEOUT.
"""

from typing import Annotated

from pydantic import Field

from fivenines.settings import Settings
from fivenines.units import Duration, format_duration, parse_duration

# Seconds to wait for an answer, and to connect, unless somebody says otherwise.
ANSWER, CONNECT = 30.0, 10.0

OFF = "off"

Bound = Annotated[Duration, Field(gt=0)]
_Times = Annotated[Duration, Field(ge=1, le=32_767, multiple_of=1)]


class Keepalive(Settings):
    """TCP keepalive of the load's connections: how an idle one notices that its server is gone."""

    idle: _Times = Field(15.0, description="silence before the first question, in whole seconds")
    interval: _Times = Field(15.0, description="time between two questions, in whole seconds")
    probes: Annotated[int, Field(ge=1, le=127)] = Field(
        9, description="questions without an answer after which the connection is closed"
    )

    def text(self) -> str:
        """As the load generator reads it."""
        return f"{self.idle:.0f}s,{self.interval:.0f}s,{self.probes}"


def parse_keepalive(text: str) -> Keepalive | None:
    """Keepalive from text such as `15s,15s,9`; None from `off`.

    Raises:
        ValueError: it is neither.
    """
    if text == OFF:
        return None
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 3 or not (parts[2].isascii() and parts[2].isdecimal()):
        raise ValueError("write off, or IDLE,INTERVAL,PROBES, as in 15s,15s,9")
    idle, interval = (parse_duration(part) for part in parts[:2])
    if any(time != int(time) or not 1 <= time <= 32_767 for time in (idle, interval)):
        raise ValueError("times are whole seconds, from 1s to 32767s, as in 15s,15s,9")
    if not 1 <= int(parts[2][:4]) <= 127:
        raise ValueError("probes are from 1 to 127, as in 15s,15s,9")
    return Keepalive(idle=idle, interval=interval, probes=int(parts[2]))


def bound_flags(
    answer: float | None, connect: float, keepalive: Keepalive | None, user_timeout: float | None
) -> list[str]:
    """The flags of `fivenines-core load`; bounds in seconds, None for none."""
    return [
        "--answer-timeout",
        _limit(answer),
        "--connect-timeout",
        format_duration(connect),
        "--keepalive",
        keepalive.text() if keepalive else OFF,
        "--tcp-user-timeout",
        _limit(user_timeout),
    ]


def _limit(seconds: float | None) -> str:
    return "none" if seconds is None else format_duration(seconds)
