"""Descriptions of anomalies: the reads and writes of transactions, step by step."""

from fivenines.analysis.consistency.isolation.cycles import Cycle
from fivenines.analysis.consistency.isolation.direct import Finding
from fivenines.analysis.consistency.isolation.graph import KINDS, PROCESS, RW, WR, WW, Edge
from fivenines.analysis.consistency.isolation.history import History
from fivenines.results.records import Anomaly

# Maximum number of a cycle's steps that are described.
_MANY = 6


def cycle_anomaly(kind: str, cycle: Cycle, history: History) -> Anomaly:
    """Return a cycle as a record, its steps in words."""
    names = [int(history.txns[edge[0]]) for edge in cycle]
    steps = [_step(edge, history) for edge in cycle[:_MANY]]
    more = f" (and {len(cycle) - _MANY} more steps)" if len(cycle) > _MANY else ""
    return Anomaly(
        kind=kind,
        transactions=names,
        explanation="; ".join(steps) + more + ". So each would have to come before itself.",
        edges=[
            (
                int(history.txns[source]),
                KINDS[dependency] if key < 0 else f"{KINDS[dependency]} {int(history.keys[key])}",
                int(history.txns[target]),
            )
            for source, target, dependency, key, _ in cycle
        ],
    )


def _step(edge: Edge, history: History) -> str:
    source, target, kind, key, value = edge
    a, b = f"T{history.txns[source]}", f"T{history.txns[target]}"
    name = int(history.keys[max(key, 0)])
    if kind == WW:
        return f"{b} appended {value} to key {name} behind what {a} had appended"
    if kind == WR:
        return f"{b} read key {name} with {a}'s {value} at the end"
    if kind == RW:
        return f"{a} read key {name} without {value}, which {b} appended"
    whose = "the same client's " if kind == PROCESS else ""
    return f"{a} was acknowledged before {whose}{b} began"


def direct_anomaly(finding: Finding, history: History) -> Anomaly:
    """Return an anomaly without a cycle as a record."""
    txns = [int(history.txns[txn]) for txn in finding.txns]
    names = [f"T{txn}" for txn in txns] or ["no transaction"]
    first, last = names[0], names[-1]
    text = _WORDS[finding.kind].format(
        a=first, b=last, key=int(history.keys[finding.key]), value=finding.value
    )
    kind = _EDGES.get(finding.kind)
    edges = []
    if kind and len(txns) > 1:
        edges = [(txns[0], f"{kind} {int(history.keys[finding.key])}", txns[-1])]
    return Anomaly(kind=finding.kind, transactions=txns, explanation=text, edges=edges)


_WORDS = {
    "incompatible-order": "{a} read {value} elements of key {key} that are not the beginning of the"
    " longest list read of this key.",
    "duplicate-elements": "Key {key} holds {value} more than once; {a} appended it.",
    "unknown-element": "{a} read {value} in key {key}, which no transaction appended.",
    "G1a": "{b} read key {key} with {value}, which {a} had appended before it was aborted.",
    "dirty-update": "{b} appended {value} to key {key} behind what {a} had appended before it was aborted.",
    "G1b": "{b} read key {key} with {value} at the end, but {a} appended more to this key.",
    "internal": "{a}'s operations on key {key} contradict each other: what it read does not follow"
    " from what it had read and appended before.",
    "lost-update": "{a} and {b} both read the first {value} elements of key {key}, and both appended to it.",
    "lost-append": "{a}'s append of {value} to key {key} was acknowledged, but no read shows it, not"
    " even one that began later and shows the longest list: it is lost, or that read is stale.",
}

_EDGES = {"G1a": "wr", "G1b": "wr", "dirty-update": "ww"}
