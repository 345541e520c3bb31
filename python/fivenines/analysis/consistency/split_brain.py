"""Split brain: several nodes accept writes at the same time where the design allows one.

The node watch polls every node outside the network, every 10 ms after a fault and every 50 ms before. A node
that stopped accepting writes is seen as writable until the next poll. So overlaps shorter than
`RESOLUTION_MS` may have been sequential, as in a planned switchover.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from fivenines.analysis.availability.node_states import WRITABLE, States
from fivenines.analysis.consistency.consistency import primary_check
from fivenines.analysis.tables import by_trial
from fivenines.results.records import TrialRecord
from fivenines.results.store import StoredTrial

# Twice the longest time between two polls of a node: a shorter overlap may be none.
RESOLUTION_MS = 100.0

# Roles of hosts with a server; other hosts run clients, proxies or managers.
_SERVERS = ("primary", "replica", "unexpected-primary", "down")

_WRITES = """
    SELECT trial, id, endpoint, completed_us / 1000.0 AS t FROM rows
    WHERE kind = 'write' AND outcome = 'ok' AND completed_us IS NOT NULL ORDER BY trial, t
"""


@dataclass(frozen=True)
class Overlap:
    """A time from `start` to `end` (ms) in which at least two of `nodes` accepted writes; `open_`: until
    the end.
    """

    start: float
    end: float
    nodes: tuple[str, ...]
    open_: bool = False

    @property
    def ms(self) -> float:
        """Return the length of the overlap; a lower bound if it is open."""
        return self.end - self.start


@dataclass(frozen=True)
class Write:
    """A write of the ledger that was acknowledged at `t` (ms) through an endpoint."""

    id: int
    t: float
    endpoint: str


@dataclass(frozen=True)
class Side:
    """Writes that one side acknowledged during an overlap, and how many of them the primary of record lacks.

    `node` is the endpoint where that is not a node, as behind a proxy. `lost` is None where the primary of
    record could not be read.
    """

    node: str
    acknowledged: int
    lost: int | None


@dataclass(frozen=True)
class SplitBrain:
    """An overlap with the ledger's writes during it; `counted`: whether the trial had a ledger."""

    overlap: Overlap
    sides: tuple[Side, ...] = ()
    counted: bool = False

    @property
    def acknowledged(self) -> int:
        """Return the number of writes that all sides acknowledged during the overlap."""
        return sum(side.acknowledged for side in self.sides)

    @property
    def lost(self) -> int | None:
        """Return how many of these were lost; None: unknown."""
        known = [side.lost for side in self.sides if side.lost is not None]
        return sum(known) if len(known) == len(self.sides) and self.counted else None


def writable_spans(states: States, until: float) -> dict[str, list[tuple[float, float]]]:
    """Return the times in which each node was seen to accept writes, up to `until`."""
    result: dict[str, list[tuple[float, float]]] = {}
    for node, changes in states.items():
        ends = [change.t for change in changes[1:]] + [until]
        result[node] = [
            (change.t, end)
            for change, end in zip(changes, ends, strict=False)
            if change.state == WRITABLE and end > change.t
        ]
    return result


def overlaps(states: States, until: float, longer_than: float = RESOLUTION_MS) -> list[Overlap]:
    """Return all times longer than `longer_than` (ms) in which several nodes accepted writes, in order.

    Times that follow each other without a pause form one overlap, whichever nodes are involved.
    """
    spans = [(a, b, node) for node, some in writable_spans(states, until).items() for a, b in some]
    edges = sorted({moment for a, b, _ in spans for moment in (a, b)})
    result: list[Overlap] = []
    for start, end in pairwise(edges):
        nodes = {node for a, b, node in spans if a <= start and end <= b}
        if len(nodes) < 2:
            continue
        before = result.pop() if result and result[-1].end == start else Overlap(start, start, ())
        together = tuple(sorted(nodes.union(before.nodes)))
        result.append(Overlap(before.start, end, together, end >= until))
    return [overlap for overlap in result if overlap.ms > longer_than]


def split_brain(
    overlap: Overlap, writes: Sequence[Write] | None, nodes: Mapping[str, str], lost: frozenset[int] | None
) -> SplitBrain:
    """Return the overlap with its writes.

    Args:
        overlap: the overlap.
        writes: acknowledged writes of the whole trial; None: the trial had no ledger.
        nodes: the name of each node by its address, without the port.
        lost: ids that the primary of record lacks after the trial; None: unknown.
    """
    sides: dict[str, list[int]] = {}
    for write in writes or ():
        if overlap.start <= write.t < overlap.end:
            address = write.endpoint.rpartition(":")[0]
            sides.setdefault(nodes.get(address, write.endpoint), []).append(write.id)
    return SplitBrain(
        overlap,
        tuple(
            Side(node, len(ids), None if lost is None else len(lost.intersection(ids)))
            for node, ids in sorted(sides.items())
        ),
        writes is not None,
    )


def would_be_seen(record: TrialRecord, states: States) -> bool:
    """Return whether a split brain would be detected: each server was polled, or the design rules it out.

    A server that was down has states, too. One without any refused the watch, as by requiring TLS.
    """
    deployment = record.deployment
    if deployment is None or not deployment.single_writer:
        return True
    servers = [name for name, role in deployment.roles.items() if role in _SERVERS]
    return len(servers) < 2 or all(states.get(name) for name in servers)


def split_brains(trials: Sequence[StoredTrial], states: Mapping[str, States]) -> dict[str, list[SplitBrain]]:
    """Return the split brains of each trial whose solution has a single writer, by the trial's folder name.

    `states`: states of the nodes of each trial, by folder name.
    """
    result: dict[str, list[Overlap]] = {}
    for trial in trials:
        record, name = trial.record, trial.folder.name
        if record.deployment and record.deployment.single_writer and record.windows:
            seen = states.get(name, {})
            last = max((item.t for some in seen.values() for item in some), default=0.0)
            result[name] = overlaps(seen, max(record.windows.end, last))
    hit = [trial for trial in trials if result.get(trial.folder.name)]
    writes = _writes(hit)
    return {
        trial.folder.name: [
            split_brain(overlap, writes.get(trial.folder.name), _nodes(trial.record), _lost(trial.record))
            for overlap in result[trial.folder.name]
        ]
        for trial in hit
    }


def _writes(trials: Sequence[StoredTrial]) -> dict[str, list[Write]]:
    return {
        trial: [
            Write(int(id_), float(t), str(endpoint))
            for id_, t, endpoint in zip(rows["id"], rows["t"], rows["endpoint"], strict=True)
        ]
        for trial, rows in by_trial(trials, "ledger", _WRITES).items()
    }


def _nodes(record: TrialRecord) -> dict[str, str]:
    hosts = record.deployment.hosts if record.deployment else {}
    return {host.address: name for name, host in hosts.items() if host.kind == "node"}


def _lost(record: TrialRecord) -> frozenset[int] | None:
    check = primary_check(record.check) if record.check else None
    # Only the first lost ids are stored: with more of them, a side's part is unknown.
    if check is None or check.lost > len(check.lost_ids):
        return None
    return frozenset(check.lost_ids)
