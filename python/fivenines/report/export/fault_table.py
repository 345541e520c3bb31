"""The tables `faults`, `interruptions` and `events` of complete trials."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from fivenines.analysis.availability.availability import Outage
from fivenines.analysis.availability.failovers import FaultMeasures
from fivenines.analysis.availability.interruptions import Interruption
from fivenines.analysis.availability.phases import PHASES
from fivenines.report.export.attempts import Attempt
from fivenines.report.export.columns import Column, ExportTable, Known, Type, bounded
from fivenines.report.export.keys import from_fault, of_trial
from fivenines.results.records import Event

# The services that outages concern.
SERVICES = ("writes", "reads", "connections")


@dataclass(frozen=True)
class FaultRow:
    """A fault of a complete trial, or several at once."""

    of: Attempt
    number: int
    measures: FaultMeasures


@dataclass(frozen=True)
class InterruptionRow:
    """An interruption of a service of a complete trial."""

    of: Attempt
    service: str
    interruption: Interruption


@dataclass(frozen=True)
class EventRow:
    """An event of a complete trial."""

    of: Attempt
    event: Event


def fault_rows(of: Attempt) -> Iterator[FaultRow]:
    """Yield the faults of a trial; simultaneous faults are one."""
    for number, measures in enumerate(of.measures.faults if of.measures else (), 1):
        yield FaultRow(of, number, measures)


def interruption_rows(of: Attempt) -> Iterator[InterruptionRow]:
    """Yield all interruptions of a trial by service."""
    for service in SERVICES if of.measures else ():
        for interruption in getattr(of.measures.interruptions, service):  # type: ignore[union-attr]
            yield InterruptionRow(of, service, interruption)


def event_rows(of: Attempt) -> Iterator[EventRow]:
    """Yield the events of a complete trial in order of time."""
    if of.measures is not None:
        for event in sorted(of.measures.record.events, key=lambda one: one.t):
            yield EventRow(of, event)


def _fault(
    name: str, kind: Type, unit: str, meaning: str, get: Callable[[FaultMeasures], Any]
) -> Column[FaultRow]:
    return Column(name, kind, unit, meaning, lambda row: get(row.measures))


def _outage(service: str) -> Iterator[Column[FaultRow]]:
    def known(row: FaultRow) -> Known | None:
        outage: Outage | None = getattr(row.measures.availability, service)
        return outage.value if outage else None

    return iter(bounded(f"outage_{service}", "ms", f"longest interruption of {service}", known))


def _failover(row: FaultRow) -> Known | None:
    return row.measures.availability.failover


def _phase(name: str) -> Iterator[Column[FaultRow]]:
    def known(row: FaultRow) -> Known | None:
        phase = row.measures.failover.phase(name)
        return (phase.ms, not phase.closed) if phase else None

    stem = f"phase_{name.replace(' ', '_')}"
    return iter(bounded(stem, "ms", f"phase `{name}`; NULL without a bound: absent", known))


def _work_lost(row: FaultRow) -> Known | None:
    lost = row.measures.work_lost
    return None if lost is None else (lost, not row.measures.caught_up)


FAULTS: ExportTable[FaultRow] = ExportTable(
    "faults",
    "a fault of a complete trial; faults within 500 ms of each other are one",
    [
        *of_trial(),
        Column("number", "BIGINT", "", "1 for the first of the trial", lambda row: row.number),
        _fault("fault", "VARCHAR", "", "the fault", lambda one: one.fault_window.label),
        _fault("nodes", "VARCHAR[]", "", "all affected nodes", lambda one: sorted(one.fault_window.hit)),
        _fault(
            "at_ms",
            "DOUBLE",
            "ms",
            "time at which it took effect, from the start of the load",
            lambda one: one.fault_window.at,
        ),
        _fault(
            "until_ms",
            "DOUBLE",
            "ms",
            "time of the next fault, or end of the load",
            lambda one: one.fault_window.until,
        ),
        _fault(
            "verified",
            "BOOLEAN",
            "",
            "whether its effect was verified",
            lambda one: all(each.verified for each in one.fault_window.faults),
        ),
        _fault(
            "ended_ms",
            "DOUBLE",
            "ms",
            "time at which its cause ended, from the start of the load",
            lambda one: one.fault_window.faults[0].ended,
        ),
        _fault(
            "restarted_ms",
            "DOUBLE",
            "ms",
            "time at which its node was restarted, from the start of the load",
            lambda one: one.fault_window.faults[0].restarted,
        ),
        _fault(
            "rejoined",
            "BOOLEAN",
            "",
            "whether its node rejoined; NULL: not expected to rejoin",
            lambda one: one.fault_window.faults[0].rejoined,
        ),
        _fault(
            "rejoined_ms",
            "DOUBLE",
            "ms",
            "time of the rejoin, from the start of the load",
            lambda one: one.fault_window.faults[0].rejoined_at,
        ),
        _fault(
            "interrupted",
            "BOOLEAN",
            "",
            "whether writes were noticeably unavailable",
            lambda one: one.failover.interrupted,
        ),
        *(column for service in SERVICES for column in _outage(service)),
        *bounded(
            "failover",
            "ms",
            "time from the fault to the first write after the interruption; 0 without one",
            _failover,
        ),
        *(column for name in PHASES for column in _phase(name)),
        _fault(
            "brownout_ms",
            "DOUBLE",
            "ms",
            "time of low throughput outside the interruptions",
            lambda one: one.brownout_ms,
        ),
        _fault(
            "failed_operations",
            "BIGINT",
            "",
            "operations of the load that failed until `until_ms`",
            lambda one: one.failed,
        ),
        _fault(
            "in_doubt_operations",
            "BIGINT",
            "",
            "operations of the load whose reply was lost",
            lambda one: one.in_doubt,
        ),
        *bounded(
            "work_lost",
            "transactions",
            "transactions that an undisturbed load would have completed in addition",
            _work_lost,
        ),
    ],
)


def _interruption(
    name: str, kind: Type, unit: str, meaning: str, get: Callable[[Interruption], Any]
) -> Column[InterruptionRow]:
    return Column(name, kind, unit, meaning, lambda row: get(row.interruption))


INTERRUPTIONS: ExportTable[InterruptionRow] = ExportTable(
    "interruptions",
    "a period after the fault in which a service of a complete trial was unavailable",
    [
        *of_trial(),
        Column(
            "service", "VARCHAR", "", "`writes`, `reads` or `connections` (new ones)", lambda row: row.service
        ),
        _interruption(
            "start_ms", "DOUBLE", "ms", "its start, from the start of the load", lambda one: one.gap.start
        ),
        Column(
            "from_fault_ms",
            "DOUBLE",
            "ms",
            "its start, from the first fault",
            lambda row: from_fault(row.of, row.interruption.gap.start),
        ),
        *bounded(
            "length", "ms", "its length", lambda row: (row.interruption.ms, not row.interruption.gap.closed)
        ),
        _interruption(
            "cause", "VARCHAR", "", "`fault`, `return`, `switch back` or `none`", lambda one: one.cause
        ),
        _interruption("event", "VARCHAR", "", "event that caused it", lambda one: one.event or None),
        _interruption(
            "client_wait_ms",
            "DOUBLE",
            "ms",
            "part of it that the client spent waiting for its own time-out",
            lambda one: one.wait.ms if one.wait else None,
        ),
        _interruption(
            "client_bound", "VARCHAR", "", "that time-out", lambda one: one.wait.bound if one.wait else None
        ),
    ],
)

EVENTS: ExportTable[EventRow] = ExportTable(
    "events",
    "an event of a complete trial: a fault, its end, a decision, a promotion, a rejoin",
    [
        *of_trial(),
        Column("t_ms", "DOUBLE", "ms", "time from the start of the load", lambda row: row.event.t),
        Column(
            "from_fault_ms",
            "DOUBLE",
            "ms",
            "time from the first fault",
            lambda row: from_fault(row.of, row.event.t),
        ),
        Column(
            "kind",
            "VARCHAR",
            "",
            "`fault`, `missed`, `decided`, `promoted`, `restarted`, ...",
            lambda row: row.event.kind,
        ),
        Column("node", "VARCHAR", "", "node of the event", lambda row: row.event.node or None),
        Column("detail", "VARCHAR", "", "details", lambda row: row.event.detail or None),
    ],
)
