"""Define the measures that requirements, thresholds, sweeps, comparisons and claims refer to by name.

`MEASURES` lists most of them. `FAMILIES` parses the text behind the colon of the others, of which there are
hundreds: any counter of the servers, any kind of host.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from fivenines.base.spelling import nearest, nearest_word

# The kind of a measure's values: per second; milliseconds; a fraction; a number of each trial, in the stated
# unit; whether the event occurred in a trial; one number of a solution.
Kind = Literal["rate", "time", "share", "amount", "event", "number"]

# The period of a measure: the steady window, before any fault; the whole load; the time after a fault.
When = Literal["steady", "load", "fault"]

_UNITS = {"rate": "1/s", "time": "ms"}


@dataclass(frozen=True)
class Measure:
    """A measure of a solution.

    Attributes:
        name: name in experiment files and on the command line.
        title: head of a column.
        noun: words for a sentence, after a number or after "the".
        kind: kind of the values.
        more: whether more is better; None: neither is, so the measure cannot be a preference.
        when: period in which it is measured.
        unit: unit of the values; empty for a plain number.
        bounds: whether a value may be a lower bound, as the outage did not end.
        source: setting or feature that a trial must have; empty: every trial has the measure.
        usual: whether runs are compared by it by default.
        signed: whether values may be below 0.
    """

    name: str
    title: str
    noun: str
    kind: Kind
    more: bool | None = False
    when: When = "steady"
    unit: str = ""
    bounds: bool = False
    source: str = ""
    usual: bool = False
    signed: bool = False

    def __post_init__(self) -> None:
        if not self.unit:
            object.__setattr__(self, "unit", _UNITS.get(self.kind, ""))

    @property
    def fault(self) -> bool:
        """Return whether only a trial with a fault has the measure."""
        return self.when == "fault"

    @property
    def valued(self) -> bool:
        """Return whether each trial has a value, so that there is a mean with an interval."""
        return self.kind not in ("event", "number")

    @property
    def milli(self) -> bool:
        """Return whether values are in ms; reports choose ms, s or min by their size."""
        return self.kind == "time"

    @property
    def words(self) -> tuple[str, str]:
        """Return the words for less and more: "fewer" transactions, a "shorter" outage."""
        known = {"rate": ("fewer", "more"), "time": ("shorter", "longer")}
        return known.get(self.kind, ("lower", "higher"))

    @property
    def key(self) -> str:
        """Return the name in a form that a column or a file can have."""
        return re.sub(r"\W+", "_", self.name)


# The phases of an outage, as the names of measures contain them.
PHASES = ("detect", "promote", "route", "client", "reconnect", "catch_up")

_SPREAD = (("mean", "mean"), ("p50", "median"), ("p95", "95th percentile"), ("p99", "99th percentile"))


def _after(name: str, title: str, noun: str, source: str = "a fault") -> Measure:
    """Return a duration after a fault; its values may be lower bounds."""
    return Measure(name, title, noun, "time", when="fault", bounds=True, source=source, usual=True)


def _lag(side: str, words: str, source: str) -> tuple[Measure, ...]:
    stem = f"{side}_lag"
    return (
        Measure(
            f"{stem}_max",
            f"{side.capitalize()} lag, max",
            f"largest replication lag {words}",
            "time",
            source=source,
        ),
        Measure(
            f"{stem}_mean",
            f"{side.capitalize()} lag, mean",
            f"mean replication lag {words}",
            "time",
            source=source,
        ),
        Measure(
            f"{stem}_growth",
            f"{side.capitalize()} lag, growth",
            f"growth of the replication lag {words}",
            "amount",
            unit="ms/s",
            source=source,
            signed=True,
        ),
    )


_ALL = (
    Measure("tps", "Transactions/s", "transactions per second", "rate", more=True, usual=True),
    *(
        Measure(f"latency_{key}", f"{key} response", f"response time ({words})", "time", usual=True)
        for key, words in _SPREAD
    ),
    Measure("qps", "Queries/s", "queries per second", "rate", more=True),
    Measure("rows_s", "Rows/s", "rows changed per second", "rate", more=True, source="observe.counters"),
    Measure(
        "inserted_s",
        "Inserted rows/s",
        "rows inserted per second",
        "rate",
        more=True,
        when="load",
        source="a load that counts",
    ),
    Measure(
        "total_time",
        "Time for all",
        "time for all of the work",
        "time",
        when="load",
        bounds=True,
        source="fixed work",
    ),
    Measure(
        "completed",
        "Completed",
        "share of the work that was done",
        "share",
        more=True,
        when="load",
        source="fixed work",
    ),
    Measure(
        "cov_in_time",
        "COV over time",
        "variation of the throughput over time",
        "share",
        source="4 s of steady",
    ),
    Measure(
        "last_quarter",
        "Last quarter",
        "throughput of the last quarter against the first",
        "share",
        more=None,
        source="4 s of steady",
    ),
    Measure("stalls", "Stalls", "stalls of the steady window", "amount"),
    Measure("stalls_longest", "Longest stall", "longest stall of the steady window", "time"),
    *(
        Measure(
            f"execution_{key}",
            f"{key} execution",
            f"time from sending to execution ({words})",
            "time",
            source="ledger",
        )
        for key, words in _SPREAD
    ),
    *_lag("reported", "that servers report", "observe.lag"),
    *_lag("actual", "by the ledger", "ledger"),
    Measure(
        "checkpoint_lag_max",
        "Checkpoint lag, max",
        "largest time since the last global checkpoint",
        "time",
        source="solution ndb",
    ),
    Measure(
        "checkpoint_lag_mean",
        "Checkpoint lag, mean",
        "mean time since the last global checkpoint",
        "time",
        source="solution ndb",
    ),
    Measure(
        "stale_share",
        "Stale share",
        "share of reads that missed an acknowledged row",
        "share",
        source="ledger",
    ),
    Measure(
        "wire_bytes_per_transaction",
        "Bytes per transaction",
        "bytes sent for a transaction",
        "amount",
        unit="B",
        source="observe.hosts",
    ),
    Measure(
        "link_bytes_per_transaction",
        "Bytes over links",
        "bytes over the links between sites for a transaction",
        "amount",
        unit="B",
        when="load",
        source="network.sites",
    ),
    Measure(
        "host_cpu",
        "CPU, cores",
        "cores that the solution's hosts used",
        "amount",
        more=None,
        unit="cores",
        source="observe.hosts",
    ),
    Measure(
        "memory",
        "Memory, MB",
        "memory that the solution's hosts used",
        "amount",
        unit="MB",
        source="observe.hosts",
    ),
    Measure("connects_refused", "Connects refused", "connects refused", "amount", when="load"),
    Measure("connects_failed", "Failed connects", "failed connects", "amount", when="load"),
    *(
        Measure(f"connect_{key}", f"{key} connect", f"time to connect ({words})", "time", when="load")
        for key, words in _SPREAD
        if key in ("p50", "p99")
    ),
    _after("outage_writes", "Outage, writes", "outage of writes"),
    _after("outage_reads", "Outage, reads", "outage of reads"),
    _after("outage_connections", "Outage, new connections", "outage of new connections"),
    _after("failover", "Failover time", "failover time"),
    *(
        Measure(
            f"phase:{name}",
            f"Phase {name.replace('_', ' ')}",
            f"phase {name.replace('_', ' ')} of the first outage",
            "time",
            when="fault",
            bounds=True,
            source="a fault",
        )
        for name in PHASES
    ),
    Measure(
        "not_recovered",
        "Writes not recovered",
        "writes not recovered before the end",
        "event",
        when="fault",
        source="a fault",
    ),
    Measure("cut", "Work cut", "work stopped before its end", "event", when="load", source="fixed work"),
    Measure("lost", "Lost rows", "acknowledged rows lost", "event", source="ledger"),
    Measure("phantom", "Phantom rows", "refused rows found", "event", source="ledger"),
    Measure("duplicate", "Duplicate rows", "rows found twice", "event", source="ledger"),
    Measure("stale", "Stale reads", "reads that missed an acknowledged row", "event", source="ledger"),
    Measure("split_brain", "Split brain", "split brain", "event"),
    Measure("violated", "Invariants violated", "invariants of the workload violated", "event"),
    Measure("diverged", "Nodes differ", "nodes with different rows at the end", "event"),
    Measure("connect_errors", "Connects failed", "connects that failed", "event"),
    Measure("hosts", "Hosts", "hosts", "number"),
    Measure("cost", "Price of an hour", "price of an hour", "number", source="cost"),
)


@dataclass(frozen=True)
class Family:
    """Measures of which there are too many for a list: the forms of their names, each with a description.

    `read` returns the measure for the text behind the colon. It raises a ValueError that says what to write
    if the text names no measure.
    """

    forms: Mapping[str, str]
    read: Callable[[str], Measure]


_COUNTER = re.compile(r"(?P<name>[A-Za-z][\w. -]*?)(?P<per>/\w*)?", re.ASCII)
_PER = {"": "", "/s": " per second", "/transaction": " per transaction"}


def counter_parts(rest: str) -> tuple[str, str]:
    """Return the counter's name and its divisor: `/s`, `/transaction`, or nothing for a mean.

    Raises:
        ValueError: the text names no counter; the message says what to write instead.
    """
    match = _COUNTER.fullmatch(rest)
    if match is None:
        raise ValueError(
            f"'counter:{rest}' is not a measure: write counter:NAME/s or counter:NAME/transaction, such as "
            "counter:Com_commit/s"
        )
    per = match["per"] or ""
    if per not in _PER:
        meant = nearest_word(per[1:], [one[1:] for one in _PER if one])
        hint = f"; did you mean 'counter:{match['name']}/{meant}'?" if meant else ""
        raise ValueError(f"'counter:{rest}': write per second (/s) or per transaction (/transaction){hint}")
    return match["name"], per


def _counter(rest: str) -> Measure:
    name, per = counter_parts(rest)
    return Measure(
        f"counter:{rest}",
        f"{name}{per}",
        f"{name}{_PER[per] or ' on average'}",
        "rate" if per == "/s" else "amount",
        more=None,
        source="observe.counters",
    )


def _of_hosts(stem: str) -> Callable[[str], Measure]:
    def read(rest: str) -> Measure:
        if not re.fullmatch(r"[A-Za-z][\w-]*", rest):
            raise ValueError(
                f"'{stem}:{rest}' names no host: write a kind of host, a role or a host, such as "
                f"{stem}:node, {stem}:primary or {stem}:node1"
            )
        whole = MEASURES[stem]
        return Measure(
            f"{stem}:{rest}",
            f"{whole.title.partition(',')[0]} of {rest}, {whole.unit}",
            f"{whole.noun.partition(' that')[0]} that {rest} used",
            whole.kind,
            whole.more,
            unit=whole.unit,
            source=whole.source,
        )

    return read


# The families of measures, by the prefix before the colon.
FAMILIES: dict[str, Family] = {
    "counter": Family(
        {
            "counter:NAME/s": "increase per second of a server's counter, by the server's name for it",
            "counter:NAME/transaction": "increase of a counter per transaction of the load",
            "counter:NAME": "mean of a counter that is a level, not a running count",
        },
        _counter,
    ),
    "host_cpu": Family(
        {"host_cpu:HOST": "cores of hosts by kind (node), role (primary) or name (node1)"},
        _of_hosts("host_cpu"),
    ),
    "memory": Family(
        {"memory:HOST": "memory of hosts by kind (node), role (primary) or name (node1)"}, _of_hosts("memory")
    ),
}


class _Measures(dict[str, Measure]):
    """The listed measures; members of families are created on access."""

    def __missing__(self, name: str) -> Measure:
        try:
            return measure_named(name)
        except ValueError:
            raise KeyError(name) from None


# All measures by name, in display order; `MEASURES[name]` also returns members of families.
MEASURES: dict[str, Measure] = _Measures((measure.name, measure) for measure in _ALL)


# Measures by which runs are compared by default.
USUAL = tuple(name for name, measure in MEASURES.items() if measure.usual)


def measure_named(name: str) -> Measure:
    """Return the measure of this name.

    Raises:
        ValueError: there is no such measure; the message suggests the nearest name, or lists all names.
    """
    if (measure := MEASURES.get(name)) is not None:
        return measure
    head, colon, rest = name.partition(":")
    if colon and head in FAMILIES:
        return FAMILIES[head].read(rest)
    raise ValueError(f"there is no measure {name!r}{_meant(name)}")


def _meant(name: str) -> str:
    head, colon, rest = name.partition(":")
    family = nearest_word(head, FAMILIES) if colon else None
    if family:
        return f"; did you mean '{family}:{rest}'?"
    known = [*MEASURES, *(form for each in FAMILIES.values() for form in each.forms)]
    return nearest(name, known) or f": there are {', '.join(known)}"


def listing() -> list[dict[str, str]]:
    """Return a row of texts for each listed measure, then for each form of a family."""
    rows = [_row(measure.name, measure.noun, measure) for measure in MEASURES.values()]
    for family in FAMILIES.values():
        for form, about in family.forms.items():
            rows.append(_row(form, about, family.read(form.partition(":")[2])))
    return rows


def _row(name: str, about: str, measure: Measure) -> dict[str, str]:
    return {
        "name": name,
        "about": about,
        "unit": _unit(measure),
        "better": _BETTER[measure.more],
        "of": _OF.get(measure.kind, measure.when),
        "requires": measure.source,
    }


_BETTER = {True: "more", False: "less", None: ""}
# The kinds that have no period of the load.
_OF: dict[Kind, str] = {"event": "trial", "number": "solution"}


def _unit(measure: Measure) -> str:
    """Return the unit of the values; for an event, the share of trials in which it occurred."""
    named = {"event": "trials", "share": "share", "number": "number"}
    return named.get(measure.kind, measure.unit or "number")
