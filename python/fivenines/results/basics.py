"""Common parts of records: the base model, the machine, and its clocks."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class Record(BaseModel):
    """Base model of all records: immutable, without unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Machine(Record):
    """The machine that ran a measurement."""

    hostname: str
    kernel: str
    os: str
    cpu: str
    cores: int
    memory_bytes: int
    python: str
    user: Literal["root", "ordinary"]
    limits: str = Field(description="whether host limits apply here, and if not, why")
    congestion_control: str


class ClockRecord(Record):
    """Offset and drift of the clocks of a host on another machine, relative to the controller's."""

    machine: str = Field(description="the machine's name in the inventory")
    ahead_ms: float = Field(description="wall clock of the machine minus the controller's, at the end")
    error_ms: float = Field(
        description="largest error of a corrected time stamp of the machine: half of the round trip plus the "
        "drift of the clocks"
    )
    drift_ms: float = Field(description="drift of the clocks over the trial")
    asked: int = Field(description="number of clock readings, of eight round trips each")
