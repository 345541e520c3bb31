"""A mix of workloads: each transaction belongs to one of them, chosen by weight."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, combinations, count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from fivenines.base import plugins
from fivenines.base.settings import Settings
from fivenines.load.workloads.invariant import Check, Invariant
from fivenines.load.workloads.settings import WorkloadSettings

if TYPE_CHECKING:
    AnyPart = WorkloadSettings
else:
    AnyPart = plugins.settings_union(
        "fivenines.load.workloads", WorkloadSettings, "workload", without=("mix",)
    )


class Part(Settings):
    """One workload of a mix."""

    weight: Annotated[int, Field(ge=1, le=1_000_000)] = Field(
        1, description="frequency relative to the other parts"
    )
    workload: AnyPart = Field(description="a workload, as in `workloads`")


class Mix(WorkloadSettings):
    """Several workloads at once, on the same servers and connections."""

    family = "mix"

    workload: Literal["mix"] = Field(description="several workloads at once")
    parts: Annotated[list[Part], Field(min_length=2)] = Field(
        description="the workloads and their weights, counted in transactions"
    )

    def problems(self) -> list[str]:
        """Return problems of the combination."""
        found: list[str] = []
        for (i, a), (j, b) in combinations(enumerate(self._workloads()), 2):
            found += [f"parts[{i}] and parts[{j}]: {text}" for text in _clash(a, b)]
        return found

    def data_set(self) -> dict[str, str | int]:
        found: dict[str, str | int] = {"family": "mix"}
        for workload in self._workloads():
            own = workload.data_set()
            family = str(own.pop("family"))
            # There can be several scripts, each with its own data.
            names = chain([family], (f"{family} {number}" for number in count(2)))
            found = next(filter(None, (_with_data(found, name, own) for name in names)))
        return found

    def document(self) -> dict[str, Any]:
        parts = [{"weight": part.weight, "workload": part.workload.document()} for part in self.parts]
        return {"workload": self.workload, "parts": parts}

    def notes(self) -> list[str]:
        return [note for workload in self._workloads() for note in workload.notes()]

    @property
    def only_sql_files(self) -> bool:
        return all(workload.only_sql_files for workload in self._workloads())

    def prepares(self) -> list[WorkloadSettings]:
        found: dict[str, WorkloadSettings] = {}
        for workload in self._workloads():
            found |= {f"{each.data_set()}": each for each in workload.prepares()}
        return list(found.values())

    def setup_files(self) -> list[Path]:
        return list(dict.fromkeys(file for workload in self._workloads() for file in workload.setup_files()))

    def invariants(self) -> Sequence[Check]:
        found: list[Check] = []
        for workload in self._workloads():
            named = [_with_types(check, workload.workload) for check in workload.invariants()]
            found += [check for check in named if check not in found]
        return found

    def missing_files(self, base: Path) -> list[str]:
        return [
            f"parts[{index}]: {text}"
            for index, one in enumerate(self._workloads())
            for text in one.missing_files(base)
        ]

    def located(self, base: Path) -> "Mix":
        parts = [part.model_copy(update={"workload": part.workload.located(base)}) for part in self.parts]
        return self.model_copy(update={"parts": parts})

    def _workloads(self) -> Iterator[WorkloadSettings]:
        return (part.workload for part in self.parts)


def _with_types(check: Check, kind: str) -> Check:
    """Return a tally that also counts types named `<workload>.<type>`, the form of ambiguous names."""
    if isinstance(check, Invariant):
        return check
    also = {f"{kind}.{name}": each for name, each in check.adds.items()}
    return replace(check, adds={**check.adds, **also})


def _with_data(
    found: dict[str, str | int], name: str, own: dict[str, str | int]
) -> dict[str, str | int] | None:
    """Return the data sets with one more under this name; None if the name is taken."""
    more = {name: 1, **{f"{name}.{key}": value for key, value in own.items()}}
    alike = all(found.get(key, value) == value for key, value in more.items())
    return found | more if alike else None


def _clash(a: WorkloadSettings, b: WorkloadSettings) -> Iterator[str]:
    """Yield why two workloads cannot be parts of one mix."""
    if a.workload == b.workload != "script":
        yield f"both are {a.workload}: merge them and add their weights"
    if a.family == b.family:
        for name in a.scale:
            if getattr(a, name) != getattr(b, name):
                yield f"workloads of one family share their tables, but {name} differs"
    if a.ends_itself != b.ends_itself:
        yield "a workload that ends by itself cannot be mixed with one that does not"
