"""Settings of an experiment's section `observe`: what is recorded in addition to the load, and how often."""

from fnmatch import fnmatchcase
from typing import Annotated

from pydantic import BeforeValidator, Field

from fivenines.base.settings import Settings
from fivenines.base.units import Duration


def _patterns(value: object) -> object:
    """Convert true and false to all and none, and a text to a list with this text."""
    if isinstance(value, bool):
        return ["*"] if value else []
    return [value] if isinstance(value, str) else value


class ObserveSettings(Settings):
    """What is recorded while the load runs."""

    interval: Annotated[Duration, Field(ge=0.1, le=60)] = Field(
        1.0, description="time between two samples of hosts, counters and replication lag"
    )
    idle: Annotated[Duration, Field(le=60)] = Field(
        1.0,
        description="time before the load in which the idle usage of all hosts is measured; 0: not measured",
    )
    hosts: bool = Field(True, description="sample CPU, memory, disk and network bytes of each host")
    counters: Annotated[list[str], BeforeValidator(_patterns)] = Field(
        ["*"],
        description="server counters of the built-in list to sample, as patterns of their names, such as "
        "`Com_*` or `pg_stat_wal.*`; true: all, false: none",
    )
    lag: bool = Field(True, description="sample the replication lag that servers report")

    def counts(self, name: str) -> bool:
        """Return whether a counter is sampled; patterns ignore case."""
        return any(fnmatchcase(name.lower(), pattern.lower()) for pattern in self.counters)
