"""Traffic on the links between sites during the load of a trial."""

from collections.abc import Sequence
from dataclasses import dataclass

from fivenines.analysis.figure_cache import Kind, cached
from fivenines.analysis.tables import Columns, by_trial
from fivenines.results.store import StoredTrial

_LAST = """
    SELECT trial, from_site, to_site, max(frames)::BIGINT AS frames, max(bytes)::BIGINT AS bytes,
           max(dropped_queue)::BIGINT AS dropped_queue, max(dropped_loss)::BIGINT AS dropped_loss
    FROM rows GROUP BY ALL ORDER BY ALL
"""


@dataclass(frozen=True)
class LinkCount:
    """Traffic from one site to another in one trial; drops are in frames."""

    source: str
    target: str
    frames: int
    bytes: int
    dropped_queue: int
    dropped_loss: int


def _counts(trials: Sequence[StoredTrial]) -> list[list[LinkCount]]:
    rows = by_trial(trials, "links", _LAST)
    return [_of_trial(rows[trial.folder.name]) if trial.folder.name in rows else [] for trial in trials]


def _of_trial(columns: Columns) -> list[LinkCount]:
    names = ("from_site", "to_site", "frames", "bytes", "dropped_queue", "dropped_loss")
    return [
        LinkCount(str(source), str(target), *map(int, counts))
        for source, target, *counts in zip(*(columns[name] for name in names), strict=True)
    ]


LINKS = Kind("links", list[LinkCount], _counts)


def link_bytes(trial: StoredTrial) -> int | None:
    """Return bytes that arrived over all links, in both directions; None where there was no link."""
    (links,) = cached(LINKS, [trial])
    return sum(link.bytes for link in links) if links else None
