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
