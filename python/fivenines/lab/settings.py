"""One entry of the section `network:` of an experiment: the network between the hosts."""

from pydantic import Field

from fivenines.settings import Settings
from fivenines.units import Rate


class NetworkSettings(Settings):
    """The network between the hosts."""

    name: str = Field("lan", description="how reports call it")
    bandwidth: Rate | None = Field(
        None, description="what each host may send, as 100Mbit/s; null: as fast as the machine can"
    )
