"""Several workloads at once: each transaction is of one of them, chosen by weight."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from fivenines import plugins
from fivenines.settings import Settings
from fivenines.workloads.flags import Flags
from fivenines.workloads.invariant import Check, Invariant
from fivenines.workloads.settings import WorkloadSettings

if TYPE_CHECKING:
    AnyPart = WorkloadSettings
else:
    AnyPart = plugins.settings_union(
        "fivenines.workloads", WorkloadSettings, "workload", without=("mix",)
    )


class Part(Settings):
    """One workload of a mix."""

    weight: Annotated[int, Field(ge=1, le=1_000_000)] = Field(
        1, description="how often, compared with the other parts"
    )
    workload: AnyPart = Field(description="a workload, as elsewhere")


class Mix(WorkloadSettings):
    """Several workloads at once, on the same servers and connections."""

    family = "mix"

    workload: Literal["mix"] = Field(description="several workloads at once")
    parts: Annotated[list[Part], Field(min_length=2)] = Field(
        description="the workloads and their weights, counted in transactions"
    )

    def problems(self) -> list[str]:
        """What makes no sense together."""
        found: list[str] = []
        for (i, a), (j, b) in combinations(enumerate(self._workloads()), 2):
            found += [f"parts[{i}] and parts[{j}]: {text}" for text in _clash(a, b)]
        return found

    def data_set(self) -> dict[str, str | int]:
        found: dict[str, str | int] = {"family": "mix"}
        for one in self._workloads():
            own = one.data_set()
            family = own.pop("family")
            found |= {f"{family}": 1, **{f"{family}.{name}": value for name, value in own.items()}}
        return found

    def load_words(self) -> list[str]:
        return [
            word
            for part in self.parts
            for word in _weighted(part.workload.load_words(), part.weight)
        ]

    def load_settings(self) -> Flags:
        flags: Flags = {}
        for one in self._workloads():
            flags |= one.load_settings()
        return flags

    def repeated_words(self) -> list[str]:
        return [word for one in self._workloads() for word in one.repeated_words()]

    def trailing_words(self) -> list[str]:
        return [word for one in self._workloads() for word in one.trailing_words()]

    def prepare_flags(self) -> list[list[str]]:
        found: list[list[str]] = []
        for one in self._workloads():
            found += [flags for flags in one.prepare_flags() if flags not in found]
        return found

    def setup_files(self) -> list[Path]:
        return list(dict.fromkeys(file for one in self._workloads() for file in one.setup_files()))

    def invariants(self) -> Sequence[Check]:
        found: list[Check] = []
        for one in self._workloads():
            named = [_told_apart(check, one.workload) for check in one.invariants()]
            found += [check for check in named if check not in found]
        return found

    def missing_files(self, base: Path) -> list[str]:
        return [
            f"parts[{index}]: {text}"
            for index, one in enumerate(self._workloads())
            for text in one.missing_files(base)
        ]

    def located(self, base: Path) -> "Mix":
        parts = [
            part.model_copy(update={"workload": part.workload.located(base)}) for part in self.parts
        ]
        return self.model_copy(update={"parts": parts})

    def _workloads(self) -> Iterator[WorkloadSettings]:
        return (part.workload for part in self.parts)


def _told_apart(check: Check, kind: str) -> Check:
    """A tally that also knows its types as `<workload>.<type>`, as types of equal names are called."""
    if isinstance(check, Invariant):
        return check
    also = {f"{kind}.{name}": each for name, each in check.adds.items()}
    return replace(check, adds={**check.adds, **also})


def _weighted(words: list[str], weight: int) -> list[str]:
    """`--workload NAME` with the weight after the name."""
    return [*words[:-1], f"{words[-1]}@{weight}"]


def _clash(a: WorkloadSettings, b: WorkloadSettings) -> Iterator[str]:
    """Settings that both parts need as one flag of the load, with different values."""
    if a.load_words() == b.load_words():
        yield f"both are {a.workload}: join them, with one weight"
    ours, theirs = a.load_settings(), b.load_settings()
    for flag in ours.keys() & theirs.keys():
        if ours[flag] != theirs[flag]:
            name = flag.removeprefix("--").removeprefix(a.prefix).replace("-", "_")
            yield f"workloads of one family share their settings, but {name} differs"
    if a.ends_itself != b.ends_itself:
        yield "a workload that ends by itself cannot be mixed with one that does not"
    if a.trailing_words() and b.trailing_words():
        yield "only one part can have options of a Lua script"
