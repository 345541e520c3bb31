"""Measure what clients saw of a manual fault, from the growing time line and ledger of the load.

The measure is that of a trial: an outage is the longest time without a successful write, if it is longer
than in normal operation (`analysis.availability.availability`).
"""

from array import array
from collections.abc import Iterable, Set
from pathlib import Path

import numpy as np

from fivenines.analysis.availability.availability import outage
from fivenines.lab.processes.process import whole_lines
from fivenines.results.layout import SLOT_MS
from fivenines.results.records import Windows
from fivenines.trial.manual.state import Clients, Rows

# Longest time before a fault, in ms, that shows normal operation.
_BEFORE_MS = 60_000.0

# Least time before a fault, in ms, for a result.
_LEAST_MS = 1_000.0

# Files of a running load, written once a second.
TIMELINE, LEDGER = "timeline.csv.part", "ledger.csv.part"


class Seen:
    """The growing files of a load.

    Args:
        folder: the folder of the load's files.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._positions = {TIMELINE: 0, LEDGER: 0}
        self._columns: dict[str, list[str]] = {}
        # The slots, in ms since the load's start, in which a write succeeded.
        self.writes = array("q")
        # The acknowledged rows of the ledger.
        self.acknowledged = array("q")
        # The time in us at which a write ended without an answer, and its row.
        self.in_doubt: list[tuple[int, int]] = []

    def read(self) -> None:
        """Read what has been written since the last call."""
        for row in self._rows(TIMELINE):
            slot = int(row["slot_ms"])
            # Load and ledger have one line each.
            if int(row["writes_ok"]) and (not self.writes or self.writes[-1] != slot):
                self.writes.append(slot)
        for row in self._rows(LEDGER):
            if row["kind"] != "write":
                continue
            if row["outcome"] == "ok":
                self.acknowledged.append(int(row["id"]))
            elif row["outcome"] == "in_doubt":
                self.in_doubt.append((int(row["completed_us"]), int(row["id"])))

    def _rows(self, name: str) -> Iterable[dict[str, str]]:
        lines, self._positions[name] = whole_lines(self._folder / name, self._positions[name])
        for line in lines:
            if name not in self._columns:
                self._columns[name] = line.split(",")
                continue
            columns = self._columns[name]
            # The last column of the ledger contains commas.
            yield dict(zip(columns, line.split(",", len(columns) - 1), strict=True))


class Faults:
    """The times (ms since the load's start) of all faults, and the start of normal operation before each.

    The effects of an earlier fault must not count as normal operation before a later one.
    """

    def __init__(self) -> None:
        self._moments: set[float] = set()

    def note(self, moment: float) -> None:
        """Record a fault."""
        self._moments.add(moment)

    def calm_before(self, moment: float, writes: "array[int]") -> float:
        """Return since when writes succeeded without interruption, at most a minute before a moment.

        `writes` must extend beyond the moment.
        """
        begin = max(0.0, moment - _BEFORE_MS)
        earlier = [one for one in self._moments if begin <= one < moment]
        if not earlier:
            return begin
        last = max(earlier)
        found = since(writes, last, moment, self.calm_before(last, writes))
        return max(last, moment - found.calm * 1000)


def since(writes: "array[int]", moment: float, now: float, calm_from: float = 0.0) -> Clients:
    """Return what clients saw since a moment.

    Args:
        writes: the slots (ms since the load's start, ascending) in which a write succeeded.
        moment: the time of the fault, in ms since the load's start.
        now: the end of the known slots, in ms since the load's start.
        calm_from: the start of normal operation; at most a minute counts.
    """
    slots = np.array(writes, dtype=np.int64)
    begin = max(calm_from, moment - _BEFORE_MS)
    if moment - begin < _LEAST_MS:
        early = "had just started" if moment < _LEAST_MS else "had not recovered from the previous fault"
        return Clients(unknown=f"the load {early}")
    if now <= moment:
        return Clients()
    windows = Windows(warmup_end=begin, steady_end=moment, end=now)
    found = outage(slots, windows, moment)
    if found is None:
        return Clients(unknown="no write succeeded before the fault")
    ended = [gap.end for gap in found.gaps if gap.closed]
    return Clients(
        observed=(now - moment) / 1000,
        noticed=found.noticed,
        outage=found.ms / 1000,
        back=found.back,
        times=len(found.gaps),
        returned=max(0.0, ended[-1] - moment) / 1000 if found.back and ended else None,
        calm=(now - max(moment, ended[-1] if ended else moment)) / 1000 if found.back else 0.0,
    )


def rows_lost(acknowledged: Iterable[int], present: Iterable[int]) -> set[int]:
    """Return the acknowledged rows that are missing."""
    return set(acknowledged).difference(present)


def in_doubt_since(seen: Seen, moment: float) -> int:
    """Count the writes since a moment (ms) whose outcome is unknown, as they had no answer."""
    return sum(1 for ended, _ in seen.in_doubt if ended / 1000 >= moment - SLOT_MS)


def judged(known: tuple[int, int], node: str, lost: Set[int], reported: Set[int]) -> Rows:
    """Return the fate of acknowledged rows.

    Args:
        known: numbers of rows acknowledged, and in doubt since the fault.
        node: the node that was read.
        lost: the missing rows.
        reported: rows reported as lost before, by an earlier fault.
    """
    return Rows(*known, lost=len(lost - reported), node=node, before=len(lost & reported))
