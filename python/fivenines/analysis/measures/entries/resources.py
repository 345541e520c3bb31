"""Measures of resources: bytes, CPU and memory of hosts, and the families of counters and hosts."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from fivenines.analysis.measures.measure import Get, Measure, TrialMeasures, Value, known
from fivenines.base.spelling import nearest_word


def _wire_bytes(trial: TrialMeasures) -> Value | None:
    traffic = trial.steady.traffic
    return known(traffic.sent / trial.commits) if traffic and trial.commits else None


def _link_bytes(trial: TrialMeasures) -> Value | None:
    sent = trial.link_bytes
    return known(sent / trial.transactions) if sent is not None and trial.transactions else None


def _hosts_sum(figure: str, scale: float, who: str = "") -> Get:
    """Return the sum over the hosts of a kind, role or name; without one, over all but the client's."""

    def get(trial: TrialMeasures) -> Value | None:
        used = trial.steady.hosts
        hosts = trial.hosts_called(who)
        figures = [getattr(used[name], figure) if name in used else None for name in hosts]
        values = [value for value in figures if value is not None]
        return known(scale * sum(values)) if values and len(values) == len(figures) else None

    return get


_MB = 1e-6

_HOST_CPU = Measure(
    "host_cpu",
    "CPU, cores",
    "cores that the solution's hosts used",
    "amount",
    more=None,
    unit="cores",
    source="observe.hosts",
    steady=True,
    value=_hosts_sum("cpu", 1.0),
)
_MEMORY = Measure(
    "memory",
    "Memory, MB",
    "memory that the solution's hosts used",
    "amount",
    unit="MB",
    source="observe.hosts",
    steady=True,
    value=_hosts_sum("memory", _MB),
)

ENTRIES = (
    Measure(
        "wire_bytes_per_transaction",
        "Bytes per transaction",
        "bytes sent for a transaction",
        "amount",
        unit="B",
        source="observe.hosts",
        steady=True,
        value=_wire_bytes,
    ),
    Measure(
        "link_bytes_per_transaction",
        "Bytes over links",
        "bytes over the links between sites for a transaction",
        "amount",
        unit="B",
        when="load",
        source="network.sites",
        value=_link_bytes,
    ),
    _HOST_CPU,
    _MEMORY,
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

    def get(trial: TrialMeasures) -> Value | None:
        counted = trial.counted
        if not per:
            return known(counted.mean(name))
        by = counted.seconds if per == "/s" else trial.commits
        gain = counted.gain(name)
        return known(gain / by) if gain is not None and by else None

    return Measure(
        f"counter:{rest}",
        f"{name}{per}",
        f"{name}{_PER[per] or ' on average'}",
        "rate" if per == "/s" else "amount",
        more=None,
        source="observe.counters",
        value=get,
    )


def _of_hosts(whole: Measure, figure: str, scale: float) -> Callable[[str], Measure]:
    stem = whole.name

    def read(rest: str) -> Measure:
        if not re.fullmatch(r"[A-Za-z][\w-]*", rest):
            raise ValueError(
                f"'{stem}:{rest}' names no host: write a kind of host, a role or a host, such as "
                f"{stem}:node, {stem}:primary or {stem}:node1"
            )
        return replace(
            whole,
            name=f"{stem}:{rest}",
            title=f"{whole.title.partition(',')[0]} of {rest}, {whole.unit}",
            noun=f"{whole.noun.partition(' that')[0]} that {rest} used",
            value=_hosts_sum(figure, scale, rest),
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
        _of_hosts(_HOST_CPU, "cpu", 1.0),
    ),
    "memory": Family(
        {"memory:HOST": "memory of hosts by kind (node), role (primary) or name (node1)"},
        _of_hosts(_MEMORY, "memory", _MB),
    ),
}
