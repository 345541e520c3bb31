"""What several records are made of: the model that all share, and the machine."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class Record(BaseModel):
    """Written once, read often."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Machine(Record):
    """Where something was measured."""

    hostname: str
    kernel: str
    os: str
    cpu: str
    cores: int
    memory_bytes: int
    python: str
    user: Literal["root", "ordinary"]
    limits: str = Field(description="whether host limits apply here, and why not")
    congestion_control: str


class ClockRecord(Record):
    """How the clocks of a host on another machine stood to the controller's, over a trial."""

    machine: str = Field(description="the machine's name in the inventory")
    ahead_ms: float = Field(description="its clock of the day against the controller's, at the end")
    error_ms: float = Field(
        description="by how much a moment of its own, corrected, may be wrong: half of the round trip and "
        "what the clocks drifted apart, the largest of all times that were asked"
    )
    drift_ms: float = Field(description="how far the clocks moved apart over the trial")
    asked: int = Field(description="how many times it was asked, eight questions each")
