"""Cells by the round trip between their sites, and bytes per transaction between sites."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fivenines.analysis.cells import CellResult
from fivenines.analysis.figure_cache import cached
from fivenines.analysis.resources.links import LINKS, LinkCount
from fivenines.analysis.statistics.means import Summary, summarise
from fivenines.base.units import parse_duration
from fivenines.results.store import Run


@dataclass(frozen=True)
class Place:
    """A cell whose hosts are in several sites, and the round trip between them in ms."""

    rtt_ms: float
    cell: CellResult


@dataclass(frozen=True)
class Wire:
    """Traffic between sites in the trials of a cell, per successful transaction of the load.

    `ways` has the mean of the bytes of each direction; drops are sums over the trials, in frames.
    """

    bytes: Summary
    frames: Summary
    ways: dict[tuple[str, str], float]
    dropped_queue: int
    dropped_loss: int


def round_trips(experiment: Mapping[str, Any]) -> dict[str, float]:
    """Return the round trip in ms of each network with several sites, by its name.

    Of more than two sites it is the longest; where the two directions differ, it is their sum.
    """
    result: dict[str, float] = {}
    networks = experiment.get("network")
    for network in networks if isinstance(networks, list) else []:
        sites = network.get("sites") if isinstance(network, dict) else None
        if sites and len(sites) > 1:
            result[str(network.get("name"))] = _longest(network, list(sites))
    return result


def places(run: Run, cells: Sequence[CellResult]) -> list[Place]:
    """Return the cells over several sites, from the shortest round trip to the longest."""
    known = round_trips(run.manifest.experiment)
    result = [Place(known[cell.key.network], cell) for cell in cells if cell.key.network in known]
    return sorted(result, key=lambda place: place.rtt_ms)


def wires(run: Run, cells: Sequence[CellResult]) -> list[tuple[CellResult, Wire]]:
    """Return the traffic between sites, of the cells in which it was counted."""
    trials = [trial.stored for cell in cells for trial in cell.trials]
    known = zip(trials, cached(LINKS, trials), strict=True)
    rows = {trial.record.id: links for trial, links in known if links}
    result = [(cell, _wire(cell, rows)) for cell in cells]
    return [(cell, wire) for cell, wire in result if wire is not None]


def _wire(cell: CellResult, rows: Mapping[str, Sequence[LinkCount]]) -> Wire | None:
    counted = [
        (rows[trial.record.id], commits)
        for trial in cell.trials
        if trial.record.id in rows and (commits := trial.transactions)
    ]
    if not counted:
        return None

    def each(name: str) -> Summary:
        return summarise([sum(getattr(item, name) for item in some) / n for some, n in counted])

    def total(name: str) -> int:
        return sum(getattr(item, name) for some, _ in counted for item in some)

    ways: dict[tuple[str, str], float] = {}
    for some, n in counted:
        for one in some:
            way = (one.source, one.target)
            ways[way] = ways.get(way, 0.0) + one.bytes / n / len(counted)
    return Wire(each("bytes"), each("frames"), ways, total("dropped_queue"), total("dropped_loss"))


def _longest(network: Mapping[str, Any], sites: list[str]) -> float:
    link = network.get("link") or {}
    own = {(item.get("source"), item.get("target")): item.get("rtt") for item in network.get("links") or []}

    def half(source: str, target: str) -> float:
        rtt = own.get((source, target))
        return _milliseconds(link.get("rtt") if rtt is None else rtt) / 2

    return max(half(a, b) + half(b, a) for a in sites for b in sites if a != b)


def _milliseconds(text: object) -> float:
    try:
        return round(1000 * parse_duration(str(text or "0")), 6)
    except ValueError:
        return 0.0
