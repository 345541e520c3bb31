"""Assignment of trials to machines: of several machines, each runs whole replications.

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
    """Remaining work in the order of the plan.

    Args:
        work: trials and blocks in order.
        owners: machine of each replication that a resumed run has begun.
    """

    def __init__(self, work: Sequence[Work], owners: Mapping[int, str] | None = None) -> None:
        self._left = list(work)
        self._owners: dict[int, str] = dict(owners or {})
        self._lock = threading.Lock()

    def __len__(self) -> int:
        """Return the number of trials that no worker has taken."""
        return len(self._left)

    def take(self, host: str) -> Work | None:
        """Return the next trial for a machine, which then owns its replication; None: none for it now."""
        with self._lock:
            chosen = self._first(host) or self._first("")
            if chosen is None:
                return None
            self._owners[chosen.number] = host
            self._left.remove(chosen)
            return chosen

    def give_back(self, work: Work) -> None:
        """Put an unfinished trial back to the front."""
        with self._lock:
            self._left.insert(0, work)

    def lose(self, host: str) -> None:
        """Release the replications of a lost machine for other machines."""
        with self._lock:
            self._owners = {number: owner for number, owner in self._owners.items() if owner != host}

    def rest(self) -> list[Work]:
        """Return the work that no worker has taken."""
        with self._lock:
            return list(self._left)

    def _first(self, owner: str) -> Work | None:
        return next((item for item in self._left if self._owners.get(item.number, "") == owner), None)
