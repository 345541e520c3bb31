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
