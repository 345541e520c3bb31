"""Places in tests, and the resulting places of atoms: one for each requested level."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Union

from pydantic import BeforeValidator, Field, model_validator

from fivenines.base.settings import Settings
from fivenines.studies.claims.figures import AXES, Figures, Place


def _listed(value: object) -> object:
    return value if isinstance(value, list) or value is None else [value]


def _name(value: object) -> object:
    """Return a name as text, even if it looks like a number, as levels of a free axis do."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return f"{value:g}" if isinstance(value, float) else str(value)


def _names(value: object) -> object:
    result = _listed(value)
    return [_name(item) for item in result] if isinstance(result, list) else result


def _levels(value: object) -> object:
    return {k: _names(item) for k, item in value.items()} if isinstance(value, dict) else value


def _level(value: object) -> object:
    return {k: _name(item) for k, item in value.items()} if isinstance(value, dict) else value


# A name or a list of names.
Names = Annotated[list[str], BeforeValidator(_names)]

# A number or a list of numbers.
Counts = Annotated[list[Annotated[int, Field(ge=1)]], BeforeValidator(_listed)]

FreeLevel = Annotated[dict[str, str], BeforeValidator(_level)]
FreeLevels = Annotated[dict[str, Names], BeforeValidator(_levels)]


@dataclass(frozen=True)
class Named:
    """A name in a test, for validation.

    Attributes:
        path: keys and indices of the name in the test.
        axis: axis of which it is a level (`solution`, `rtt`); `axis`: it names an axis.
        name: the name.
        part: part of the study, if the test names one.
    """

    path: tuple[str | int, ...]
    axis: str
    name: str
    part: str | None


class Side(Settings):
    """A side of a comparison: the name of a solution, or other levels that distinguish its place."""

    part: str | None = Field(None, description="name of the part; null: that of the test")
    solution: str | None = Field(None, description="name of the solution; null: that of the test")
    workload: str | None = Field(None, description="name of the workload; null: that of the test")
    connections: int | None = Field(None, ge=1, description="connections; null: those of the test")
    network: str | None = Field(None, description="name of the network; null: that of the test")
    fault: str | None = Field(None, description="name of the fault; null: that of the test")
    client: str | None = Field(None, description="name of the client; null: that of the test")
    at: FreeLevel = Field(default_factory=dict, description="levels of other axes: {rtt: 10}")
    over: Union["Side", None] = Field(
        None, description="divisor: the side is a ratio, as in {solution: relaxed, over: strict}"
    )

    @model_validator(mode="before")
    @classmethod
    def _solution(cls, value: Any) -> Any:
        return {"solution": value} if isinstance(value, str) else value

    def levels(self) -> dict[str, str]:
        """Return what it says, by axis."""
        own = {axis: getattr(self, axis) for axis in AXES}
        return {axis: str(item) for axis, item in own.items() if item is not None} | self.at

    def place(self, base: Place) -> Place:
        """Return its place, where the rest is that of the test."""
        for axis, level in self.levels().items():
            base = base.at(axis, level)
        return base

    def words(self) -> str:
        """Return the side in words: "relaxed", "relaxed / strict (r20w80)"."""
        head, rest = self._parts()
        if self.over is not None:
            below, own = self.over._parts()
            # Levels that both sides share appear once.
            words = below if below and own == rest else self.over.words()
            head = f"{head} / {words}" if head else f"ratio to {words}"
        return f"{head} ({rest})" if head and rest else head or rest

    def alone(self) -> str:
        """Return the side in words without its divisor."""
        head, rest = self._parts()
        return f"{head} ({rest})" if head and rest else head or rest

    def _parts(self) -> tuple[str, str]:
        levels = self.levels()
        if self.solution is not None:
            del levels["solution"]
        rest = ", ".join(called(axis, level) for axis, level in levels.items())
        return self.solution or "", rest

    def problems(self) -> list[str]:
        if self.over is not None and self.over.over is not None:
            return ["over: a ratio has one divisor; write `over` once"]
        if not self.levels():
            return ["the side is empty: name a solution, or another difference"]
        return []

    def named(self, path: tuple[str | int, ...], part: str | None) -> Iterator[Named]:
        """Yield all names in it."""
        part = self.part or part
        for axis, level in self.levels().items():
            inner = ("at", axis) if axis in self.at else (axis,)
            yield Named((*path, *inner), axis, level, part)
        if self.over is not None:
            yield from self.over.named((*path, "over"), part)


