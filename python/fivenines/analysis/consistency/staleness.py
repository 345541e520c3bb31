"""Staleness of reads and nodes, from the ledger's reads and from views of the nodes' content.

Each client of the ledger writes rows with rising ids, one write at a time. A read, or a view of a node,
returns the greatest id of each client. Definitions:

    missed      a write that was acknowledged before the read began, and has a greater id than the read
                returned for its client
    stale       a read that missed at least one write that survived the trial
    age         of a stale read: its beginning minus the acknowledgement of the oldest write it missed
    lag         of a node's view: its age, 0 if it missed no write. That is the actual replication lag, as
                seen by the client of the write

**Lost writes.** An acknowledged write that is absent after the trial would make every later read stale, and
older with every second. Such writes are left out of all of the above; reads that missed no other write are
counted separately (`missed_lost`). The table `executed` contains the surviving writes; without it, the
check's lost ids on the primary of record count (at most the first thousand).

    own missed  read-your-writes: a client's read missed a write of the same client
    backwards   monotonic reads: in a session (one client at one endpoint) a read returns less of a client
    than
                an earlier read of the session that had ended before it began. Lost rows explain
                `backwards_lost` of them: of the surviving rows they return no less

Resolution: a write counts from its acknowledgement on, so a write that is in effect but not yet acknowledged
makes no read stale. Ages are therefore lower bounds, by at most a write's response time plus the time between
two writes. Rows missing in the middle are not detected, as only the greatest id is returned; the check after
the trial finds them. All times are of one clock. In-doubt writes are not judged.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from fivenines.analysis.consistency.ledger_tables import (
    NOTHING,
    Flags,
    Floats,
    Ints,
    Shown,
    Writes,
    lost_by_check,
    read,
)
from fivenines.base.errors import FiveninesError
from fivenines.results.reading import computed_once
from fivenines.results.records import TrialRecord
from fivenines.results.store import StoredTrial, table_path


@dataclass(frozen=True)
class Ages:
    """Ages of the stale reads in ms, with their number among `reads`; None without a stale read."""

    reads: int
    stale: int
    missed_lost: int
    p50: float | None = None
    p95: float | None = None
    p99: float | None = None
    max: float | None = None

    @property
    def share(self) -> float:
        """Return the share of stale reads."""
        return self.stale / self.reads if self.reads else 0.0


@dataclass(frozen=True)
class EndpointAges:
    """The ledger's successful reads through one endpoint, in figures."""

    endpoint: str
    ages: Ages
    own_missed: int
    backwards: int
    backwards_lost: int


@dataclass(frozen=True)
class EndpointReads(EndpointAges):
    """The ledger's reads through one endpoint, each with its beginning `at_ms` and its `age_ms` (0: not
    stale).
    """

    at_ms: Floats = field(repr=False)
    age_ms: Floats = field(repr=False)


@dataclass(frozen=True)
class NodeAges:
    """The views of one node in figures."""

    node: str
    ages: Ages


@dataclass(frozen=True)
class NodeViews(NodeAges):
    """Actual lag of a node over time: `t_ms` since the start of the load, `delay_ms`."""

    t_ms: Floats = field(repr=False)
    delay_ms: Floats = field(repr=False)


@dataclass(frozen=True)
class StaleFigures:
    """Staleness of a trial as figures, by endpoint and by node, ordered by name."""

    endpoints: Sequence[EndpointAges]
    nodes: Sequence[NodeAges]


@dataclass(frozen=True)
class Staleness(StaleFigures):
    """Staleness of a trial with each read and each view."""

    endpoints: Sequence[EndpointReads]
    nodes: Sequence[NodeViews]


def measure(trial: Path, record: TrialRecord) -> Staleness | None:
    """Return the staleness of a trial's reads and nodes; None without a ledger with reads.

    Raises:
        FiveninesError: a table is damaged.
    """
    return measure_each([StoredTrial(trial, record)])[0]


def measure_each(trials: Sequence[StoredTrial]) -> list[Staleness | None]:
    """Return the staleness of several trials, whose tables are read together.

    Raises:
        FiveninesError: a table of one of them is damaged.
    """
    key = ("staleness", *((item.folder, lost_by_check(item)) for item in trials))
    return computed_once(key, lambda: _measured(trials))


def _measured(trials: Sequence[StoredTrial]) -> list[Staleness | None]:
    with_ledger = [item for item in trials if table_path(item.folder, "ledger").is_file()]
    result = {
        trial.folder: Staleness(
            [_endpoint(name, shown, ledger.writes) for name, shown in ledger.reads.items()],
            [_node(name, shown, ledger.writes) for name, shown in ledger.views.items()],
        )
        for trial, ledger in zip(with_ledger, read(with_ledger), strict=True)
    }
    return [result.get(item.folder) for item in trials]


