"""Anomalies that need no cycle: each shows in one read, or in the order of one key.

Names after Kingsbury and Alvaro 2020 (section 4 and appendix) and Adya 1999:

    incompatible-order  two reads of a key, none of which is the beginning of the other
    duplicate-elements  an element stands in a list more than once
    unknown-element     an element that no transaction appended
    G1a                 aborted read: a committed transaction read what an aborted one appended
    dirty-update        a committed append follows an aborted one in the key's order
    G1b                 intermediate read: a read ends between two appends of another transaction
    internal            a transaction contradicts its own earlier operations, or reads its own future
    lost-update         two committed transactions read the same version of a key and both appended to it
    lost-append         an acknowledged append that no read of its key shows, although the longest list
                        was also read by a transaction that began after the acknowledgement: it is lost,
                        or that read is stale
"""

from dataclasses import dataclass

import numpy as np

from fivenines.analysis.consistency.isolation.history import ABSENT, FAILED, OK, Flags, History, Ints


@dataclass(frozen=True)
class Finding:
    """One anomaly: transactions and key as indexes; `value` is the element or the number of elements."""

    kind: str
    txns: tuple[int, ...]
    key: int
    value: int


@dataclass(frozen=True)
class Direct:
    """Number of anomalies of each kind, with first examples."""

    counts: dict[str, int]
    findings: list[Finding]


