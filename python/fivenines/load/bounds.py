"""The timeouts of a load's clients: part of the section `load:` of an experiment.

Defaults of drivers: pgjdbc connects within 10 s and waits for answers forever; Connector/J (MySQL), libpq
and Go's MySQL driver have no timeouts; MariaDB's Connector/J connects within 30 s. Keepalive is on in
libpq and both Connector/J with the kernel's times (two hours), in Go with 15 s. HikariCP, the most used
pool, recommends 30 s for an answer. None sets TCP_USER_TIMEOUT.
"""

from typing import Annotated

from pydantic import Field

from fivenines.base.settings import Settings
from fivenines.base.units import Duration, format_duration, parse_duration

# Default timeouts in seconds for an answer and for connecting.
ANSWER, CONNECT = 30.0, 10.0

OFF = "off"

Bound = Annotated[Duration, Field(gt=0)]
_Times = Annotated[Duration, Field(ge=1, le=32_767, multiple_of=1)]


class Keepalive(Settings):
    """TCP keepalive of the load's connections, which detects that the server is unreachable."""

    idle: _Times = Field(15.0, description="idle time before the first probe, in whole seconds")
    interval: _Times = Field(15.0, description="time between two probes, in whole seconds")
    probes: Annotated[int, Field(ge=1, le=127)] = Field(
        9, description="number of unanswered probes after which the connection is closed"
    )

    def text(self) -> str:
        """Return the value of the load generator's flag."""
        return f"{self.idle:.0f}s,{self.interval:.0f}s,{self.probes}"


def parse_keepalive(text: str) -> Keepalive | None:
    """Parse a text such as `15s,15s,9`; None for `off`.

    Raises:
        ValueError: the text is neither.
    """
    if text == OFF:
        return None
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 3 or not (parts[2].isascii() and parts[2].isdecimal()):
        raise ValueError("write off, or IDLE,INTERVAL,PROBES, as 15s,15s,9")
    idle, interval = (parse_duration(part) for part in parts[:2])
    if any(time != int(time) or not 1 <= time <= 32_767 for time in (idle, interval)):
        raise ValueError("times must be whole seconds from 1s to 32767s, as 15s,15s,9")
    if not 1 <= int(parts[2][:4]) <= 127:
        raise ValueError("probes must be from 1 to 127, as 15s,15s,9")
    return Keepalive(idle=idle, interval=interval, probes=int(parts[2]))


def bound_flags(
    answer: float | None, connect: float, keepalive: Keepalive | None, user_timeout: float | None
) -> list[str]:
    """Return the flags of `fivenines-core load`; timeouts in seconds, None for none."""
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
