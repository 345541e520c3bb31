"""What all access layers share: the way by which clients reach a solution's servers."""

from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from fivenines.settings import Settings

if TYPE_CHECKING:
    from fivenines.solutions.settings import SolutionSettings


class AccessSettings(Settings):
    """Settings of any access layer; `kind` is narrowed by each subclass."""

    host: ClassVar[str] = ""
    """The name of the host that it runs on; empty: it has none of its own."""

    kind: str = Field(description="the kind of access layer")

    def problems_with(self, solution: "SolutionSettings") -> list[str]:
        """Why it cannot serve a solution with these settings."""
        return []
