"""The order of transactions in time, as the clients saw it: what strict serialisability adds to cycles.

    process   a later transaction of the client for which another one had been acknowledged
    realtime  a transaction that began after another one had been acknowledged

A transaction in doubt may take effect after its client has given it up, so it precedes nothing. A cycle with
such an edge has the suffix -process or -realtime, as Elle names it, but a client remains the same after a
transaction in doubt here: it expects to see what was acknowledged before. A chain of moments stands for real
time: each acknowledgement is a node that leads to the next one, and the last one before a transaction's begin
leads to the transaction. So there are three edges for each transaction, and not one for each pair.

Sources: Kingsbury and Alvaro 2020, section 5.2; Herlihy and Wing 1990; Daudjee and Salem, Lazy Database
Replication with Snapshot Isolation, 2006 (strong session snapshot isolation).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fivenines.analysis.consistency.isolation.graph import PROCESS, REAL_TIME, Edge, Edges
from fivenines.analysis.consistency.isolation.history import OK, Flags, History, Ints


@dataclass(frozen=True)
class Ordered:
    """Edges of time between `size` nodes: the transactions, and then further ones.

    `precedes` says of pairs of transactions whether the first one certainly came before the second one.
    """

    edges: Edges
    size: int
    precedes: Callable[[Ints, Ints], Flags]


def by_process(history: History) -> Ordered:
    """Return the order of each client's transactions: from each to the next one, over those in doubt."""
    order = np.lexsort((history.txns, history.client))
    order = order[history.alive[order]]
    place = np.arange(len(order))
    # The last acknowledged one before each, of any client.
    last = np.maximum.accumulate(np.where(history.outcome[order] == OK, place, -1))[:-1]
    before, after = order[last[last >= 0]], order[1:][last >= 0]

    def precedes(first: Ints, second: Ints) -> Flags:
        flags: Flags = (history.client[first] == history.client[second]) & (history.outcome[first] == OK)
        flags &= history.txns[first] < history.txns[second]
        # Numbers of clients would repeat if a trial had two kinds of clients with lists.
        flags &= history.completed[first] <= history.started[second]
        return flags

    follows = precedes(before, after)
    return Ordered(_edges(before[follows], after[follows], PROCESS), len(history.txns), precedes)


def by_real_time(history: History) -> Ordered:
    """Return the order of all transactions; the further nodes are acknowledgements."""
    size = len(history.txns)
    done = np.flatnonzero(history.outcome == OK)
    done = done[np.argsort(history.completed[done], kind="stable")]
    moments = size + np.arange(len(done))
    begun = np.flatnonzero(history.alive)
    last = np.searchsorted(history.completed[done], history.started[begun]) - 1
    some = last >= 0
    source = np.concatenate([done, moments[:-1], moments[last[some]] if len(done) else moments])
    target = np.concatenate([moments, moments[1:], begun[some]])

    def precedes(first: Ints, second: Ints) -> Flags:
        flags: Flags = (history.outcome[first] == OK) & (history.completed[first] < history.started[second])
        return flags

    return Ordered(_edges(source, target, REAL_TIME), size + len(done), precedes)


def with_whole_steps(cycle: list[Edge]) -> list[Edge]:
    """Return a cycle whose steps lead from transaction to transaction, those in time as far as possible."""
    first = next(at for at, step in enumerate(cycle) if step[2] < PROCESS)
    result: list[Edge] = []
    for step in cycle[first:] + cycle[:first]:
        if step[2] >= PROCESS and result[-1][2] == step[2]:
            result[-1] = (result[-1][0], step[1], *step[2:])
        else:
            result.append(step)
    return result


def _edges(source: Ints, target: Ints, kind: int) -> Edges:
    nothing = np.full(len(source), -1, dtype=np.int64)
    return Edges(source, target, np.full(len(source), kind, dtype=np.int8), nothing, nothing)
