"""What clients saw of a break by hand: the load's time line and ledger, while both are still written.

The same measure as in a trial: an outage is the longest time without a successful write, if that is longer
than without any cause (`analysis.availability`).
"""

from array import array
from collections.abc import Iterable, Set
from pathlib import Path

import numpy as np

from fivenines.analysis.availability import outage
from fivenines.lab.process import whole_lines
from fivenines.playground.state import Clients, Rows
from fivenines.results.layout import SLOT_MS
from fivenines.results.records import Windows

# As much before a break tells what is ordinary.
_BEFORE_MS = 60_000.0

# With less before a break nothing can be told of it.
_LEAST_MS = 1_000.0

# Files of a load that still runs; it writes what it has once a second.
TIMELINE, LEDGER = "timeline.csv.part", "ledger.csv.part"


class Seen:
    """The files of a load, read as they grow.

    Args:
        folder: of the load's files.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._positions = {TIMELINE: 0, LEDGER: 0}
        self._columns: dict[str, list[str]] = {}
        self.writes = array("q")
        """The slots, in ms since the load's start, in which a write succeeded."""
        self.acknowledged = array("q")
        """The ledger's rows that were acknowledged."""
        self.in_doubt: list[tuple[int, int]] = []
        """When a write of the ledger ended without an answer, in us, and its row."""

    def read(self) -> None:
        """Read what has been written since the last time."""
        for row in self._rows(TIMELINE):
            slot = int(row["slot_ms"])
            # load and ledger have a line each
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
            # the last column of the ledger has commas inside
            yield dict(zip(columns, line.split(",", len(columns) - 1), strict=True))


class Breaks:
    """The moments (ms since the load's start) of all breaks, and from when on it was calm before each.

    What an earlier break did must not pass for the ordinary course before a later one.
    """

    def __init__(self) -> None:
        self._moments: set[float] = set()

    def note(self, moment: float) -> None:
        """Something was broken at this moment."""
        self._moments.add(moment)

    def calm_before(self, moment: float, writes: "array[int]") -> float:
        """From when on writes had gone on undisturbed, a minute before a moment at most.

        `writes` are known beyond the moment.
        """
        begin = max(0.0, moment - _BEFORE_MS)
        earlier = [one for one in self._moments if begin <= one < moment]
        if not earlier:
            return begin
        last = max(earlier)
        found = since(writes, last, moment, self.calm_before(last, writes))
        return max(last, moment - found.calm * 1000)


def since(writes: "array[int]", moment: float, now: float, calm_from: float = 0.0) -> Clients:
    """What clients saw since a moment.

    Args:
        writes: the slots (ms since the load's start, ascending) in which a write succeeded.
        moment: of the break, in ms since the load's start.
        now: until when the slots are known, the same.
        calm_from: since when nothing was broken before; a minute counts at most.
    """
    slots = np.array(writes, dtype=np.int64)
    begin = max(calm_from, moment - _BEFORE_MS)
    if moment - begin < _LEAST_MS:
        early = "had only just begun" if moment < _LEAST_MS else "was not calm again after what was before"
        return Clients(unknown=f"the load {early}")
    if now <= moment:
        return Clients()
    windows = Windows(warmup_end=begin, steady_end=moment, end=now)
    found = outage(slots, windows, moment)
    if found is None:
        return Clients(unknown="no write succeeded before it")
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
    """The rows that were acknowledged and are not there."""
    return set(acknowledged).difference(present)


def in_doubt_since(seen: Seen, moment: float) -> int:
    """Writes of the ledger since a moment (ms) that may have happened or not: nobody was told."""
    return sum(1 for ended, _ in seen.in_doubt if ended / 1000 >= moment - SLOT_MS)


def judged(known: tuple[int, int], node: str, lost: Set[int], told: Set[int]) -> Rows:
    """What became of rows.

    Args:
        known: acknowledged so far, and in doubt since the break.
        node: where they were looked for.
        lost: those that are not there.
        told: those that were not there when somebody asked before: another break lost them.
    """
    return Rows(*known, lost=len(lost - told), node=node, before=len(lost & told))
