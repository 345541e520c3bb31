"""The table `trials`: every attempt of every trial with its settings, machine, and all measures."""

from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any

from fivenines.analysis.availability.availability import Outage
from fivenines.analysis.consistency.consistency import primary_check
from fivenines.analysis.measured import EVENTS, VALUES
from fivenines.analysis.measures.measure import Measure, Value, When
from fivenines.analysis.measures.measures import MEASURES
from fivenines.analysis.trials import TrialMeasures
from fivenines.report.export.attempts import Attempt, NamedRun
from fivenines.report.export.columns import Column, ExportTable, Type, bounded
from fivenines.report.export.keys import CELL, KEYS, moment
from fivenines.report.export.run_table import MACHINE
from fivenines.results.records import FaultRecord, NodeCheck, TrialRecord

Of = Callable[[Attempt], Any]


def _measured(get: Callable[[TrialMeasures], Any]) -> Of:
    """Return a getter that returns None unless the trial is complete."""
    return lambda one: get(one.measures) if one.measures else None


def _recorded(get: Callable[[TrialRecord], Any]) -> Of:
    return lambda one: get(one.record) if one.record else None


def _fault(get: Callable[[FaultRecord], Any]) -> Of:
    return _recorded(lambda record: get(record.fault) if record.fault else None)


def _check(get: Callable[[NodeCheck], Any]) -> Of:
    def of(record: TrialRecord) -> Any:
        check = primary_check(record.check) if record.check else None
        return get(check) if check else None

    return _measured(lambda measures: of(measures.record))


def _column(name: str, kind: Type, unit: str, meaning: str, get: Of) -> Column[Attempt]:
    return Column(name, kind, unit, meaning, get)


def value_columns(measure: Measure) -> Iterator[Column[Attempt]]:
    """Yield the columns of a measure that requirements and comparisons can name."""
    get: Callable[[TrialMeasures], Value | None] = VALUES[measure.name]
    meaning = f"{measure.noun}{_WHEN[measure.when]}"
    if measure.bounds:
        yield from bounded(measure.key, measure.unit, meaning, _measured(get))
        return
    value = _measured(lambda trial: None if (v := get(trial)) is None or v[1] else v[0])
    yield _column(measure.column, "DOUBLE", measure.unit, meaning, value)


_WHEN: dict[When, str] = {
    "steady": ", before any fault",
    "load": ", of the whole load",
    "fault": " after the fault",
}


def _event(measure: Measure) -> Column[Attempt]:
    get = _measured(EVENTS[measure.name])
    return _column(
        measure.name, "BOOLEAN", "", f"whether the trial has {measure.noun}; NULL: not checked", get
    )


def _outage(kind: str) -> Iterator[Column[Attempt]]:
    """Yield further columns on the outages of a service."""

    def outage(one: TrialMeasures) -> Outage | None:
        longest: Outage | None = getattr(one.availability, kind, None)
        return longest

    def total(one: TrialMeasures) -> Value | None:
        longest = outage(one)
        return (longest.total_ms, not longest.back) if longest else None

    yield _column(
        f"outage_{kind}_noticed",
        "BOOLEAN",
        "",
        f"whether {kind} were interrupted; otherwise the outage is the longest ordinary gap",
        _measured(lambda one: longest.noticed if (longest := outage(one)) else None),
    )
    yield _column(
        f"interruptions_{kind}",
        "BIGINT",
        "",
        f"interruptions of {kind} until the load ended",
        _measured(lambda one: len(longest.gaps) if (longest := outage(one)) else None),
    )
    yield from bounded(
        f"outage_{kind}_total", "ms", f"total of all interruptions of {kind}", _measured(total)
    )


def _latency(name: str, title: str) -> Column[Attempt]:
    get = _measured(lambda one: getattr(one.latency, name) if one.latency else None)
    meaning = f"response time ({title}), before any fault"
    return _column(f"latency_{name}_ms", "DOUBLE", "ms", meaning, get)


