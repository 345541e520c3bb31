"""HAProxy in front of the nodes, on a host of its own, with a health check on every node.

The defaults are those that practitioners use with Galera (see docs/explanation/measures.md): a check
every 3000 ms, two failures to take a node out, one success to bring it back.
"""

from typing import Annotated, Literal

from pydantic import Field

from fivenines.access.settings import AccessSettings
from fivenines.units import Duration


class HaproxySettings(AccessSettings):
    """Clients connect to HAProxy, which follows the nodes' health checks."""

    kind: Literal["haproxy"] = Field(description="through HAProxy")
    interval: Annotated[Duration, Field(gt=0)] = Field(3.0, description="time between two checks")
    fall: Annotated[int, Field(ge=1)] = Field(2, description="failed checks until a node is out")
    rise: Annotated[int, Field(ge=1)] = Field(1, description="good checks until a node is back in")
