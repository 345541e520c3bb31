"""The base class of the settings of workloads."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field

from fivenines.base.settings import Settings
from fivenines.load.workloads.invariant import Check
from fivenines.load.workloads.program import OURS, Program


class WorkloadSettings(Settings):
    """Settings of any workload; `workload` names its kind and is narrowed by each subclass.

    A subclass declares settings, with their defaults and bounds. fivenines-core receives all of them in one
    document, has no defaults and refuses unknown settings.
    """

    # Name of the data set, which several kinds may share.
    family: ClassVar[str] = ""

    # The settings on which the data depend.
    scale: ClassVar[tuple[str, ...]] = ()

    # Whether the load ends when its work is done, possibly before its time is over.
    ends_itself: ClassVar[bool] = False

    workload: str = Field(description="the kind of workload")
    name: str = Field("", description="name in reports; default: the kind")
    program: Program = Field(
        OURS, description="load generator, derived from `load.program`; not to be set by users"
    )
    made: ClassVar[frozenset[str]] = frozenset({"program"})

    def data_set(self) -> dict[str, str | int]:
        """Return the key of its data set: the workload family and the scale."""
        return {"family": self.family, **{name: getattr(self, name) for name in self.scale}}

    def document(self) -> dict[str, Any]:
        """Return the document for the load generator: the kind and all settings."""
        return self.model_dump(mode="json", exclude={"name", *self.made})

    def prepares(self) -> list["WorkloadSettings"]:
        """Return the workloads whose data it needs, with only the settings on which the data depend."""
        kept = {name: getattr(self, name) for name in self.scale}
        return [type(self)(workload=self.workload, **kept)] if self.scale else []

    def setup_files(self) -> list[Path]:
        """Return SQL files that complete the data set."""
        return []

    def invariants(self) -> Sequence[Check]:
        """Return the invariants of the data after a load, whatever happened to the servers."""
        return []

    def key_range(self) -> tuple[str, str, int, str] | None:
        """Return where the rows are that it chooses from; None: it chooses otherwise.

        Table, integer key, number of rows with the keys from 1 on, and the option that sets this number.
        """
        return None

    def notes(self) -> list[str]:
        """Return what has no effect here, in sentences; its files exist."""
        return []

    @property
    def only_sql_files(self) -> bool:
        """Whether all its statements are in SQL files, which `protocol: simple` sends as texts."""
        return False

    def missing_files(self, base: Path) -> list[str]:
        """Return problems of its files, relative to the folder `base`."""
        return []

    def located(self, base: Path) -> "WorkloadSettings":
        """Return the settings with absolute paths of files."""
        return self
