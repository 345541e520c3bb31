"""Read the files of a running trial line by line: figures of its load, states of its nodes.

The load generator writes a line every 100 ms (`crates/load`, `record/ticks.rs`), the node watch one for each
change. Viewers read these files and so do not disturb the run.
"""

from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from fivenines.results import layout
from fivenines.results.journal import Tail

# Load (its number in an interleaved comparison), t in ms; and since the previous line: transactions
# and failures per second, mean and longest response time in ms, acknowledged writes of the ledger.
Tick = tuple[int, int, float, float, float | None, float | None, int]

# t in ms, node, state: writable, read_only, refusing or away.
Change = tuple[float, str, str]

_MORE = ".part"


@dataclass
class _Load:
    """The file of a load, and its last line."""

    tail: Tail
    last: tuple[int, ...] = (0, 0, 0, 0, 0)


@dataclass
class LiveFiles:
    """Follow the files of a trial or block."""

    part: Path
    _loads: dict[str, _Load] = field(default_factory=dict)
    _nodes: Tail | None = None

    def ticks(self) -> list[Tick]:
        """Return the figures since the last call, ordered by time."""
        for file in sorted(self.part.glob(f"{layout.LOAD}*/{layout.TICKS}")):
            self._loads.setdefault(file.parent.name, _Load(Tail(file)))
        found: list[Tick] = []
        for number, name in enumerate(sorted(self._loads)):
            load = self._loads[name]
            rows = [row for line in load.tail.read() if (row := _row(line)) is not None]
            counts = [load.last, *(row[0] for row in rows)]
            for (before, after), (_, mean, longest) in zip(pairwise(counts), rows, strict=True):
                if after[0] > before[0]:
                    found.append(_tick(number, before, after, mean, longest))
            load.last = counts[-1]
        return sorted(found, key=lambda tick: tick[1])

    def changes(self) -> list[Change]:
        """Return the changes of nodes' states since the last call."""
        if self._nodes is None:
            self._nodes = Tail(self.part / layout.OBSERVED / f"nodes.csv{_MORE}")
        found = []
        for line in self._nodes.read():
            words = line.split(",")
            if len(words) >= 3 and words[0].lstrip("-").isdigit():
                found.append((int(words[0]) / 1000, words[1], words[2]))
        return found


def _row(line: str) -> tuple[tuple[int, ...], float | None, float | None] | None:
    """Parse counts, and mean and longest response time in ms; None for the heading."""
    words = line.split(",")
    if len(words) != 8 or not words[0].isdigit():
        return None
    t, ok, failed, in_doubt, ledger, _errors = (int(word) for word in words[:6])
    times = [int(word) / 1000 if word else None for word in words[6:]]
    return (t, ok, failed, in_doubt, ledger), times[0], times[1]


def _tick(
    number: int, before: tuple[int, ...], after: tuple[int, ...], mean: float | None, longest: float | None
) -> Tick:
    t, ok, failed, in_doubt, ledger = (now - then for now, then in zip(after, before, strict=True))
    per_second = 1000 / t
    worse = round((failed + in_doubt) * per_second, 1)
    return number, after[0], round(ok * per_second, 1), worse, mean, longest, ledger