def _sides(value: object) -> object:
    return _listed(value)


# A side or a list of sides.
Sides = Annotated[list[Side], BeforeValidator(_sides)]


class Placed(Settings):
    """Place of a test. Lists give several levels: the test is made for every combination."""

    part: str | None = Field(None, description="name of the part; null: the only one")
    solution: Names = Field(default_factory=list, description="solutions, by name")
    workload: Names = Field(default_factory=list, description="workloads, by name")
    connections: Counts = Field(default_factory=list, description="numbers of connections")
    network: Names = Field(default_factory=list, description="networks, by name")
    fault: Names = Field(default_factory=list, description="faults, by name")
    client: str | None = Field(None, description="name of a client; null: all clients together")
    at: FreeLevels = Field(default_factory=dict, description="levels of other axes: {rtt: [1, 10]}")
    for_each: Names = Field(
        default_factory=list,
        description="axes (workload, connections, network, rtt, ...) whose levels are tested separately",
    )

    def listed(self) -> dict[str, list[str]]:
        """Return the levels that it says, by axis."""
        own: dict[str, list[str]] = {axis: [] for axis in AXES}
        own |= {"part": _one(self.part), "client": _one(self.client)}
        for axis in ("solution", "workload", "connections", "network", "fault"):
            own[axis] = [str(item) for item in getattr(self, axis)]
        return {axis: levels for axis, levels in own.items() if levels} | self.at

    def named(self) -> Iterator[Named]:
        """Yield all names of the place, for validation."""
        for axis, levels in self.listed().items():
            inner = ("at", axis) if axis in self.at else (axis,)
            for index, level in enumerate(levels):
                path = inner if axis in ("part", "client") else (*inner, index)
                yield Named(path, axis, level, self.part)
        for index, axis in enumerate(self.for_each):
            yield Named(("for_each", index), "axis", axis, self.part)


def _one(value: str | None) -> list[str]:
    return [] if value is None else [value]


@dataclass(frozen=True)
class Spot:
    """A place of a test, and its distinction from the test's other places: "at 32 connections"."""

    place: Place
    about: str = ""
    # Why the place is missing: an axis without levels.
    missing: str = ""


def spots(settings: Placed, figures: Figures, without: Sequence[str] = ()) -> list[Spot]:
    """Return every combination of a test's levels, except of the axes `without`."""
    listed = {axis: item for axis, item in settings.listed().items() if axis not in without}
    place = Place()
    for axis, levels in listed.items():
        place = place.at(axis, levels[0]) if len(levels) == 1 else place
    several = [axis for axis, levels in listed.items() if len(levels) > 1]
    axes = [*several, *(axis for axis in settings.for_each if axis not in listed)]
    result = [Spot(place)]
    for axis in axes:
        result = [inner for item in result for inner in _at_each(item, axis, listed, figures)]
    return result


def _at_each(spot: Spot, axis: str, listed: Mapping[str, Sequence[str]], figures: Figures) -> list[Spot]:
    if spot.missing:
        return [spot]
    levels = listed.get(axis) or [level.name for level in figures.levels(axis, spot.place)]
    if not levels:
        return [Spot(spot.place, spot.about, f"there are no figures for any level of {axis}")]
    return [
        Spot(spot.place.at(axis, level), " ".join(filter(None, (spot.about, _at(axis, level)))))
        for level in levels
    ]


def called(axis: str, level: str) -> str:
    """Return a level in words: "8 connections", "rtt 10", or a name."""
    if axis == "connections":
        return f"{level} connection{'' if level == '1' else 's'}"
    return level if axis in AXES else f"{axis} {level}"


_PREPOSITIONS = {
    "solution": "of",
    "workload": "under",
    "connections": "at",
    "network": "over",
    "part": "in",
    "client": "at client",
}


def _at(axis: str, level: str) -> str:
    if axis == "fault":
        return f"after {level}" if level else "without a fault"
    return f"{_PREPOSITIONS.get(axis, 'at')} {called(axis, level)}"
