"""What a running server, proxy or manager says of a setting that was asked for."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Kind = Literal["differs", "adjusted", "unobserved"]


@dataclass(frozen=True)
class Finding:
    """A setting that is not in effect as it was asked for, or of which that is not known.

    Attributes:
        place: the node, or the host of a proxy or manager.
        setting: as it was asked for.
        asked: the value that was asked for.
        found: the value in effect; empty where it is not observed.
        kind: differs: an error; adjusted: rounded by a rule that the server documents; unobserved: the
            server does not show it.
        why: what is likely the reason.
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
        return f"{self.place}: {self.setting} = {self.asked} was asked for, and it {verb} {self.found}{why}"


Asked = Mapping[str, object]
