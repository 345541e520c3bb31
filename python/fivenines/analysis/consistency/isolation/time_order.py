"""The order of transactions in time, as the clients saw it: what strict serialisability adds to cycles.

    process   a client's next transaction, directly after one that was acknowledged
    realtime  a transaction that began after another one had been acknowledged

A transaction in doubt may take effect after its client has given it up, so it precedes nothing. A cycle with
such an edge has the suffix -process or -realtime, as Elle names it. A chain of moments stands for real time:
each acknowledgement is a node that leads to the next one, and the last one before a transaction's begin leads
to the transaction. So there are three edges for each transaction, and not one for each pair.

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
    """Return the order of each client's transactions; one that was not acknowledged interrupts it."""
    order = np.lexsort((history.txns, history.client))
    before, after = order[:-1], order[1:]
    follows = (history.client[before] == history.client[after]) & (history.outcome[before] == OK)
    # Numbers of clients repeat where a trial has two kinds of clients with lists.
    follows &= history.alive[after] & (history.completed[before] <= history.started[after])
    chain, place = np.zeros(len(order), dtype=np.int64), np.zeros(len(order), dtype=np.int64)
    chain[after] = np.cumsum(~follows)
    place[order] = np.arange(len(order))

    def precedes(first: Ints, second: Ints) -> Flags:
        flags: Flags = (chain[first] == chain[second]) & (place[first] < place[second])
        return flags

    return Ordered(_edges(before[follows], after[follows], PROCESS), len(order), precedes)


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


def without_moments(cycle: list[Edge], size: int) -> list[Edge]:
    """Return a cycle whose steps lead from transaction to transaction."""
    first = next(at for at, step in enumerate(cycle) if step[0] < size)
    result: list[Edge] = []
    for step in cycle[first:] + cycle[:first]:
        if step[0] < size:
            result.append(step)
        else:
            result[-1] = (result[-1][0], step[1], *step[2:])
    return result


def _edges(source: Ints, target: Ints, kind: int) -> Edges:
    nothing = np.full(len(source), -1, dtype=np.int64)
    return Edges(source, target, np.full(len(source), kind, dtype=np.int8), nothing, nothing)
