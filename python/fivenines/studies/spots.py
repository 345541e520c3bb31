"""Cells of all parts of a study, and the look-up of cells by the places of tests."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fivenines.base.units import parse_duration, parse_rate, parse_size
from fivenines.results.records import CellKey
from fivenines.studies.claims.figures import AXES, NAMED, Level, Place
from fivenines.studies.measures import BLOCK_MEASURES, taken

# Name of the missing fault in a cell; a place has an empty name instead.
NO_FAULT = "none"

# Sections of an experiment with the settings that a cell names.
_SECTIONS = {"network": "network", "solution": "solutions", "workload": "workloads", "fault": "faults"}


@dataclass(frozen=True)
class Spot:
    """A cell of a part.

    Attributes:
        part: name of the part.
        key: the cell.
        solution: name of the solution in tests: for a variant the name of the sweep.
        settings: settings of the cell's network, solution, workload and fault in the experiment.
        clients: names of the part's clients; empty: a single client.
        in_blocks: whether the cell has no trials, but windows in the blocks of an interleaved comparison.
    """

    part: str
    key: CellKey
    solution: str
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    clients: tuple[str, ...] = ()
    in_blocks: bool = False

    @property
    def is_variant(self) -> bool:
        """Return whether the cell's solution is a variant of a sweep."""
        return self.solution != self.key.solution

    def level(self, axis: str) -> Level | None:
        """Return the cell's level of an axis; None without such an axis."""
        if axis == "part":
            return Level(self.part)
        if axis == "solution":
            return Level(self.solution)
        if axis == "connections":
            return Level(str(self.key.connections), float(self.key.connections))
        if axis == "fault":
            return Level("" if self.key.fault == NO_FAULT else self.key.fault)
        if axis in NAMED:
            result = getattr(self.key, axis, None)
            return None if result is None else Level(str(result))
        return self._free(axis)

    def levels(self, axis: str) -> list[Level]:
        """Return all levels with figures: for most axes the cell's level, for clients each client."""
        if axis == "client":
            return [Level(name) for name in self.clients]
        level = self.level(axis)
        return [] if level is None else [level]

    def _free(self, axis: str) -> Level | None:
        """Return the level of a setting as an axis: of the link (`rtt`), or by its dotted key."""
        link = self.settings.get("network", {}).get("link")
        for settings in (link, *self.settings.values()):
            value: Any = settings
            for step in axis.split("."):
                value = value.get(step) if isinstance(value, Mapping) else None
            if value is not None and not isinstance(value, Mapping | list):
                return level_of(axis, value)
        return None


def level_of(axis: str, value: Any) -> Level:
    """Return a setting's value as a level. Times are numbers in ms, and levels of `rtt` have their names:
    `10`.
    """
    if isinstance(value, bool) or value is None:
        return Level(str(value).lower())
    if isinstance(value, int | float):
        return Level(f"{value:g}", float(value))
    text = str(value)
    for parse, scale in ((parse_duration, 1000.0), (parse_rate, 1.0), (parse_size, 1.0), (float, 1.0)):
        try:
            number = scale * parse(text)
        except ValueError:
            continue
        return Level(f"{number:g}" if axis == "rtt" else text, number)
    return Level(text)


def spots_of(
    part: str, experiment: Mapping[str, Any], keys: Sequence[CellKey], blocks: Collection[CellKey] = ()
) -> list[Spot]:
    """Return the cells of a part.

    Args:
        part: the part.
        experiment: its experiment as plain values.
        keys: the cells of its trials and blocks.
        blocks: those of its blocks.
    """
    sections = {axis: _by_name(experiment.get(name)) for axis, name in _SECTIONS.items()}
    clients = tuple(_by_name(experiment.get("clients")))
    result = []
    for key in dict.fromkeys(keys):
        settings = {axis: some.get(getattr(key, axis), {}) for axis, some in sections.items()}
        variant = settings["solution"].get("variant")
        name = str(variant["of"]) if isinstance(variant, Mapping) else key.solution
        result.append(Spot(part, key, name, settings, clients, key in blocks))
    return result


def _by_name(items: Any) -> dict[str, Mapping[str, Any]]:
    entries = [item for item in items if isinstance(item, Mapping)] if isinstance(items, list) else []
    return {str(entry.get("name") or entry.get("fault")): entry for entry in entries}


def matching(spots: Sequence[Spot], place: Place) -> list[Spot]:
    """Return the cells at a place; an axis without a level matches any."""
    return [spot for spot in spots if all(_is_at(spot, axis, place) for axis in _closed(place))]


def one_cell(spots: Sequence[Spot], place: Place, measure: str) -> list[Spot] | str:
    """Return the cells whose trials or blocks a place combines for a measure, or why the place is ambiguous.

    For figures from before any fault, cells that differ only in the fault are combined. Figures of a fault
    come from a cell with a fault; figures of the whole load from cells with one fault, or without. Blocks
    of an interleaved comparison only measure throughput and response times, and of those they are preferred
    to the few trials with faults.
    """
    when = taken(measure)
    result = matching(spots, place)
    blocks = [item for item in result if item.in_blocks]
    if blocks and measure in BLOCK_MEASURES and place.client is None:
        result = blocks
    elif blocks:
        result = [item for item in result if not item.in_blocks]
        if not result:
            return (
                f"{measure} is not measured {_words(place)}, whose interleaved comparison only measures "
                f"{', '.join(BLOCK_MEASURES)}"
            )
    if when == "fault":
        result = [item for item in result if item.key.fault != NO_FAULT]
    if not result:
        return f"there is no cell {_words(place)}"
    axes = ("part", "solution", "workload", "connections", "network", "fault")
    for axis in axes[:-1] if when == "steady" else axes:
        levels = list(dict.fromkeys(item.level(axis) for item in result))
        if len(levels) > 1:
            names = ", ".join(level.name or "none" for level in levels if level)
            several = axis if axis == "connections" else f"{axis}s"
            return f"several {several} match ({names}): name one"
    return _some_variants(spots, result) or result


def _some_variants(spots: Sequence[Spot], values: Sequence[Spot]) -> str:
    """Return why variants of a sweep are ambiguous: they are neither all variants (the best case) nor a
    single one.
    """
    names = list(dict.fromkeys(item.key.solution for item in values if item.is_variant))
    where = {(item.part, item.solution) for item in values}
    every = {spot.key.solution for spot in spots if (spot.part, spot.solution) in where}
    if 1 < len(names) < len(every):
        return f"several variants match ({', '.join(names)}): name one"
    return ""


def levels(spots: Sequence[Spot], axis: str, place: Place) -> list[Level]:
    """Return the levels of an axis at a place; numbers ascending, others as in the file."""
    result = (level for item in matching(spots, place) for level in item.levels(axis))
    distinct = list(dict.fromkeys(result))
    if all(level.number is not None for level in distinct):
        distinct.sort(key=lambda level: level.number or 0.0)
    return distinct


def _closed(place: Place) -> Iterator[str]:
    yield from (axis for axis in AXES if place.level(axis) is not None)
    yield from place.axes


def _is_at(spot: Spot, axis: str, place: Place) -> bool:
    return any(level.name == place.level(axis) for level in spot.levels(axis))


def _words(place: Place) -> str:
    messages = [f"{axis} {place.level(axis) or 'none'}" for axis in _closed(place)]
    return f"with {', '.join(messages)}" if messages else "at all"
