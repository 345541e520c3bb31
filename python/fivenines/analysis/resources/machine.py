"""CPU use of the machine during a trial, and the effect of other processes on its figures.

On one machine the load generator waits for CPUs that the servers under test use: that is expected, and part
of the measurement. CPU use by others (users, other labs, a hypervisor) is not. Two bounds limit its effect:

- Response times. The load generator records for each transaction how long it had no CPU, or started late (tag
  `waited`, to half a millisecond): 99 % of the response times contain at most the 99th percentile of that.
  Lab and other processes cause these waits, so it is an upper bound of the others' effect.
- Throughput and mean response time, where CPUs were scarce: without others the lab could have used their CPU
  time, and no more. In a closed loop throughput could be higher by at most that share, and the mean response
  time lower accordingly (Little's law).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fivenines.analysis.performance.latency import Latency
from fivenines.analysis.resources.series import Series, gain_between
from fivenines.analysis.tables import by_trial, split
from fivenines.results.store import StoredTrial

OTHERS = "others_s:"
_ROWS = "SELECT trial, name, t_ms, value FROM rows ORDER BY trial, name, t_ms"

# Others matter from this share of the CPUs, or of the lab's CPU use.
LEAST = 0.05

# Maximum delay of a process name's first sample, in ms.
_LATE_MS = 1000.0

# CPUs are scarce when at most this share of them was idle.
SCARCE = 0.1

WAITED_MS = 1.0
# A wait within response times matters if it exceeds both: ms, and the share of the 99th percentile.
WAITED_SHARE = 0.1


@dataclass(frozen=True)
class Sharing:
    """Mean cores used in the steady window, of `cores` available.

    `others` are processes outside this run, `named` the largest of them by name; `waited` is the load
    generator's wait for a CPU within transactions, `latency` their response times.
    """

    cores: float
    lab: float
    others: float
    steal: float
    idle: float
    named: list[tuple[str, float]]
    waited: Latency | None = None
    latency: Latency | None = None

    @property
    def taken(self) -> float:
        """Return the cores that processes outside the lab and its controller used."""
        return self.others + self.steal

    @property
    def scarce(self) -> bool:
        """Return whether CPUs were scarce: the lab could hardly have used more."""
        return self.idle <= SCARCE * self.cores

    @property
    def waits_matter(self) -> bool:
        """Return whether the load generator's wait shows in the response times."""
        if self.waited is None or self.latency is None:
            return False
        return self.waited.p99 >= max(WAITED_MS, WAITED_SHARE * self.latency.p99)

    @property
    def disturbed(self) -> bool:
        """Return whether other processes noticeably affected the measures."""
        much = self.taken >= LEAST * self.cores
        return much and (self.waits_matter or (self.scarce and self.taken >= LEAST * self.lab))

    @property
    def gain(self) -> float | None:
        """Return the share by which throughput could be higher without others, at most; None: it could
        not.
        """
        return self.taken / self.lab if self.scarce and self.lab > 0 else None

    @property
    def mean_excess_ms(self) -> float | None:
        """Return the ms by which the mean response time could be shorter without others, at most."""
        if self.gain is None or self.latency is None:
            return None
        return self.latency.mean * self.gain / (1 + self.gain)


def machine_samples(trials: Sequence[StoredTrial]) -> dict[str, dict[str, Series]]:
    """Return the table `machine` of each trial by its folder's name; a damaged one counts as absent.

    All clients of a trial are on the machine of the whole trial.
    """
    folders = {item.folder.name: item.whole or item.folder for item in trials}
    watched = [StoredTrial(folders[item.folder.name], item.record) for item in trials]
    result = {
        trial: {name: Series(each["t_ms"], each["value"]) for name, each in split(rows, "name").items()}
        for trial, rows in by_trial(watched, "machine", _ROWS).items()
    }
    return {name: result[folder.name] for name, folder in folders.items() if folder.name in result}


def sharing(
    samples: Mapping[str, Series],
    window: tuple[float, float],
    latency: Latency | None,
    waited: Latency | None,
) -> Sharing | None:
    """Return the CPU use in a window (ms); None where it was not recorded."""
    start, end = window

    def mean(name: str) -> float | None:
        gained = gain_between(samples[name], start, end) if name in samples else None
        return None if gained is None else 1000 * gained / (end - start)

    names = ("lab_s", "others_s", "busy_s", "steal_s", "idle_s", "controller_s")
    result = {name: mean(name) for name in names}
    known = {name: value for name, value in result.items() if value is not None}
    if len(known) < len(names) or "cores" not in samples:
        return None
    cores, all_cores = float(samples["cores"].v[0]), float(samples["machine_cores"].v[0])
    others = known["others_s"]
    if cores < all_cores:  # other processes may be busy on CPUs that the run may not use
        pages = mean("serve_s") or 0.0
        rest = known["busy_s"] - known["lab_s"] - known["controller_s"] - pages
        others = min(others, max(0.0, rest))
    named = [
        (name.removeprefix(OTHERS), used)
        for name in samples
        if name.startswith(OTHERS) and (used := _since_zero(samples[name], start, end)) is not None
    ]
    return Sharing(
        cores,
        known["lab_s"],
        others,
        known["steal_s"],
        known["idle_s"],
        sorted(named, key=lambda item: -item[1]),
        waited,
        latency,
    )


def _since_zero(series: Series, start: float, end: float) -> float | None:
    """Cores used by what is sampled only once it has used something: before that it was 0."""
    if not len(series) or series.t[0] > end + _LATE_MS:
        return None
    # Between two samples its use is taken as even, as for the others' total.
    used = np.interp([start, end], series.t, series.v, left=0.0)
    if series.t[0] > end:
        used[1] = float(series.v[0])
    return 1000 * float(used[1] - used[0]) / (end - start)
