"""TEST ONLY: databases that run list-append transactions correctly, and write down the history."""

import random
from dataclasses import dataclass, field

from histories import Operation, Txn


@dataclass
class Serial:
    """One transaction after the other, so that there can be no anomaly."""

    seed: int
    keys: int = 4
    aborts: float = 0.1
    doubts: float = 0.1
    txns: list[Txn] = field(default_factory=list)

    def run(self, n: int) -> list[Txn]:
        """Return a history of n transactions."""
        rng = random.Random(self.seed)
        lists: dict[int, list[int]] = {key: [] for key in range(self.keys)}
        value = 1000
        for number in range(1, n + 1):
            operations: list[Operation] = []
            changed = {key: list(items) for key, items in lists.items()}
            for _ in range(rng.randint(1, 5)):
                key = rng.randrange(self.keys)
                if rng.random() < 0.5:
                    value += 1
                    changed[key].append(value)
                    operations.append(("append", key, value))
                else:
                    operations.append(("read", key, list(changed[key])))
            fate = rng.random()
            outcome = "ok"
            if fate < self.aborts:
                outcome = "failed"
            elif fate < self.aborts + self.doubts:
                outcome = "in_doubt"
            if outcome == "ok" or (outcome == "in_doubt" and rng.random() < 0.5):
                lists = changed
            self.txns.append(Txn(number, operations, outcome, 10 * number, 10 * number + 5))
        return self.txns


@dataclass
class _Open:
    number: int
    plan: list[tuple[str, int]]
    started: int
    done: list[Operation] = field(default_factory=list)
    undo: list[int] = field(default_factory=list)


class TwoPhase:
    """Strict two-phase locking: interleaved, serializable; deadlocks end in an abort."""

    def __init__(self, seed: int, keys: int = 4, clients: int = 5) -> None:
        self.rng = random.Random(seed)
        self.lists: dict[int, list[int]] = {key: [] for key in range(keys)}
        self.shared: dict[int, set[int]] = {key: set() for key in range(keys)}
        self.owner: dict[int, int] = {}
        self.clients = clients
        self.now = 0
        self.value = 0
        self.txns: list[Txn] = []

    def run(self, n: int) -> list[Txn]:
        """Return a history of n transactions."""
        running: list[_Open] = []
        begun = 0
        while begun < n or running:
            self.now += 1
            while begun < n and len(running) < self.clients:
                begun += 1
                plan = [
                    (self.rng.choice(("append", "read")), self.rng.randrange(len(self.lists)))
                    for _ in range(self.rng.randint(1, 4))
                ]
                running.append(_Open(begun, plan, self.now))
            able = [item for item in running if len(item.done) == len(item.plan) or self._may(item)]
            chosen = self.rng.choice(able or running)
            if not able or (chosen.done and self.rng.random() < 0.05):
                self._end(chosen, "failed")
                running.remove(chosen)
            elif len(chosen.done) == len(chosen.plan):
                self._end(chosen, "ok" if self.rng.random() < 0.9 else "in_doubt")
                running.remove(chosen)
            else:
                self._step(chosen)
        return self.txns

    def _may(self, item: _Open) -> bool:
        kind, key = item.plan[len(item.done)]
        if self.owner.get(key, item.number) != item.number:
            return False
        return kind == "read" or self.shared[key] <= {item.number}

    def _step(self, item: _Open) -> None:
        kind, key = item.plan[len(item.done)]
        if kind == "read":
            self.shared[key].add(item.number)
            item.done.append(("read", key, list(self.lists[key])))
            return
        self.owner[key] = item.number
        self.value += 1
        self.lists[key].append(self.value)
        item.undo.append(key)
        item.done.append(("append", key, self.value))

    def _end(self, item: _Open, outcome: str) -> None:
        if outcome == "failed":
            for key in item.undo:
                self.lists[key].pop()
        for holders in self.shared.values():
            holders.discard(item.number)
        self.owner = {key: owner for key, owner in self.owner.items() if owner != item.number}
        if item.done:
            self.txns.append(Txn(item.number, item.done, outcome, item.started, self.now))


class Snapshot:
    """Snapshot isolation: reads of the state at the begin; of two writers of a key, the first one commits."""

    def __init__(self, seed: int, keys: int = 4, clients: int = 5) -> None:
        self.rng = random.Random(seed)
        self.lists: dict[int, list[int]] = {key: [] for key in range(keys)}
        self.clients = clients
        self.value = 0

    def run(self, n: int) -> list[Txn]:
        """Return a history of n transactions."""
        txns: list[Txn] = []
        running: list[tuple[_Open, dict[int, list[int]], dict[int, int]]] = []
        for now in range(1, 4 * n):
            if len(running) < self.clients and len(txns) + len(running) < n:
                plan = [
                    (self.rng.choice(("append", "read")), self.rng.randrange(len(self.lists)))
                    for _ in range(self.rng.randint(1, 5))
                ]
                seen = {key: list(items) for key, items in self.lists.items()}
                running.append((_Open(now, plan, now), seen, {key: len(own) for key, own in seen.items()}))
            if not running or self.rng.random() < 0.5:
                continue
            one, seen, lengths = running.pop(self.rng.randrange(len(running)))
            txns.append(self._finished(one, seen, lengths, now))
        return txns

    def _finished(self, one: _Open, seen: dict[int, list[int]], lengths: dict[int, int], now: int) -> Txn:
        written = set()
        for kind, key in one.plan:
            if kind == "append":
                self.value += 1
                seen[key].append(self.value)
                written.add(key)
                one.done.append(("append", key, self.value))
            else:
                one.done.append(("read", key, list(seen[key])))
        # What begins in a turn does not see what is committed in it.
        started, completed = 2 * one.started, 2 * now + 1
        if any(len(self.lists[key]) != lengths[key] for key in written):
            return Txn(one.number, one.done, "failed", started, completed)
        for key in written:
            self.lists[key] = seen[key]
        return Txn(one.number, one.done, "ok", started, completed)


class TwoSites:
    """Two sites, each the home of every other key; a write reaches the other site later: a long fork."""

    def __init__(self, seed: int, keys: int = 4) -> None:
        self.rng = random.Random(seed)
        self.sites: list[dict[int, list[int]]] = [{key: [] for key in range(keys)} for _ in range(2)]

    def run(self, n: int) -> list[Txn]:
        """Return a history of n transactions."""
        txns = []
        for number in range(1, n + 1):
            home = self.rng.randrange(2)
            site, other = self.sites[home], self.sites[1 - home]
            keys = [key for key in site if key % 2 == home]
            if self.rng.random() < 0.3:
                for key in keys:
                    other[key] = list(site[key])
            if self.rng.random() < 0.5:
                key = self.rng.choice(keys)
                site[key].append(number)
                operations: list[Operation] = [("append", key, number)]
            else:
                operations = [("read", key, list(own)) for key, own in site.items()]
            txns.append(Txn(number, operations, "ok", number, number + 1))
        return txns
