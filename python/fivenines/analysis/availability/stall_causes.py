"""Stalls in the steady window of a healthy system, and their causes.

Stall
    A run of at least `LEAST_MS` of slots of 100 ms, each with less than a tenth of the throughput that nine
    in ten slots of the same window do not exceed. Not only silence counts: where a deadlock blocks all but
    two connections, those two proceed. The median would fail where most of the window is lost time. These
    stalls are merged with those of `interruptions`, in which no transaction succeeded, however short.
Cause
    The first matching evidence in servers' logs (table `incidents`) and counters during the stall, in the
    order below; without any the cause is unknown.

| cause | evidence |
|---|---|
| deadlock | a line of PostgreSQL's log within the stall or 200 ms after; else a gain of a counter |
| semi-sync time-out | a gain of Rpl_semi_sync_*_no_times |
| flow control | paused or throttled for a fifth of the stall or more |
| lock waits | one in the log covers half of the stall, or half of the connections wait in a sample |
| checkpoint | it began or ended within the stall |
| waiting for flushes | a gain of Innodb_log_waits or Innodb_buffer_pool_wait_free |
| other programs | they had half of the processors or more |
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from fivenines.analysis.availability.availability import Gap, Timeline
from fivenines.analysis.resources.counters import samples
from fivenines.analysis.resources.machine import machine_samples
from fivenines.analysis.resources.series import Samples, Series, gains
from fivenines.analysis.tables import by_trial
from fivenines.analysis.wording import listed
from fivenines.results.layout import NOT_OBSERVED
from fivenines.results.records import Windows
from fivenines.results.store import StoredTrial

SLOT_MS = 100.0
LEAST_MS = 300.0
SHARE = 0.1
# Quantile of the slots' throughput that stands for undisturbed work.
USUAL = 0.9

# With fewer transactions than this in such a slot, slots without any are ordinary.
FEWEST = 3.0

# Maximum delay of a log entry after a stall, in ms.
AFTER_MS = 200.0

UNKNOWN = "not known"

_DEADLOCKS = ("Innodb_deadlocks", "INNODB_METRICS.lock_deadlocks", "pg_stat_database.deadlocks")
_TIMEOUTS = ("Rpl_semi_sync_master_no_times", "Rpl_semi_sync_source_no_times")
# Counters of time without progress, with the factor to milliseconds.
_PAUSED = {"wsrep_flow_control_paused_ns": 1e-6, "Gr_flow_control_throttle_time_sum": 1e-3}
_FLUSHES = ("Innodb_log_waits", "Innodb_buffer_pool_wait_free")
_WAITING = ("pg_locks.waiting", "Innodb_row_lock_current_waits")
COUNTERS = (*_DEADLOCKS, *_TIMEOUTS, *_PAUSED, *_FLUSHES, *_WAITING)

_INCIDENTS = "SELECT trial, t_ms, kind, ms, node, detail FROM rows ORDER BY trial, t_ms"


@dataclass(frozen=True)
class Incident:
    """A log entry at `t` (ms of the load) about an incident that lasted `ms`."""

    t: float
    kind: str
    ms: float


@dataclass(frozen=True)
class Evidence:
    """Evidence in one trial. `unseen`: incidents that the servers do not log, and why; often empty."""

    counters: Samples = field(default_factory=dict)
    incidents: Sequence[Incident] = ()
    machine: Mapping[str, Series] = field(default_factory=dict)
    connections: int = 1
    unseen: str = ""

    @property
    def logged(self) -> bool:
        """Return whether logs report deadlocks, so that counters are not needed for their times."""
        return any(incident.kind == "deadlock" for incident in self.incidents)


@dataclass(frozen=True)
class Stall:
    """A time of (nearly) no throughput, its cause, and the number of its occurrences (0: not counted)."""

    gap: Gap
    cause: str = UNKNOWN
    events: int = 0


def stalls_of(line: Timeline, windows: Windows, fault_at: float | None = None) -> list[Gap]:
    """Return the stalls of the steady window, which ends at a fault; see the module's text."""
    end = windows.steady_end if fault_at is None else min(windows.steady_end, fault_at)
    count = int((end - windows.warmup_end) // SLOT_MS)
    if count < 1:
        return []
    edges = windows.warmup_end + SLOT_MS * np.arange(count + 1)
    inside = line.slot < edges[-1]
    done, _ = np.histogram(line.slot[inside], edges, weights=line.transactions[inside])
    usual = float(np.quantile(done, USUAL))
    if usual < FEWEST:
        return []
    return [
        Gap(float(edges[first]), float(edges[last]), closed=last < count)
        for first, last in _runs(done < SHARE * usual)
        if (last - first) * SLOT_MS >= LEAST_MS
    ]


def joined(some: Sequence[Gap], more: Sequence[Gap]) -> list[Gap]:
    """Merge two lists of gaps; touching gaps become one, which is closed if the last of them is."""
    gaps: list[Gap] = []
    for gap in sorted([*some, *more], key=lambda item: item.start):
        if gaps and gap.start <= gaps[-1].end:
            last = gaps.pop()
            longer = max(last, gap, key=lambda item: item.end)
            gaps.append(replace(longer, start=last.start))
        else:
            gaps.append(gap)
    return gaps


def attributed(gaps: Sequence[Gap], evidence: Evidence) -> list[Stall]:
    """Return each stall with its cause."""
    return [Stall(gap, *next(_causes(gap, evidence), (UNKNOWN, 0))) for gap in gaps]


def read_evidence(trials: Sequence[StoredTrial]) -> dict[str, Evidence]:
    """Return the evidence in each trial by its folder's name; a damaged table counts as absent."""
    counters, machines = samples(trials, COUNTERS), machine_samples(trials)
    logged, unseen = _incidents(trials)
    return {
        trial.folder.name: Evidence(
            counters.get(trial.folder.name, {}),
            logged.get(trial.folder.name, ()),
            machines.get(trial.folder.name, {}),
            trial.record.cell.connections,
            unseen.get(trial.folder.name, ""),
        )
        for trial in trials
    }


def deadlocks(evidence: Evidence, start: float, end: float) -> int:
    """Return the number of deadlocks that servers report between two times (ms)."""
    if evidence.logged:
        return sum(
            incident.kind == "deadlock" and start <= incident.t < end for incident in evidence.incidents
        )
    return round(max((_gained(evidence, name, Gap(start, end)) for name in _DEADLOCKS), default=0))


def _causes(gap: Gap, evidence: Evidence) -> Iterator[tuple[str, int]]:
    if count := deadlocks(evidence, gap.start, gap.end + AFTER_MS):
        yield "deadlock", count
    if count := round(sum(_gained(evidence, name, gap) for name in _TIMEOUTS)):
        yield "semi-sync time-out", count
    if any(_gained(evidence, name, gap) * ms >= gap.ms / 5 for name, ms in _PAUSED.items()):
        yield "flow control", 0
    if _waited(evidence, gap):
        yield "lock waits", 0
    if count := sum(_began_or_ended(incident, gap) for incident in evidence.incidents):
        yield "checkpoint", count
    if sum(_gained(evidence, name, gap) for name in _FLUSHES):
        yield "waiting for flushes", 0
    if _others(evidence, gap):
        yield "other programs", 0


def _gained(evidence: Evidence, name: str, gap: Gap) -> float:
    """Return the gain of a counter on all nodes from the last sample before a stall to the first after it."""
    total = 0.0
    for series in evidence.counters.get(name, {}).values():
        around = _around(series, gap)
        total += float(gains(around.v).sum()) if len(around) > 1 else 0.0
    return total


def _around(series: Series, gap: Gap) -> Series:
    """Return the samples from the last one before a stall to the first one after it."""
    first = max(int(np.searchsorted(series.t, gap.start, "right")) - 1, 0)
    after = int(np.searchsorted(series.t, gap.end, "left")) + 1
    return Series(series.t[first:after], series.v[first:after])


def _waited(evidence: Evidence, gap: Gap) -> bool:
    covered = (
        min(incident.t, gap.end) - max(incident.t - incident.ms, gap.start)
        for incident in evidence.incidents
        if incident.kind == "lock wait"
    )
    if max(covered, default=0.0) >= gap.ms / 2:
        return True
    least = max(1.0, evidence.connections / 2)
    return any(
        bool((series.v[(series.t >= gap.start) & (series.t <= gap.end)] >= least).any())
        for name in _WAITING
        for series in evidence.counters.get(name, {}).values()
    )


def _began_or_ended(incident: Incident, gap: Gap) -> bool:
    if incident.kind != "checkpoint":
        return False
    return gap.start <= incident.t <= gap.end + AFTER_MS or gap.start <= incident.t - incident.ms <= gap.end


def _others(evidence: Evidence, gap: Gap) -> bool:
    """Return whether other programs and the hypervisor used half of the CPUs during a stall."""
    if "cores" not in evidence.machine:
        return False
    cores = float(evidence.machine["cores"].v[0])
    taken = 0.0
    for name in ("others_s", "steal_s"):
        around = _around(evidence.machine[name], gap)
        if len(around) < 2:
            return False
        seconds = (around.t[-1] - around.t[0]) / 1000
        taken += float(around.v[-1] - around.v[0]) / seconds
    return taken >= cores / 2


def _runs(slow: npt.NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """Yield where runs of True begin and end."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], slow.astype(np.int8), [0]))))
    yield from zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)


def _incidents(trials: Sequence[StoredTrial]) -> tuple[dict[str, list[Incident]], dict[str, str]]:
    """Return the incidents of each trial, and what its servers do not log, merged over nodes."""
    incidents: dict[str, list[Incident]] = {}
    unseen: dict[str, dict[str, list[str]]] = {}
    for trial, rows in by_trial(trials, "incidents", _INCIDENTS).items():
        columns = (rows["t_ms"], rows["kind"], rows["ms"], rows["node"], rows["detail"])
        for t, kind, ms, node, detail in zip(*columns, strict=True):
            if kind == NOT_OBSERVED:
                unseen.setdefault(trial, {}).setdefault(str(detail), []).append(str(node))
            else:
                incidents.setdefault(trial, []).append(Incident(float(t), str(kind), float(ms)))
    return incidents, {
        trial: "; ".join(f"{listed(nodes)}: {detail}" for detail, nodes in details.items())
        for trial, details in unseen.items()
    }