class Collector:
    """Counts anomalies and stores the first `limit` of each kind."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.counts: dict[str, int] = {}
        self.findings: list[Finding] = []

    def add(self, kind: str, txns: tuple[Ints, ...], key: Ints, value: Ints) -> None:
        """Add an anomaly for each entry of the arrays; -1 among `txns` stands for no transaction."""
        if not len(key):
            return
        self.counts[kind] = self.counts.get(kind, 0) + len(key)
        for row in range(min(self.limit, len(key))):
            named = dict.fromkeys(int(txn[row]) for txn in txns if txn[row] != ABSENT)
            self.findings.append(Finding(kind, tuple(named), int(key[row]), int(value[row])))


def find(history: History, limit: int, *, one_clock: bool = True) -> Direct:
    """Return all direct anomalies of a history, with `limit` examples of each kind.

    Without one clock for all clients, appends that a later read misses are not known.
    """
    collector = Collector(limit)
    _lists(history, collector)
    _dirty_reads(history, collector)
    _dirty_updates(history, collector)
    _intermediate(history, collector)
    _internal(history, collector)
    _lost_updates(history, collector)
    if one_clock:
        _lost_appends(history, collector)
    return Direct(collector.counts, collector.findings)


def _lists(history: History, collector: Collector) -> None:
    reads, orders = history.reads, history.orders
    bad = ~reads.fits
    collector.add("incompatible-order", (reads.txn[bad],), reads.key[bad], reads.n[bad])
    twice = orders.again
    writers = (orders.writer[twice],)
    collector.add("duplicate-elements", writers, orders.key[twice], orders.value[twice])
    unknown = orders.writer == ABSENT
    shown_by = _a_reader(history, orders.key[unknown])
    collector.add("unknown-element", (shown_by,), orders.key[unknown], orders.value[unknown])


def _a_reader(history: History, keys: Ints) -> Ints:
    """For each key a transaction that read it in full; -1 if there is none."""
    reads = history.reads
    length = np.diff(history.orders.start)
    full = reads.fits & (reads.n == length[reads.key])
    reader = np.full(len(history.keys), ABSENT, dtype=np.int64)
    reader[reads.key[full]] = reads.txn[full]
    ints: Ints = reader[keys]
    return ints


def _dirty_reads(history: History, collector: Collector) -> None:
    """G1a: reads that reach as far as the first aborted element of their key."""
    reads, orders = history.reads, history.orders
    aborted = _aborted(history)
    first = np.full(len(history.keys), np.iinfo(np.int64).max, dtype=np.int64)
    where = np.flatnonzero(aborted)
    np.minimum.at(first, orders.key[where], where)
    dirty = reads.fits & (orders.start[reads.key] + reads.n > first[reads.key])
    element = first[reads.key[dirty]]
    collector.add("G1a", (orders.writer[element], reads.txn[dirty]), reads.key[dirty], orders.value[element])


def _dirty_updates(history: History, collector: Collector) -> None:
    """The first committed element behind each run of aborted ones."""
    orders, aborted = history.orders, _aborted(history)
    committed = _committed(history)
    after = np.flatnonzero(committed[1:] & aborted[:-1] & (orders.key[1:] == orders.key[:-1])) + 1
    collector.add(
        "dirty-update",
        (orders.writer[after - 1], orders.writer[after]),
        orders.key[after],
        orders.value[after],
    )


def _aborted(history: History) -> Flags:
    writer = history.orders.writer
    aborted: Flags = (writer != ABSENT) & (history.outcome[writer] == FAILED)
    return aborted


def _committed(history: History) -> Flags:
    writer = history.orders.writer
    committed: Flags = (writer != ABSENT) & history.alive[writer]
    return committed


def _intermediate(history: History, collector: Collector) -> None:
    """G1b: the last element of a read is not the last that its writer appended to the key."""
    reads, orders = history.reads, history.orders
    some = np.flatnonzero(reads.fits & (reads.n > 0))
    end = orders.start[reads.key[some]] + reads.n[some] - 1
    writer = orders.writer[end]
    bad = ~orders.last[end] & (writer != reads.txn[some]) & ~orders.again[end]
    some, end = some[bad], end[bad]
    collector.add("G1b", (orders.writer[end], reads.txn[some]), reads.key[some], orders.value[end])


def _internal(history: History, collector: Collector) -> None:
    """Operations of one transaction on one key against each other.

    Since the transaction's previous read of the key (m elements) it appended j elements itself. Then
    its next read must have n = m + j elements, of which the last j are its own, in their order; without
    a previous read the last j must be its own. And no read may show an element that the transaction
    appends only later.
    """
    appends, reads = history.appends, history.reads
    txn = np.concatenate([appends.txn, reads.txn])
    key = np.concatenate([appends.key, reads.key])
    group = txn * max(1, len(history.keys)) + key
    busy = _repeated(group)
    # two operations on one key are rare: leave out all others before sorting
    position = np.concatenate([appends.position, reads.position])[busy]
    size = np.concatenate([appends.place, reads.n])[busy]
    is_read = (np.arange(len(group)) >= len(appends.txn))[busy]
    fits = np.concatenate([np.ones(len(appends.txn), dtype=np.bool_), reads.fits])[busy]
    group = group[busy]
    order = np.lexsort((position, group))
    bad = _contradictions(group[order], size[order], is_read[order], fits[order])
    rows = busy[order[bad]]
    _, first = np.unique(group[order[bad]], return_index=True)
    rows = rows[first]
    values = np.concatenate([appends.value, reads.n])
    collector.add("internal", (txn[rows],), key[rows], values[rows])


def _repeated(group: Ints) -> Ints:
    """Return the indexes of the entries whose group has more than one."""
    order = np.argsort(group, kind="stable")
    ordered = group[order]
    same = ordered[1:] == ordered[:-1]
    many = np.zeros(len(group), dtype=np.bool_)
    many[order[1:][same]] = True
    many[order[:-1][same]] = True
    return np.flatnonzero(many)


def _contradictions(group: Ints, size: Ints, is_read: Flags, fits: Flags) -> Flags:
    """Return which entries contradict others; sorted by group and position, see `_internal`.

    `size` is the number of elements of a read and the place of an append.
    """
    n = len(group)
    index = np.arange(n)
    begins = np.ones(n, dtype=np.bool_)
    begins[1:] = group[1:] != group[:-1]
    start = np.maximum.accumulate(np.where(begins, index, 0))
    # the previous read of the same group, before this entry; -1 if there is none
    latest = np.maximum.accumulate(np.where(is_read, index, -1)) if n else index
    before = np.concatenate([[-1], latest[:-1]]) if n else index
    before = np.where(before >= start, before, -1)
    own = index - np.where(before >= 0, before + 1, start)
    bad = np.zeros(n, dtype=np.bool_)
    again = is_read & (before >= 0)
    again[again] = fits[again] & fits[before[again]]
    bad[again] = size[again] != size[before[again]] + own[again]
    # each append against the next read, and against the previous one
    following = np.minimum.accumulate(np.where(is_read, index, n)[::-1])[::-1] if n else index
    ends = np.append(np.flatnonzero(begins)[1:], n)
    limit = ends[np.cumsum(begins) - 1] if n else index
    followed = ~is_read & (following < limit)
    to = following[followed]
    place = size[to] - own[to] + own[followed]
    wrong = fits[to] & ((size[followed] != place) | (place < 0))
    bad[to[wrong]] = True
    preceded = ~is_read & (before >= 0) & (size >= 0)
    since = before[preceded]
    bad[since[fits[since] & (size[since] > size[preceded])]] = True
    return bad


def _lost_updates(history: History, collector: Collector) -> None:
    """Committed transactions that read the same version of a key before they appended to it."""
    txn, key, version = _updates(history)
    group = key * (np.max(version, initial=0) + 1) + version
    order = np.argsort(group, kind="stable")
    same = np.flatnonzero(group[order[1:]] == group[order[:-1]])
    first, second = order[same], order[same + 1]
    collector.add("lost-update", (txn[first], txn[second]), key[first], version[first])


def _updates(history: History) -> tuple[Ints, Ints, Ints]:
    """Transaction, key and version (number of elements) of each read that was followed by an append.

    Only a transaction's first operation on a key counts: it alone sees what others wrote.
    """
    appends, reads = history.appends, history.reads
    keys = max(1, len(history.keys))
    committed = history.alive[appends.txn]
    wrote = (appends.txn * keys + appends.key)[committed]
    writes = np.sort(wrote)
    group = reads.txn * keys + reads.key
    candidates = np.flatnonzero(reads.fits & _among(group, writes))
    order = candidates[np.lexsort((reads.position[candidates], group[candidates]))]
    first = np.ones(len(order), dtype=np.bool_)
    first[1:] = group[order[1:]] != group[order[:-1]]
    order = order[first]
    earliest = np.full(len(writes), np.iinfo(np.int64).max, dtype=np.int64)
    np.minimum.at(earliest, np.searchsorted(writes, wrote), appends.position[committed])
    before = reads.position[order] < earliest[np.searchsorted(writes, group[order])]
    order = order[before]
    return reads.txn[order], reads.key[order], reads.n[order]


def _among(values: Ints, ordered: Ints) -> Flags:
    """Return which values are in a sorted array; np.isin would build a table of hashes first."""
    if not len(ordered):
        return np.zeros(len(values), dtype=np.bool_)
    at = np.minimum(np.searchsorted(ordered, values), len(ordered) - 1)
    flags: Flags = ordered[at] == values
    return flags


def _lost_appends(history: History, collector: Collector) -> None:
    appends, reads = history.appends, history.reads
    length = np.diff(history.orders.start)
    full = reads.fits & (reads.n == length[reads.key])
    began = np.full(len(history.keys), np.iinfo(np.int64).min, dtype=np.int64)
    np.maximum.at(began, reads.key[full], history.started[reads.txn[full]])
    missing = (appends.place == ABSENT) & (history.outcome[appends.txn] == OK)
    lost = missing & (history.completed[appends.txn] < began[appends.key])
    collector.add("lost-append", (appends.txn[lost],), appends.key[lost], appends.value[lost])
