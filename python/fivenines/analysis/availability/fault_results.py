"""The faults of a cell over its trials: phases, outages, brown-out, failures and work lost.

Deaths in turn are one fault that happens several times in a trial. Their means are then those of the trials'
means, see `analysis.availability.deaths_in_turn`.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fivenines.analysis.availability.failovers import FaultMeasures
from fivenines.analysis.availability.outages import Outages, Service, by_trial, outages_of
from fivenines.analysis.availability.phases import PHASES, Failover
from fivenines.analysis.statistics.means import Summary


@dataclass(frozen=True)
class PhaseResult:
    """One phase over the faults after which the load wrote again, in ms; `absent`: those without it.

    An absent phase counts as 0, so that the means add up. Trials in which it did not end (only catch up may
    not end) are lower bounds of the summary.
    """

    name: str
    summary: Summary
    absent: int
    values: tuple[float, ...]

    @property
    def seen(self) -> bool:
        """Return whether any trial has this phase."""
        return self.absent < len(self.values)


@dataclass(frozen=True)
class FaultResult:
    """One fault of a cell over its trials. Times in ms, `work_lost` in transactions.

    Attributes:
        number: number of the fault within the trial, from 1.
        label: fault and target, as "kill primary".
        kind: the class of the fault.
        mtbf: seconds between two such faults, if the experiment gives it.
        trials: number of trials in which it was injected.
        times: number of times that it was injected: as often as `trials`, unless it came in turn.
        interrupted: number of these in which writes were noticeably unavailable.
        not_recovered: number of these in which the load did not write again: they are in no phase.
        stuck: phases in which the trials that did not recover were at the end, with their number.
        phases: phases of the trials whose load wrote again.
        back: time from the fault to the first write of the load, in these trials: the sum of their phases
            except catch up.
        returned: `back` over all trials; trials that did not recover are lower bounds.
        whole: time from the fault until caught up, over all trials; lower bounds where that did not end.
        writes, reads, connections: outages of established sessions and of new connections.
        steady_below: mean share of the steady window that would be a brown-out by chance.
        work_lost: lost transactions; lower bounds where not final.
    """

    number: int
    label: str
    kind: str
    mtbf: float | None
    trials: int
    times: int
    interrupted: int
    not_recovered: int
    stuck: dict[str, int]
    phases: tuple[PhaseResult, ...]
    back: Summary
    returned: Summary
    whole: Summary
    writes: Outages
    reads: Outages
    connections: Outages
    brownout: Summary
    steady_below: Summary
    failed: Summary
    in_doubt: Summary
    work_lost: Summary
    notes: tuple[str, ...]

    @property
    def in_turn(self) -> bool:
        """Return whether it was injected several times in a trial."""
        return self.times > self.trials

    @property
    def called(self) -> str:
        """Return fault and target, and whether it came in turn."""
        return f"{self.label}, in turn" if self.in_turn else self.label

    def phase(self, name: str) -> PhaseResult:
        """Return the phase of this name."""
        return next(phase for phase in self.phases if phase.name == name)


def fault_results(
    trials: Sequence[tuple[str, Sequence[FaultMeasures], Sequence[FaultMeasures] | None]],
) -> list[FaultResult]:
    """Return the first, second, ... fault of all trials together; [] without any fault.

    Args:
        trials: the id of each, all of its faults, and its deaths in turn that count (None: it has none).
    """
    groups: list[list[tuple[str, FaultMeasures]]] = []
    for trial, faults, deaths in trials:
        of = [[(trial, one)] for one in faults] if deaths is None else [[(trial, one) for one in deaths]]
        groups += [[] for _ in of[len(groups) :]]
        for group, own in zip(groups, of, strict=False):
            group.extend(own)
    return [_result(number, values) for number, values in enumerate(groups) if values]


def _result(number: int, values: list[tuple[str, FaultMeasures]]) -> FaultResult:
    measures = [item for _, item in values]
    back = [(trial, item) for trial, item in values if item.failover.returned]
    not_recovered = [measure for measure in measures if not measure.failover.returned]
    labels = Counter(measure.fault_window.label for measure in measures)
    return FaultResult(
        number=number + 1,
        label=labels.most_common(1)[0][0],
        kind=measures[0].fault_window.kind,
        mtbf=measures[0].fault_window.mtbf,
        trials=len({trial for trial, _ in values}),
        times=len(values),
        interrupted=sum(measure.failover.interrupted for measure in measures),
        not_recovered=len(not_recovered),
        stuck=dict(Counter(item.failover.phases[-1].name for item in not_recovered)),
        phases=tuple(_phase(name, back) for name in PHASES),
        back=_summary(back, lambda one: (one.failover.return_ms, False)),
        returned=_summary(values, lambda one: (_returned_ms(one.failover), not one.failover.returned)),
        whole=_summary(values, lambda one: (one.failover.ms, not one.failover.ended)),
        writes=_outages(values, "writes"),
        reads=_outages(values, "reads"),
        connections=_outages(values, "connections"),
        brownout=_summary(values, lambda one: _known(one.brownout_ms)),
        steady_below=_summary(values, lambda one: _known(one.steady_below)),
        failed=_summary(values, lambda one: (one.failed, False)),
        in_doubt=_summary(values, lambda one: (one.in_doubt, False)),
        work_lost=_summary(values, lambda one: _known(one.work_lost, not one.caught_up)),
        notes=tuple(f"{trial}: {note}" for trial, item in values for note in item.failover.notes),
    )


def _summary(
    values: Sequence[tuple[str, FaultMeasures]], of: Callable[[FaultMeasures], tuple[float, bool] | None]
) -> Summary:
    """Summarise a figure of the faults that have it, by trial."""
    known = [(trial, value) for trial, item in values if (value := of(item)) is not None]
    return by_trial([trial for trial, _ in known], [value for _, value in known])


def _known(value: float | None, bound: bool = False) -> tuple[float, bool] | None:
    return None if value is None else (value, bound)


def _phase(name: str, values: Sequence[tuple[str, FaultMeasures]]) -> PhaseResult:
    phases = [item.failover.phase(name) for _, item in values]
    own = [(phase.ms, not phase.closed) if phase else (0.0, False) for phase in phases]
    return PhaseResult(
        name,
        by_trial([trial for trial, _ in values], own),
        sum(phase is None for phase in phases),
        tuple(ms for ms, _ in own),
    )


def _returned_ms(failover: Failover) -> float:
    """Return the time from the fault to the first write of the load, or to the end without one."""
    return failover.return_ms if failover.returned else failover.ms


def _outages(values: Sequence[tuple[str, FaultMeasures]], of: Service) -> Outages:
    return outages_of([(trial, getattr(item.availability, of), ()) for trial, item in values])
