"""Split brain: several nodes take writes at the same time, where the design allows one.

The node watch asks every node beside the network, every 10 ms once something is broken and every 50 ms
before. So a node that has ceased to take writes is still seen as it was until it is asked again, and what
seems to overlap by less than `RESOLUTION_MS` may have been one after the other, as in a planned switchover.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from fivenines.analysis.consistency import primary_check
from fivenines.analysis.node_states import WRITABLE, States
from fivenines.analysis.tables import by_trial
from fivenines.results.records import TrialRecord
from fivenines.results.store import StoredTrial

# Twice the longest time between two looks at a node: a shorter overlap is not told from none.
RESOLUTION_MS = 100.0

# Roles of hosts with a server; others have clients, proxies or managers.
_SERVERS = ("primary", "replica", "unexpected-primary", "down")

_WRITES = """
    SELECT trial, id, endpoint, completed_us / 1000.0 AS t FROM rows
    WHERE kind = 'write' AND outcome = 'ok' AND completed_us IS NOT NULL ORDER BY trial, t
"""


@dataclass(frozen=True)
class Overlap:
    """From `start` to `end` (ms) at least two of `nodes` took writes; `open_`: they still did in the end."""

    start: float
    end: float
    nodes: tuple[str, ...]
    open_: bool = False

    @property
    def ms(self) -> float:
        """Return how long it lasted; a lower bound if it is open."""
        return self.end - self.start


@dataclass(frozen=True)
class Write:
    """A write of the ledger that was acknowledged at `t` (ms) through an endpoint."""

    id: int
    t: float
    endpoint: str


@dataclass(frozen=True)
class Side:
    """What one side acknowledged meanwhile, and how many of these rows the primary of record lacks.

    `node` is the endpoint itself where that is not a node, as behind a proxy. `lost` is None where the
    primary of record could not be read.
    """

    node: str
    acknowledged: int
    lost: int | None


@dataclass(frozen=True)
class SplitBrain:
    """An overlap, and the writes of the ledger in it; `counted`: whether there was a ledger at all."""

    overlap: Overlap
    sides: tuple[Side, ...] = ()
    counted: bool = False

    @property
    def acknowledged(self) -> int:
        """Writes that were acknowledged meanwhile, by all sides."""
        return sum(side.acknowledged for side in self.sides)

    @property
    def lost(self) -> int | None:
        """Return how many of these are lost in the end; None: not known."""
        known = [side.lost for side in self.sides if side.lost is not None]
        return sum(known) if len(known) == len(self.sides) and self.counted else None


def writable_spans(states: States, until: float) -> dict[str, list[tuple[float, float]]]:
    """Return the times in which each node was seen to take writes; what had not ended ends at `until`."""
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
    """Return all times longer than `longer_than` (ms) in which several nodes took writes, in their order.

    States that follow each other without a pause belong to one overlap, whichever nodes they are of.
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
        overlap: when.
        writes: acknowledged writes of the whole trial; None: there was no ledger.
        nodes: the name of each node by its address, without the port.
        lost: ids that the primary of record lacks in the end; None: not known.
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
    """Return whether somebody watched who took writes; also where one server, or a design, leaves nothing to
    see.
    """
    deployment = record.deployment
    if states or deployment is None or not deployment.single_writer:
        return True
    return sum(role in _SERVERS for role in deployment.roles.values()) < 2


def split_brains(trials: Sequence[StoredTrial], states: Mapping[str, States]) -> dict[str, list[SplitBrain]]:
    """Return those of each trial whose solution has a single writer, by the name of the trial's folder.

    `states`: of the nodes of each trial, by the same name.
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
    # no more than the first ids are kept: with more than those, the part of a side is not known
    if check is None or check.lost > len(check.lost_ids):
        return None
    return frozenset(check.lost_ids)
