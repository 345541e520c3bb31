"""The section `observe:` of an experiment: what is watched beside the load, and how often."""

from typing import Annotated

from pydantic import Field

from fivenines.settings import Settings
from fivenines.units import Duration


class ObserveSettings(Settings):
    """What is watched while the load runs."""

    interval: Annotated[Duration, Field(ge=0.1, le=60)] = Field(
        1.0, description="time between two samples of hosts, counters and replication delay"
    )