def _number(measure: Measure, kind: Type, unit: str) -> Column[Attempt]:
    get = measure.number
    assert get is not None

    def of(one: Attempt) -> float | None:
        deployment = one.record.deployment if one.record else None
        return get(deployment, one.of.prices) if deployment else None

    return _column(measure.column, kind, unit, measure.noun, of)


def _split_brains(trial: TrialMeasures) -> int | None:
    checked = _single_writer(trial.record) and trial.watched
    return len(trial.split_brains) if checked else None


def _single_writer(record: TrialRecord) -> bool:
    return record.deployment is not None and record.deployment.single_writer


def _anomalies(record: TrialRecord) -> int | None:
    return sum(sum(one.counts.values()) for one in record.isolation) if record.isolation else None


def _against_time(record: TrialRecord) -> int | None:
    counts = [one.in_time for one in record.isolation if one.in_time is not None]
    return sum(sum(each.values()) for each in counts) if counts else None


def _of_run(column: Column[NamedRun]) -> Of:
    return lambda one: column.get(one.of)


_ABOUT: list[Column[Attempt]] = [
    _column(
        "attempt",
        "BIGINT",
        "",
        "1, or 2 if the first was broken; NULL if it is missing",
        _recorded(lambda record: record.attempt),
    ),
    _column(
        "status",
        "VARCHAR",
        "",
        "`complete`; `broken`, with its `reason`; `missing`: planned, not run. Use only complete ones",
        lambda one: one.status,
    ),
    _column("reason", "VARCHAR", "", "reason why it is not complete", lambda one: one.reason or None),
    *CELL,
    _column(
        "number",
        "BIGINT",
        "",
        "number of the trial within its cell; each round of the plan has one trial of each cell",
        lambda one: one.number,
    ),
    _column("seed", "BIGINT", "", "seed of all random numbers", lambda one: one.seed),
    _column(
        "program",
        "VARCHAR",
        "",
        "program that made the load; NULL: no load",
        _recorded(lambda record: record.load.program if record.load.document else None),
    ),
    _column(
        "started", "TIMESTAMP", "UTC", "start of the trial", _recorded(lambda record: moment(record.started))
    ),
    _column(
        "duration_s",
        "DOUBLE",
        "s",
        "duration, including set-up and checks",
        _recorded(lambda record: record.seconds),
    ),
    _column("experiment", "VARCHAR", "", "name of the experiment", lambda one: one.of.experiment.get("name")),
    _column("fivenines", "VARCHAR", "", "version of fivenines", lambda one: one.of.run.manifest.fivenines),
    _column("engine", "VARCHAR", "", "database engine of the solution", lambda one: one.of.engine(one.cell)),
    _column(
        "engine_version",
        "VARCHAR",
        "",
        "version of the engine",
        lambda one: one.of.run.manifest.engines.get(one.of.engine(one.cell) or ""),
    ),
    *(_column(each.name, each.type, each.unit, each.meaning, _of_run(each)) for each in MACHINE),
    _column("settings", "JSON", "", "all settings of this cell", lambda one: one.of.settings(one.cell)),
]

_TIMES: list[Column[Attempt]] = [
    _column(
        "warmup_end_ms",
        "DOUBLE",
        "ms",
        "end of the warm-up, from the start of the load",
        _recorded(lambda r: r.windows.warmup_end if r.windows else None),
    ),
    _column(
        "steady_end_ms",
        "DOUBLE",
        "ms",
        "end of the steady window; a fault may end it earlier",
        _recorded(lambda r: r.windows.steady_end if r.windows else None),
    ),
    _column(
        "load_end_ms",
        "DOUBLE",
        "ms",
        "end of the load",
        _recorded(lambda r: r.windows.end if r.windows else None),
    ),
    _column("fault_at_ms", "DOUBLE", "ms", "time at which the first fault took effect", lambda o: o.fault_at),
    _column("fault_node", "VARCHAR", "", "first host that the fault affected", _fault(lambda f: f.node)),
    _column(
        "fault_verified",
        "BOOLEAN",
        "",
        "whether the effect of the fault was verified",
        _fault(lambda f: f.verified),
    ),
]

