"""The record of a client stack that ran alongside the load of a trial."""

from typing import Any

from pydantic import Field

from fivenines.results.basics import Record


class StackRecord(Record):
    """A client stack of a trial: its program ran alongside the load. Its tables are `stack_...`."""

    name: str = Field(description="name in reports, as psycopg-pool:recommended")
    stack: str = Field("", description="its kind; empty: a program of the user's own")
    versions: str = Field("", description="driver and pool, by the program")
    options: dict[str, Any] = Field(default_factory=dict, description="settings of driver and pool")
    servers: list[str] = Field(default_factory=list, description="address:port that it was given, in order")
    workers: int
    think_ms: int = Field(description="pause of a worker after a committed transaction")
    pause_ms: int = Field(description="pause after another one")
    repeat: bool = Field(False, description="whether operations that failed or are in doubt were repeated")
    idempotent: bool = Field(False, description="whether operations had a unique key")
    ready_seconds: float = Field(description="from the start of its program until its pool was open")
    ended_ms: float | None = Field(
        None, description="when its program ended by itself; null: it ran until the end of the load"
    )
    end_ms: float = Field(description="end of its observation, in ms from the start of the load")
    problems: list[str] = Field(default_factory=list, description="what is wrong with the program's lines")
    unread: str = Field("", description="why its rows could not be read after the trial; empty: they were")
