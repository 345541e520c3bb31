"""Values of measures in a trial, by the measure's name (see `fivenines.analysis.measures.measures`).

Most values are part of the trial's measures. Those of `analysis.performance.steady` are read on first use, of
all trials at once where several are requested (`values_of`); values of counters are read one by one.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from fivenines.analysis.availability.interruptions import longest_of
from fivenines.analysis.measures.measures import PHASES, counter_parts
from fivenines.analysis.performance.steady import HostUse, LagCourse
from fivenines.analysis.resources.cost import CLIENT
from fivenines.analysis.resources.counted import counted
from fivenines.analysis.resources.links import link_bytes
from fivenines.analysis.statistics.means import Summary, summarise
from fivenines.analysis.statistics.sequential import at_level
from fivenines.analysis.trials import TrialMeasures, read_steady

# A trial's value, and whether it is a lower bound: service did not recover, or work was not completed.
Value = tuple[float, bool]

# None where the trial has not measured it.
Get = Callable[[TrialMeasures], Value | None]


def _known(value: float | None) -> Value | None:
    return None if value is None else (float(value), False)


def _of(part: Callable[[TrialMeasures], object], name: str) -> Get:
    """Return a getter for a figure of an optional part of a trial."""
    return lambda trial: _known(getattr(part(trial), name, None))


def _outage(name: str) -> Get:
    def get(trial: TrialMeasures) -> Value | None:
        outage = getattr(trial.availability, name) if trial.availability else None
        return (outage.ms, not outage.back) if outage else None

    return get


def _failover(trial: TrialMeasures) -> Value | None:
    result = trial.availability
    if result is None or result.writes is None:
        return None
    back = result.failover_ms is not None
    return (result.failover_ms if result.failover_ms is not None else result.observed_ms, not back)


def _phase(name: str) -> Get:
    """Return a getter for a phase of the first fault: None where no mark ended it and another phase has its
    time.

    Without an interruption there was no failover, and the phase took no time. Where the load did not recover,
    a phase that had not begun took 0 or more.
    """
    own = name.replace("_", " ")

    def get(trial: TrialMeasures) -> Value | None:
        if not trial.faults:
            return None
        failover = trial.faults[0].failover
        if phase := failover.phase(own):
            return phase.ms, not phase.closed
        if own == "catch up":
            return None if failover.returned else (0.0, True)
        if not failover.interrupted:
            return 0.0, False
        last = failover.phases[-1] if failover.phases else None
        if last and not last.closed and _rank(last.name) < _rank(own):
            return 0.0, True
        # No waiting session had to give up, where that was observed; other marks were not seen.
        looked_for = own == "client" and trial.faults[0].availability.connections is not None
        return (0.0, False) if looked_for else None

    return get


def _rank(phase: str) -> int:
    return PHASES.index(phase.replace(" ", "_"))


def _total_time(trial: TrialMeasures) -> Value | None:
    work = trial.work
    return None if work is None else (1000 * work.total_s, not work.completed)


def _stalls(longest: bool) -> Get:
    def get(trial: TrialMeasures) -> Value | None:
        if not trial.stalls_known:
            return None
        if not longest:
            return _known(len(trial.stalls))
        gap = longest_of(trial.stalls)
        return (gap.ms, not gap.closed) if gap else (0.0, False)

    return get


def _lag(side: str, name: str) -> Get:
    def get(trial: TrialMeasures) -> Value | None:
        course: LagCourse | None = getattr(trial.steady, side)
        return _known(getattr(course, name, None))

    return get


def _stale_share(trial: TrialMeasures) -> Value | None:
    reads = trial.steady.reads
    return _known(trial.steady.stale / reads) if reads else None


def _wire_bytes(trial: TrialMeasures) -> Value | None:
    traffic = trial.steady.traffic
    return _known(traffic.sent / trial.commits) if traffic and trial.commits else None


def _link_bytes(trial: TrialMeasures) -> Value | None:
    sent = link_bytes(trial.stored)
    return _known(sent / trial.transactions) if sent is not None and trial.transactions else None


def _hosts_sum(figure: Callable[[HostUse], float | None], scale: float, who: str = "") -> Get:
    """Return a getter for the sum over the hosts of a kind, role or name; without one, over all but the
    client's.
    """

    def get(trial: TrialMeasures) -> Value | None:
        used = trial.steady.hosts
        hosts = _hosts_called(trial, who)
        figures = [figure(used[name]) if name in used else None for name in hosts]
        known = [value for value in figures if value is not None]
        return _known(scale * sum(known)) if known and len(known) == len(figures) else None

    return get


def _hosts_called(trial: TrialMeasures, who: str) -> list[str]:
    deployment = trial.record.deployment
    if deployment is None:
        return []
    if not who:
        return [name for name, host in deployment.hosts.items() if host.kind != CLIENT]
    return [
        name
        for name, host in deployment.hosts.items()
        if who in (name, host.kind, deployment.roles.get(name))
    ]


def _counter(rest: str) -> Get:
    name, per = counter_parts(rest)

    def get(trial: TrialMeasures) -> Value | None:
        found = counted(trial.stored)
        if not per:
            return _known(found.mean(name))
        by = found.seconds if per == "/s" else trial.commits
        gain = found.gain(name)
        return _known(gain / by) if gain is not None and by else None

    return get


def _rows(trial: TrialMeasures) -> Value | None:
    result = counted(trial.stored)
    return None if result.rows is None else _known(result.rows / result.seconds)


def _cpu(use: HostUse) -> float | None:
    return use.cpu


def _memory(use: HostUse) -> float | None:
    return use.memory


_MB = 1e-6

# Getters by the text before the colon; see `fivenines.analysis.measures.measures.FAMILIES`.
_FAMILIES: Mapping[str, Callable[[str], Get]] = {
    "counter": _counter,
    "host_cpu": lambda who: _hosts_sum(_cpu, 1.0, who),
    "memory": lambda who: _hosts_sum(_memory, _MB, who),
}


class _Values(dict[str, Get]):
    """Getters of the listed measures; a getter of a family is created on first use."""

    def __missing__(self, name: str) -> Get:
        family, colon, rest = name.partition(":")
        if not colon or family not in _FAMILIES:
            raise KeyError(name)
        return _FAMILIES[family](rest)


# Measures that are read from a trial's files on first use.
_LATER: dict[str, Get] = {
    **{
        f"{side}_lag_{name}": _lag(side, name)
        for side in ("reported", "actual")
        for name in ("max", "mean", "growth")
    },
    **{
        f"checkpoint_lag_{name}": _of(lambda trial: trial.steady.checkpoint, name) for name in ("max", "mean")
    },
    "stale_share": _stale_share,
    "wire_bytes_per_transaction": _wire_bytes,
    "link_bytes_per_transaction": _link_bytes,
    "host_cpu": _hosts_sum(_cpu, 1.0),
    "memory": _hosts_sum(_memory, _MB),
}

# Getters by name, in the units of the measures; `VALUES[name]` also has those of families.
VALUES: dict[str, Get] = _Values(
    {
        "tps": _of(lambda trial: trial.throughput, "tps"),
        "qps": _of(lambda trial: trial.throughput, "qps"),
        **{f"latency_{key}": _of(lambda trial: trial.latency, key) for key in ("mean", "p50", "p95", "p99")},
        "rows_s": _rows,
        "inserted_s": _of(lambda trial: trial.record.load.rows, "per_second"),
        "total_time": _total_time,
        "completed": _of(lambda trial: trial.work, "share"),
        "cov_in_time": _of(lambda trial: trial.steadiness, "cov"),
        "last_quarter": _of(lambda trial: trial.steadiness, "last_quarter"),
        "stalls": _stalls(longest=False),
        "stalls_longest": _stalls(longest=True),
        **{
            f"execution_{key}": _of(lambda trial: trial.truth.execution, key)
            for key in ("mean", "p50", "p95", "p99")
        },
        **_LATER,
        **{f"connects_{kind}": _of(lambda trial: trial.connects, kind) for kind in ("refused", "failed")},
        **{f"connect_{key}": _of(lambda trial: trial.connects, f"{key}_ms") for key in ("p50", "p99")},
        **{f"outage_{kind}": _outage(kind) for kind in ("writes", "reads", "connections")},
        "failover": _failover,
        **{f"phase:{name}": _phase(name) for name in PHASES},
    }
)


def prepare(measure: str, trials: Sequence[TrialMeasures]) -> None:
    """Read the figures that a measure uses, of several trials together."""
    if measure in _LATER or measure.partition(":")[0] in _LATER:
        read_steady(trials)


def values_of(measure: str, trials: Iterable[TrialMeasures]) -> list[Value | None]:
    """Return the value of each trial."""
    some = list(trials)
    prepare(measure, some)
    get = VALUES[measure]
    return [get(item) for item in some]


def _counted(name: str) -> Callable[[TrialMeasures], bool | None]:
    def get(trial: TrialMeasures) -> bool | None:
        number = getattr(trial, name)
        return None if number is None else number > 0

    return get


def _violated(trial: TrialMeasures) -> bool | None:
    known = [invariant.status for invariant in trial.record.invariants if invariant.status != "unknown"]
    return "violated" in known if known else None


def _diverged(trial: TrialMeasures) -> bool | None:
    result = trial.record.divergence
    return bool(result.differences) if result and result.tables else None


def _not_recovered(trial: TrialMeasures) -> bool | None:
    result = trial.availability
    return None if result is None or result.writes is None else not result.writes.back


def _cut(trial: TrialMeasures) -> bool | None:
    return not trial.work.completed if trial.work else None


# Whether a trial has an event; None where it could not be observed.
EVENTS: dict[str, Callable[[TrialMeasures], bool | None]] = {
    **{name: _counted(name) for name in ("lost", "phantom", "duplicate", "stale")},
    "not_recovered": _not_recovered,
    "cut": _cut,
    "split_brain": lambda trial: bool(trial.split_brains) if trial.watched else None,
    "violated": _violated,
    "diverged": _diverged,
    "connect_errors": lambda trial: trial.connects.failed > 0 if trial.connects else None,
}


def summary_of(measure: str, trials: Iterable[TrialMeasures]) -> Summary:
    """Return the summary of a measure over the trials that have it."""
    some = list(trials)
    result = values_of(measure, some)
    measured = [item for item, value in zip(some, result, strict=True) if value is not None]
    values = [value for value in result if value is not None]
    summary = summarise(
        [value for value, _ in values],
        bounds=sum(bound for _, bound in values),
        machines=[item.machine for item in measured],
    )
    nominal = measured[0].nominal if measured else None
    return summary if nominal is None else at_level(summary, nominal)


def seen_in(event: str, trials: Iterable[TrialMeasures]) -> list[bool]:
    """Return for each trial in which the event could be observed whether it has the event."""
    return [events for trial in trials if (events := EVENTS[event](trial)) is not None]
