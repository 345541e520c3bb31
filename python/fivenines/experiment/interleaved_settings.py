"""The section `interleaved:` of an experiment: how solutions take turns when they are compared side by side."""

from typing import Annotated

from pydantic import Field

from fivenines.settings import Settings
from fivenines.units import Duration


class InterleavedSettings(Settings):
    """How `design: interleaved` compares speed; not used by `design: trials`."""

    blocks: Annotated[int, Field(ge=1, le=1000)] = Field(
        3, description="how often all solutions are deployed side by side, anew each time"
    )
    rounds: Annotated[int, Field(ge=3, le=10_000)] = Field(
        12, description="rounds of a block: in each, every solution has one window, in random order"
    )
    window: Annotated[Duration, Field(ge=0.2, le=60)] = Field(
        1.0, description="how long one solution is loaded before the next has its turn"
    )
    skip: Annotated[Duration, Field(ge=0.02)] = Field(
        0.25, description="the first part of each window, which is left out"
    )

    def problems(self) -> list[str]:
        """What makes no sense in the settings as a whole."""
        if self.skip > self.window / 2:
            return ["skip: more than half of each window would be left out; shorten it"]
        return []
