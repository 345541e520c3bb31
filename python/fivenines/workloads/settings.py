"""What all workloads share: schema, data set and transactions."""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from fivenines.settings import Settings
from fivenines.workloads.flags import Flags, flags_of, words
from fivenines.workloads.invariant import Check


class WorkloadSettings(Settings):
    """Settings of any workload; `workload` names its kind and is narrowed by each subclass.

    A subclass declares settings; from them follow the flags `--<family>-<setting>` of the Rust half.
    """

    family: ClassVar[str] = ""
    """What the data set is called; several kinds may share one."""

    prefix: ClassVar[str] = ""
    """What its flags begin with."""

    scale: ClassVar[tuple[str, ...]] = ()
    """The settings that the data depend on."""

    ends_itself: ClassVar[bool] = False
    """Whether the load ends when its work is done, perhaps before its time is over."""

    workload: str = Field(description="the kind of workload")
    name: str = Field("", description="how reports call it; by default the kind")

    def data_set(self) -> dict[str, str | int]:
        """What tells its data set from others: the workload family and the scale."""
        return {"family": self.family, **{name: getattr(self, name) for name in self.scale}}

    def load_words(self) -> list[str]:
        """What names it to `fivenines-core load`."""
        return ["--workload", self.workload]

    def load_settings(self) -> Flags:
        """Its settings as flags."""
        shared = WorkloadSettings.model_fields
        own = [name for name in type(self).model_fields if name not in shared]
        return flags_of(self, own, self.prefix)

    def load_flags(self) -> list[str]:
        """Its flags for `fivenines-core load`; they come last on the command line."""
        flags = [*words(self.load_settings()), *self.repeated_words()]
        return [*self.load_words(), *flags, *self.trailing_words()]

    def repeated_words(self) -> list[str]:
        """Flags that may be given more than once."""
        return []

    def trailing_words(self) -> list[str]:
        """What stands after all flags, with `--` before it."""
        return []

    def prepare_flags(self) -> list[list[str]]:
        """Flags for `fivenines-core prepare`, once for each data set to be loaded."""
        scale = words(flags_of(self, self.scale, self.prefix))
        return [["--workload", self.family, *scale]]

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
