"""Which trial is next, for whom: where there are several machines, each runs whole replications.

A machine is a block of the randomised complete block design, as an hour is (Montgomery, Design and Analysis
of Experiments, ch. 4): trial n of every cell runs on one machine, so that a slow machine makes no solution
slow.
"""

import threading
from collections.abc import Mapping, Sequence

from fivenines.experiment.interleaved_plan import Block
from fivenines.experiment.plan import Trial

Work = Trial | Block


class Schedule:
    """What is still to be done, in the order of the plan.

    Args:
        work: in its order.
        owners: which machine had which replication before, in a run that is continued.
    """

    def __init__(self, work: Sequence[Work], owners: Mapping[int, str] | None = None) -> None:
        self._left = list(work)
        self._owners: dict[int, str] = dict(owners or {})
        self._lock = threading.Lock()

    def __len__(self) -> int:
        """Return how many are left that nobody has taken."""
        return len(self._left)

    def take(self, host: str) -> Work | None:
        """Return the next for a machine, which is then the one of its replication; None: nothing is for it
        now.
        """
        with self._lock:
            chosen = self._first(host) or self._first("")
            if chosen is None:
                return None
            self._owners[chosen.number] = host
            self._left.remove(chosen)
            return chosen

    def give_back(self, work: Work) -> None:
        """A trial that was taken and not done is the first one again."""
        with self._lock:
            self._left.insert(0, work)

    def lose(self, host: str) -> None:
        """A machine is gone: what it had is for whoever comes."""
        with self._lock:
            self._owners = {number: owner for number, owner in self._owners.items() if owner != host}

    def rest(self) -> list[Work]:
        """Return what nobody has taken."""
        with self._lock:
            return list(self._left)

    def _first(self, owner: str) -> Work | None:
        return next((item for item in self._left if self._owners.get(item.number, "") == owner), None)
