"""The state of a requested setting in a running server, proxy or manager."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Kind = Literal["differs", "adjusted", "unobserved"]


@dataclass(frozen=True)
class Finding:
    """A requested setting that is not in effect, or whose value is unknown.

    Attributes:
        place: the node, or the host of a proxy or manager.
        setting: its name as requested.
        asked: the requested value.
        found: the value in effect; empty if it is not observed.
        kind: differs: an error; adjusted: rounded by a documented rule; unobserved: the server does not show
            it.
        why: the likely reason.
    """

    place: str
    setting: str
    asked: str
    found: str
    kind: Kind
    why: str = ""

    def __str__(self) -> str:
        why = f" ({self.why})" if self.why else ""
        if self.kind == "unobserved":
            return f"{self.place}: {self.setting} = {self.asked} was not observed{why}"
        verb = "has" if self.kind == "differs" else "rounded it to"
        return f"{self.place}: {self.setting} = {self.asked} was requested, but it {verb} {self.found}{why}"


Asked = Mapping[str, object]


def unobserved(place: str, asked: Asked, why: str, section: str = "") -> list[Finding]:
    """Return a finding for each setting of a place that shows none; `section` goes before the names."""
    return [
        Finding(place, f"{section}{name}", str(value), "", "unobserved", why) for name, value in asked.items()
    ]