_MORE: list[Column[Attempt]] = [
    _column(
        "offered_per_s",
        "DOUBLE",
        "1/s",
        "offered rate of an open load; NULL: closed",
        _measured(lambda one: one.offered),
    ),
    _column(
        "transactions",
        "BIGINT",
        "",
        "transactions whose response time was measured, before any fault",
        _measured(lambda one: one.latency.n if one.latency else None),
    ),
    _latency("p90", "90th percentile"),
    _latency("p999", "99.9th percentile"),
    _latency("p9999", "99.99th percentile"),
    _latency("max", "maximum"),
    *(column for kind in ("writes", "reads", "connections") for column in _outage(kind)),
    _column(
        "acknowledged_writes",
        "BIGINT",
        "",
        "writes of the ledger that were acknowledged",
        _measured(lambda one: one.record.check.acknowledged if one.record.check else None),
    ),
    _column(
        "lost_rows",
        "BIGINT",
        "",
        "acknowledged rows that the primary of record lacks; NULL: not known",
        _check(lambda node: node.lost),
    ),
    _column("phantom_rows", "BIGINT", "", "refused rows that are present", _check(lambda n: n.phantom)),
    _column("duplicate_rows", "BIGINT", "", "rows that are present twice", _check(lambda n: n.duplicate)),
    _column(
        "disordered_rows",
        "BIGINT",
        "",
        "rows that are present without an earlier row of the same client",
        _check(lambda node: node.disordered),
    ),
    _column(
        "in_doubt_writes",
        "BIGINT",
        "",
        "commits of the ledger without a reply",
        _measured(lambda one: one.in_doubt),
    ),
    _column(
        "stale_reads",
        "BIGINT",
        "",
        "reads of the ledger that missed an acknowledged row",
        _measured(lambda one: one.stale),
    ),
    _column(
        "split_brain_times",
        "BIGINT",
        "",
        "periods in which several nodes accepted writes; NULL: allowed by design, or not monitored",
        _measured(_split_brains),
    ),
    _column(
        "isolation_anomalies",
        "BIGINT",
        "",
        "violations of isolation; NULL: no transactions that check it",
        _measured(lambda one: _anomalies(one.record)),
    ),
    _column(
        "real_time_anomalies",
        "BIGINT",
        "",
        "contradictions to the order of time alone, by lists and registers; NULL: not judged",
        _measured(lambda one: _against_time(one.record)),
    ),
    _column(
        "error_count",
        "BIGINT",
        "",
        "failures of load and ledger",
        _measured(lambda one: sum(each.count for each in one.errors)),
    ),
    _column(
        "errors",
        "JSON",
        "",
        "failures by source, class and code, each with its first message",
        _measured(lambda one: [asdict(each) for each in one.errors]),
    ),
    _column(
        "deployment_s",
        "DOUBLE",
        "s",
        "time until the solution was ready",
        _recorded(lambda r: r.deployment.seconds if r.deployment else None),
    ),
    _number(MEASURES["hosts"], "BIGINT", ""),
    _number(MEASURES["cost"], "DOUBLE", "currency/h"),
    _column(
        "settle_s",
        "DOUBLE",
        "s",
        "time after the load until all nodes had applied everything",
        _recorded(lambda record: record.settle_seconds),
    ),
    _column(
        "client_limit",
        "VARCHAR",
        "",
        "reason why the load generator may have been the limit; NULL: no sign of it",
        _measured(lambda one: one.bottleneck or None),
    ),
    _column(
        "notes",
        "VARCHAR[]",
        "",
        "measures that are missing, with reasons",
        lambda one: list(dict.fromkeys([*one.measures.notes, *one.notes])) if one.measures else None,
    ),
]

TRIALS: ExportTable[Attempt] = ExportTable(
    "trials",
    "an attempt of a trial, including trials that were planned but not run",
    [
        *KEYS,
        *_ABOUT,
        *_TIMES,
        # Phases belong to a fault, so the table `faults` has them.
        *(
            column
            for name in VALUES
            if not name.startswith("phase:")
            for column in value_columns(MEASURES[name])
        ),
        *(_event(MEASURES[name]) for name in EVENTS),
        *_MORE,
    ],
)
