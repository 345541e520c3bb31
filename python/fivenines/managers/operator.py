"""A scripted operator, as many sites run one: checks the primary, promotes, repoints, fences."""

from typing import Annotated, Literal

from pydantic import Field

from fivenines.managers.settings import ManagerSettings
from fivenines.units import Duration


class OperatorSettings(ManagerSettings):
    """After `misses` failed checks the most advanced replica is promoted and the old primary fenced."""

    kind: Literal["operator"] = Field("operator", description="a scripted operator")
    interval: Annotated[Duration, Field(gt=0)] = Field(1.0, description="time between two checks")
    timeout: Annotated[Duration, Field(gt=0)] = Field(1.0, description="bound of one check")
    misses: Annotated[int, Field(ge=1)] = Field(3, description="failed checks until it acts")
    fence: bool = Field(True, description="make sure that the old primary is dead before promoting")
