"""What all workloads share: schema, data set and transactions."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field

from fivenines.settings import Settings
from fivenines.workloads.invariant import Check
from fivenines.workloads.program import OURS, Program


class WorkloadSettings(Settings):
    """Settings of any workload; `workload` names its kind and is narrowed by each subclass.

    A subclass declares settings, with their defaults and bounds. The Rust half is told all of them in one
    document, has no defaults of its own, and refuses what it does not know.
    """

    # What the data set is called; several kinds may share one.
    family: ClassVar[str] = ""

    # The settings that the data depend on.
    scale: ClassVar[tuple[str, ...]] = ()

    # Whether the load ends when its work is done, perhaps before its time is over.
    ends_itself: ClassVar[bool] = False

    workload: str = Field(description="the kind of workload")
    name: str = Field("", description="how reports call it; by default the kind")
    program: Program = Field(
        OURS, description="made of `load.program`: who runs it; not to be written by hand"
    )
    made: ClassVar[frozenset[str]] = frozenset({"program"})

    def data_set(self) -> dict[str, str | int]:
        """What tells its data set from others: the workload family and the scale."""
        return {"family": self.family, **{name: getattr(self, name) for name in self.scale}}

    def document(self) -> dict[str, Any]:
        """What the load generator is told: the kind, and every setting of it."""
        return self.model_dump(mode="json", exclude={"name", *self.made})

    def prepares(self) -> list["WorkloadSettings"]:
        """The workloads whose data are loaded for it, with nothing set but what the data depend on."""
        kept = {name: getattr(self, name) for name in self.scale}
        return [type(self)(workload=self.workload, **kept)] if self.scale else []

    def setup_files(self) -> list[Path]:
        """Files with SQL that complete the data set."""
        return []

    def invariants(self) -> Sequence[Check]:
        """What must be true of the data after a load, whatever happened to the servers."""
        return []

    def missing_files(self, base: Path) -> list[str]:
        """What is wrong with the files that it names, relative to the folder `base`."""
        return []

    def located(self, base: Path) -> "WorkloadSettings":
        """The same, with the files that it names as absolute paths."""
        return self
