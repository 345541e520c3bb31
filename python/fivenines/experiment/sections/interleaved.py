"""The section `interleaved:` of an experiment: rounds and windows of an interleaved comparison."""

from typing import Annotated

from pydantic import Field

from fivenines.base.settings import Settings
from fivenines.base.units import Duration


class InterleavedSettings(Settings):
    """Settings of `design: interleaved`; not used by `design: trials`."""

    blocks: Annotated[int, Field(ge=1, le=1000)] = Field(
        3, description="number of blocks; each deploys all solutions anew"
    )
    rounds: Annotated[int, Field(ge=3, le=10_000)] = Field(
        12, description="rounds per block: in each, every solution has one window, in random order"
    )
    window: Annotated[Duration, Field(ge=0.2, le=60)] = Field(
        1.0, description="how long one solution is loaded before the next"
    )
    skip: Annotated[Duration, Field(ge=0.02)] = Field(
        0.25, description="beginning of each window, excluded from the results"
    )

    def problems(self) -> list[str]:
        """Return problems of the settings as a whole."""
        if self.skip > self.window / 2:
            return ["skip: more than half of each window would be excluded: shorten it"]
        return []
