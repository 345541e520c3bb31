"""Fault `kill`: SIGKILL of all server processes of one node, as the kernel's OOM killer would."""

from typing import Literal

from pydantic import Field

from fivenines.faults.settings import FaultSettings
from fivenines.units import Duration


class KillSettings(FaultSettings):
    """All server processes of a node end at once; its host and network stay."""

    fault: Literal["kill"] = Field(description="SIGKILL of all of a node's server processes")
    target: Literal["primary", "replica"] = Field("primary", description="the role that is hit")
    restart_after: Duration | None = Field(
        5.0, description="time from the fault to the restart of the node; null: never restarted"
    )
