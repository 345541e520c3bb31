"""The section `observe:` of an experiment: what is watched beside the load, and how often."""

from fnmatch import fnmatchcase
from typing import Annotated

from pydantic import Field

from fivenines.settings import Settings
from fivenines.units import Duration


class ObserveSettings(Settings):
    """What is watched while the load runs."""

    interval: Annotated[Duration, Field(ge=0.1, le=60)] = Field(
        1.0, description="time between two samples of hosts, counters and replication delay"
    )
    hosts: bool = Field(True, description="CPU, memory, disk and network bytes of each host")
    counters: bool | list[str] = Field(
        True,
        description="the servers' own counters: all of the built-in list, none, or those whose name "
        "matches a pattern such as `Com_*` or `pg_stat_wal.*`",
    )
    delay: bool = Field(True, description="what servers say about their replication delay")

    def counts(self, name: str) -> bool:
        """Whether the counter of this name is wanted; patterns ignore case."""
        if isinstance(self.counters, bool):
            return self.counters
        return any(fnmatchcase(name.lower(), pattern.lower()) for pattern in self.counters)
