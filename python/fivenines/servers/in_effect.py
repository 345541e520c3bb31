"""The state of a requested setting in a running server, proxy or manager."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

# Longest value in a message, and what is shown of it before the first difference, in characters.
_LONGEST = 160
_BEFORE = 20

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
        pairs = enumerate(zip(self.asked, self.found, strict=False))
        shorter = min(len(self.asked), len(self.found))
        same = next((index for index, (one, other) in pairs if one != other), shorter)
        asked, found = _shortened(self.asked, same), _shortened(self.found, same)
        if self.kind == "unobserved":
            return f"{self.place}: {self.setting} = {asked} was not observed{why}"
        verb = "has" if self.kind == "differs" else "rounded it to"
        return f"{self.place}: {self.setting} = {asked} was requested, but it {verb} {found}{why}"


def _shortened(text: str, same: int) -> str:
    """Return a text, or the part of a long one that begins shortly before its first different character."""
    if len(text) <= _LONGEST:
        return text
    start = min(max(same - _BEFORE, 0), len(text) - _LONGEST)
    end = start + _LONGEST
    part = f"{'…' if start else ''}{text[start:end]}{'…' if end < len(text) else ''}"
    return f"{part} ({len(text)} characters)"


Asked = Mapping[str, object]


def unobserved(place: str, asked: Asked, why: str, section: str = "") -> list[Finding]:
    """Return a finding for each setting of a place that shows none; `section` goes before the names."""
    return [
        Finding(place, f"{section}{name}", str(value), "", "unobserved", why) for name, value in asked.items()
    ]
