"""Two runs against each other: the same cells, each measure as a ratio, and what else differs between them.

A ratio is that of the means, with Fieller's interval (see `statistics`). Of many ratios some differ by
chance: one in twenty of those whose truth is 1. So a regression is told with the number of those that were
looked at.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fivenines.analysis.cells import CellResult
from fivenines.analysis.measured import EVENTS, VALUES, seen_in, summary_of
from fivenines.analysis.statistics import Difference, compare
from fivenines.analysis.sweeps import compared
from fivenines.analysis.wording import NOTHING
from fivenines.needs.measures import MEASURES, Measure
from fivenines.results.records import CellKey
from fivenines.results.store import Run


@dataclass(frozen=True)
class Change:
    """A measure of a cell in the later run against the earlier one."""

    key: CellKey
    measure: Measure
    difference: Difference

    @property
    def worse(self) -> bool:
        """Whether it is told to have become worse."""
        return self.difference.differs and not self.better

    @property
    def better(self) -> bool:
        """Whether it is told to have become better."""
        up = (self.difference.absolute or 0.0) > 0
        return self.difference.differs and up == self.measure.more

    def worse_than(self, share: float) -> bool:
        """Whether it is told to be worse by more than a share, as 0.1 for a tenth."""
        difference = self.difference
        low, high = difference.ratio_low, difference.ratio_high
        if low is None and high is None and difference.known:
            # next to nothing before: there is no ratio, but a difference
            allowed = share * abs(difference.b.mean or 0.0)
            end = difference.high if self.measure.more else difference.low
            return end is not None and (end < -allowed if self.measure.more else end > allowed)
        if self.measure.more:
            return high is not None and high < 1 - share
        return low is not None and low > 1 + share


@dataclass(frozen=True)
class Happened:
    """In how many trials of both runs something went wrong that should not."""

    key: CellKey
    measure: Measure
    before: tuple[int, int]
    after: tuple[int, int]

    @property
    def new(self) -> bool:
        """Whether it was looked for before, and never seen."""
        return bool(self.after[0] and self.before[1] and not self.before[0])


@dataclass(frozen=True)
class Versus:
    """The later run against the earlier one.

    Attributes:
        changes: every measure that both have, cell by cell.
        happened: events that either run has seen.
        only_before, only_after: cells that the other run has not.
        environment: what else differs, as (what, before, after).
    """

    changes: list[Change]
    happened: list[Happened]
    only_before: list[CellKey]
    only_after: list[CellKey]
    environment: list[tuple[str, str, str]]


def versus(before: Run, after: Run) -> Versus:
    """Compare all complete cells of two runs."""
    old = {cell.key: cell for cell in compared(before).cells if cell.complete}
    new = {cell.key: cell for cell in compared(after).cells if cell.complete}
    both = [key for key in old if key in new]
    return Versus(
        [change for key in both for change in _changes(old[key], new[key])],
        [one for key in both for one in _happened(old[key], new[key])],
        [key for key in old if key not in new],
        [key for key in new if key not in old],
        environment(before, after),
    )


def environment(before: Run, after: Run) -> list[tuple[str, str, str]]:
    """What differs beside the measures: the program, the machine, versions of engines, settings."""
    old, new = _facts(before), _facts(after)
    names = dict.fromkeys([*old, *new])
    return [
        (name, old.get(name, NOTHING), new.get(name, NOTHING))
        for name in names
        if old.get(name) != new.get(name)
    ]


def _changes(old: CellResult, new: CellResult) -> Iterator[Change]:
    for name in VALUES:
        then, now = (summary_of(name, cell.trials) for cell in (old, new))
        if then.n and now.n:
            yield Change(old.key, MEASURES[name], compare(now, then))


def _happened(old: CellResult, new: CellResult) -> Iterator[Happened]:
    for name in EVENTS:
        then, now = (seen_in(name, cell.trials) for cell in (old, new))
        if any(then) or any(now):
            before, after = (sum(then), len(then)), (sum(now), len(now))
            yield Happened(old.key, MEASURES[name], before, after)


def _facts(run: Run) -> dict[str, str]:
    manifest = run.manifest
    machine = {
        name: str(value)
        for name, value in manifest.machine.model_dump().items()
        if name not in ("hostname", "user")
    }
    engines = {f"engine {name}": version for name, version in manifest.engines.items()}
    settings = dict(_flat(manifest.experiment, ""))
    return {"fivenines": manifest.fivenines, **machine, **engines, **settings}


_NO_SETTING = ("name", "description", "seed", "trials", "decide", "thresholds")
"""Keys of an experiment that change nothing of what is measured."""


def _flat(value: Any, path: str) -> Iterator[tuple[str, str]]:
    """Settings by their path; entries of lists by their names where they have any."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if path or key not in _NO_SETTING:
                yield from _flat(inner, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            name = inner.get("name") if isinstance(inner, Mapping) else None
            yield from _flat(inner, f"{path}[{name or index}]")
    else:
        yield path, str(value)
