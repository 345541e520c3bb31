"""Detection of a cluster's recovery from its faults, so that its load may end early."""

import math
import threading
import time
from collections.abc import Callable

from fivenines.experiment.sections.timing import RecoverySettings
from fivenines.trial.faults.timeline import FaultRunner

# Share of the steady rate that ends an outage, as in the phase "catch up" (`analysis.availability.recovery`).
SHARE = 0.9

# Polling interval of the nodes in seconds: each poll queries all of them.
_BETWEEN = 0.5


# the first transaction of a load may take longer than one of its seconds: a cold cache, a slow log-in
MEANINGFUL = 3


class LoadRates:
    """Transactions per second of each second of a load, as it reports them.

    Args:
        start: the beginning of the steady window, in seconds of the load.
        end: its end.
    """

    def __init__(self, start: float, end: float) -> None:
        self._start, self._end = start, end
        self._lock = threading.Lock()
        self._seconds: list[tuple[float, float]] = []

    def note(self, t: float, tps: float) -> None:
        """Record the rate of the second that ended `t` seconds after the load's start."""
        with self._lock:
            self._seconds.append((t, tps))

    def dead(self, moment: float) -> bool:
        """Return whether the load reported `MEANINGFUL` seconds until `moment`, all without success."""
        with self._lock:
            result = list(self._seconds)
        reported = len(result) >= MEANINGFUL and result[-1][0] >= moment - 1
        return reported and all(tps <= 0 for _, tps in result)

    def back(self, since: float) -> bool | None:
        """Return whether a second that began after `since` had `SHARE` of the steady rate.

        That also ends the phase "catch up". None where no such second had a transaction.
        """
        with self._lock:
            result = list(self._seconds)
        steady = [tps for t, tps in result if self._start + 1 <= t <= self._end]
        later = [tps for t, tps in result if t - 1 >= since]
        if later and min(later) <= 0:
            return None
        usual = sum(steady) / len(steady) if steady else 0.0
        return bool(later) and max(later) >= SHARE * usual


class Recovered:
    """Checks repeatedly during the load whether the cluster has been healthy for long enough.

    Args:
        fault_runner: runs the faults.
        rates: rates of the load.
        calm: seconds for which the cluster must be healthy.
        started_ns: the start of the load on CLOCK_MONOTONIC.
        others_back: returns whether all clients besides the load are served again.
    """

    def __init__(
        self,
        fault_runner: FaultRunner,
        rates: LoadRates,
        calm: float,
        started_ns: int,
        others_back: Callable[[], bool] = lambda: True,
    ) -> None:
        self._fault_runner, self._rates, self._calm = fault_runner, rates, calm
        self._others_back = others_back
        self._started = started_ns / 1e9
        self._since = math.inf
        self._next_look = 0.0

    def __call__(self) -> bool:
        """Return whether, for `calm` seconds, faults are over, nodes are members and the load is back."""
        now = time.monotonic()
        if now < self._next_look:
            return False
        self._next_look = now + _BETWEEN
        back = self._rates.back(self._since - self._started)
        if not self._fault_runner.recovered() or back is None or not self._others_back():
            self._since = math.inf
            return False
        # Nodes may have taken long to answer.
        now = time.monotonic()
        self._since = min(self._since, now)
        return now - self._since >= self._calm and back


def early_end(
    recovery: RecoverySettings,
    fault_runner: FaultRunner,
    rates: LoadRates,
    started_ns: int,
    others_back: Callable[[], bool],
) -> Recovered | None:
    """Return the check whether the load may end; None for a load of fixed time."""
    if recovery.until is None:
        return None
    return Recovered(fault_runner, rates, recovery.calm, started_ns, others_back)