def measure_readable(trials: Sequence[StoredTrial]) -> list[Staleness | None]:
    """Return the staleness of each trial; None for a trial with a damaged table."""
    try:
        return measure_each(trials)
    except FiveninesError:
        return (
            [result for trial in trials for result in measure_readable([trial])]
            if len(trials) > 1
            else [None]
        )


def ages_of(shown: Shown, writes: Sequence[Writes]) -> tuple[Floats, Flags]:
    """Return for each read its age in ms (0: not stale), and whether it missed lost writes only."""
    oldest = np.full(len(shown.at), np.iinfo(np.int64).max, dtype=np.int64)
    lost = np.zeros(len(shown.at), dtype=np.bool_)
    for client, wrote in enumerate(writes):
        seen = _column(shown, client)
        oldest = np.minimum(oldest, _first_missed(seen, wrote.ids, wrote.acknowledged))
        lost |= _first_missed(seen, wrote.lost_ids, wrote.lost_acknowledged) < shown.at
    age = np.where(oldest < shown.at, shown.at - oldest, 0) / 1000
    return age, lost & (age == 0)


def own_missed(shown: Shown, writes: Sequence[Writes]) -> Flags:
    """Return which reads missed a write of the reading client."""
    missed = np.zeros(len(shown.at), dtype=np.bool_)
    for client, wrote in enumerate(writes):
        mine = shown.client == client
        first = _first_missed(_column(shown, client)[mine], wrote.ids, wrote.acknowledged)
        missed[mine] = first < shown.at[mine]
    return missed


def backwards(shown: Shown, writes: Sequence[Writes]) -> tuple[Flags, Flags]:
    """Return which reads return less than a read of their session that had ended before they began.

    The second array applies that to surviving rows: their ids are replaced by the position among the client's
    surviving rows. A client may have two connections to an endpoint, so reads may overlap.
    """
    back, surviving = (np.zeros(len(shown.at), dtype=np.bool_) for _ in range(2))
    for session in np.unique(shown.client):
        rows = np.flatnonzero(shown.client == session)
        ended = rows[np.argsort(shown.end[rows], kind="stable")]
        before = np.searchsorted(shown.end[ended], shown.at[rows], side="right")
        for client in range(shown.seen.shape[1]):
            seen = shown.seen[:, client]
            ids = writes[client].ids if client < len(writes) else np.zeros(0, dtype=np.int64)
            place = np.searchsorted(ids, seen, side="right")
            back[rows] |= _falls(seen[rows], seen[ended], before)
            surviving[rows] |= _falls(place[rows], place[ended], before)
    return back, surviving


def _falls(values: Ints, ended: Ints, before: Ints) -> Flags:
    """Return where a value is below the greatest of the first `before` of those that ended."""
    greatest = np.concatenate([[np.iinfo(np.int64).min], np.maximum.accumulate(ended)])
    falls: Flags = values < greatest[before]
    return falls


def _column(shown: Shown, client: int) -> Ints:
    if client < shown.seen.shape[1]:
        column: Ints = shown.seen[:, client]
        return column
    return np.full(len(shown.at), NOTHING, dtype=np.int64)


def _first_missed(seen: Ints, ids: Ints, acknowledged: Ints) -> Ints:
    """Return when the oldest write behind `seen` was acknowledged, in µs; far in the future if there is
    none.
    """
    never = np.iinfo(np.int64).max
    return np.append(acknowledged, never)[np.searchsorted(ids, seen, side="right")]


def summarised(age: Floats, missed_lost: Flags) -> Ages:
    """Return the distribution of the stale reads' ages; percentiles by linear interpolation."""
    stale = age[age > 0]
    counts = (len(age), len(stale), int(missed_lost.sum()))
    if not len(stale):
        return Ages(*counts)
    p50, p95, p99 = (float(value) for value in np.percentile(stale, (50, 95, 99)))
    return Ages(*counts, p50, p95, p99, float(stale.max()))


def _endpoint(name: str, shown: Shown, writes: Sequence[Writes]) -> EndpointReads:
    back, surviving = backwards(shown, writes)
    age, lost = ages_of(shown, writes)
    return EndpointReads(
        name,
        summarised(age, lost),
        int(own_missed(shown, writes).sum()),
        int(back.sum()),
        int((back & ~surviving).sum()),
        shown.at / 1000,
        age,
    )


def _node(name: str, shown: Shown, writes: Sequence[Writes]) -> NodeViews:
    shown = shown.chosen(np.argsort(shown.at, kind="stable"))
    age, lost = ages_of(shown, writes)
    return NodeViews(name, summarised(age, lost), shown.at / 1000, age)
