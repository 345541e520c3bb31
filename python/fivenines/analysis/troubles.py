"""Troubles of trials, which a reader must know before any figure, worst first.

Troubles of a cell that differ only in numbers and names of nodes count as one, with the number of trials.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fivenines.analysis.cells import CellResult
from fivenines.analysis.consistency.consistency import primary_check
from fivenines.analysis.trials import TrialMeasures
from fivenines.analysis.wording import count, listed, milliseconds
from fivenines.results.records import CellKey, Divergence, Event, FaultRecord, TrialRecord
from fivenines.results.store import Run

# Kinds of troubles, worst first.
KINDS = (
    "split brain",
    "lost rows",
    "nodes differ",
    "invariant violated",
    "writes not back",
    "no primary",
    "did not rejoin",
    "failed",
    "fault did not work",
    "not caught up",
    "not checked",
    "broken trial",
)

_VARIES = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True)
class Trouble:
    """A trouble of a trial, in words; `where`: a node, or empty."""

    kind: str
    text: str
    where: str = ""

    @property
    def alike(self) -> tuple[str, str]:
        """Return what troubles must share to count as one."""
        return self.kind, _VARIES.sub("#", self.text)


@dataclass(frozen=True)
class TroubleResult:
    """A trouble of a cell: the number of its trials, and the first of them as an example."""

    key: CellKey
    kind: str
    text: str
    trials: tuple[str, ...]
    of: int
    where: tuple[str, ...]


def troubles(trial: TrialMeasures) -> list[Trouble]:
    """Return all that went wrong in a complete trial."""
    record = trial.record
    return [
        *(
            Trouble("split brain", split_text(split_brain.overlap.nodes, split_brain.overlap.ms))
            for split_brain in trial.split_brains
        ),
        *_data(record),
        *_service(trial),
        *(trouble for fault in record.faults for trouble in _fault(fault)),
        *_failures(record.events),
        *_after(record),
    ]


def trouble_results(run: Run, cells: Sequence[CellResult]) -> list[TroubleResult]:
    """Return the troubles of all cells, the worst kind first, within it in the order of the cells."""
    result = [item for cell in cells for item in _of_cell(run, cell)]
    return sorted(result, key=lambda item: KINDS.index(item.kind))


def split_text(nodes: Sequence[str], ms: float) -> str:
    """Return a split brain in words: "node1 and node2 took writes at the same time for 1.57 s"."""
    return f"{listed(list(nodes))} took writes at the same time for {milliseconds(ms)}"


def _of_cell(run: Run, cell: CellResult) -> list[TroubleResult]:
    messages: list[tuple[str, Trouble]] = [
        (trial.record.id, trouble) for trial in cell.trials for trouble in troubles(trial)
    ]
    messages += [
        (stored.record.id, Trouble("broken trial", stored.record.reason or "no reason was recorded"))
        for stored in run.broken
        if stored.record.cell == cell.key
    ]
    groups: dict[tuple[str, str], list[tuple[str, Trouble]]] = {}
    for trial, trouble in messages:
        groups.setdefault(trouble.alike, []).append((trial, trouble))
    return [
        TroubleResult(
            cell.key,
            kind,
            some[0][1].text,
            tuple(dict.fromkeys(trial for trial, _ in some)),
            max(cell.complete, cell.planned),
            tuple(dict.fromkeys(t.where for _, t in some if t.where)),
        )
        for (kind, _), some in groups.items()
    ]


def _data(record: TrialRecord) -> Iterator[Trouble]:
    node = primary_check(record.check) if record.check else None
    if node is not None and node.lost:
        text = f"{count(node.lost, 'acknowledged row is', 'acknowledged rows are')} lost"
        yield Trouble("lost rows", text)
    if record.divergence is not None and record.divergence.differences:
        yield Trouble("nodes differ", _differing(record.divergence))
    for check in record.invariants:
        if check.status == "violated":
            yield Trouble("invariant violated", f"{check.name}: {check.detail}".removesuffix(": "))


def _differing(divergence: Divergence) -> str:
    tables = [difference.table for difference in divergence.differences]
    more = f" and {len(tables) - 5} more" if len(tables) > 5 else ""
    return f"after settling, not the same on all nodes: {', '.join(tables[:5])}{more}"


def _service(trial: TrialMeasures) -> Iterator[Trouble]:
    writes = trial.availability.writes if trial.availability else None
    if writes is not None and not writes.back:
        yield Trouble("writes not back", "writes were still unavailable when the load ended")


def _fault(fault: FaultRecord) -> Iterator[Trouble]:
    if fault.rejoined is False:
        why = fault.rejoin_detail or "no reason was recorded"
        yield Trouble("did not rejoin", why, fault.node)
    if not fault.verified and fault.kind != "none":
        yield Trouble("fault did not work", f"{fault.kind}: {fault.detail}", fault.node)
    if fault.ended_verified is False:
        text = f"{fault.kind} did not end as it should: {fault.ended_detail}"
        yield Trouble("fault did not work", text, fault.node)


def _failures(events: Sequence[Event]) -> Iterator[Trouble]:
    """Yield the failures of a failover manager, an access layer or the automatic remediation."""
    for event in events:
        if event.kind == "failed":
            yield Trouble("failed", event.detail or "no reason was recorded", event.node)


def _after(record: TrialRecord) -> Iterator[Trouble]:
    if record.check is not None and not record.check.primary:
        yield Trouble("no primary", "no node takes writes after the trial")
    if record.settled:
        yield Trouble("not caught up", record.settled)
    reported = " ".join(fault.rejoin_detail for fault in record.faults if fault.rejoined is False)
    for node in record.check.nodes if record.check else []:
        # A node that did not rejoin was reported above.
        if not node.reachable and not (node.detail and node.detail in reported):
            yield Trouble("not checked", node.detail or "its rows could not be read", node.node)
