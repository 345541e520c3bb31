"""The section `observe:` of an experiment: what is watched beside the load, and how often."""

from fnmatch import fnmatchcase
from typing import Annotated

from pydantic import BeforeValidator, Field

from fivenines.settings import Settings
from fivenines.units import Duration


def _patterns(value: object) -> object:
    """True and false stand for all and none, a text for a list of one."""
    if isinstance(value, bool):
        return ["*"] if value else []
    return [value] if isinstance(value, str) else value


class ObserveSettings(Settings):
    """What is watched while the load runs."""

    interval: Annotated[Duration, Field(ge=0.1, le=60)] = Field(
        1.0, description="time between two samples of hosts, counters and replication delay"
    )
    idle: Annotated[Duration, Field(le=60)] = Field(
        1.0,
        description="how long all hosts are looked at before the load begins, for what they use when idle; "
        "0: not at all",
    )
    hosts: bool = Field(True, description="CPU, memory, disk and network bytes of each host")
    counters: Annotated[list[str], BeforeValidator(_patterns)] = Field(
        ["*"],
        description="the servers' own counters: those of the built-in list whose name matches one of "
        "these patterns, such as `Com_*` or `pg_stat_wal.*`; true: all, false: none",
    )
    lag: bool = Field(True, description="sample the replication lag that servers report")

    def counts(self, name: str) -> bool:
        """Whether the counter of this name is wanted; patterns ignore case."""
        return any(fnmatchcase(name.lower(), pattern.lower()) for pattern in self.counters)
