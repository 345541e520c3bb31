"""Merge of the summaries of several loads: figures that add up are summed, others are left out."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from fivenines.analysis.wording import listed
from fivenines.results.load_summary import LoadSummary

# A summary's document, or a part of it.
Summary = Mapping[str, Any]

_SUMMED = (
    "connections",
    "connections_without_success",
    "expected",
    "retries",
    "queries",
    "reconnects",
    "connects_ok",
    "connects_failed",
)
_COUNTS = ("transactions", "reads", "writes", "statements", "script_counters")
_OF_SCHEDULE = ("arrived", "started", "abandoned", "backlog_max", "backlog_end")
_OF_CONNECTS = ("count", "ok", "failed", "refused", "timed_out")
_OF_PROBES = ("ok", "failed", "in_doubt", "skipped")

# Seconds by which steps of the same plan may differ between generators.
#
# The last step ends with its last transactions, so its end is not compared.
_AT_ONCE = 0.1

_USED = ("user_s", "system_s", "max_rss_kib", "run_queue_s", "clock_calls")
# Figures of generators about themselves: sums, and the worst value of any.
_WORST = ("wall_s", "waited_p99_ms", "lag_p99_us", "lag_max_us", "noop_ns", "connection_kib")


def merged(loads: Mapping[str, LoadSummary], connect_ms: Mapping[str, float] | None = None) -> LoadSummary:
    """Merge the summaries of several clients, by client name; a single one stays unchanged.

    Counts are sums. Percentiles of steps and of lateness cannot be computed from those of parts and are None.
    Maxima are maxima over all. Warnings of generators name the client. `bounds` are those of the first one.

    Args:
        loads: the summaries; all keys of their documents are merged, not only those that fivenines reads.
        connect_ms: percentiles of connects in ms, from the merged log (`merged_latency`), by their keys.
    """
    if len(loads) == 1:
        return next(iter(loads.values()))
    every = [load.document for load in loads.values()]
    first = every[0]
    kept = ("format", "driver", "seed", "started_monotonic_ns", "started_unix_ns", "bounds", "search")
    result: dict[str, Any] = {key: first.get(key) for key in kept}
    result["workload"] = listed(list(dict.fromkeys(str(item.get("workload")) for item in every)))
    result["duration_s"] = max(item.get("duration_s", 0.0) for item in every)
    result["stopped_s"] = max(load.stopped_s for load in loads.values())
    result |= {key: _sum(every, key) for key in _SUMMED}
    result |= {key: _counts([item[key] for item in every if key in item]) for key in _COUNTS}
    result["types"] = _by_name([each for item in every for each in item.get("types", ())])
    result["connects"] = _parts(every, "connects", _OF_CONNECTS, ("burst_ms", "max_ms"))
    result["connects"] |= connect_ms or {}
    result["schedule"] = _schedule(every)
    steps = [item.get("steps") or [] for item in every]
    result["steps"] = _steps(steps)
    if not result["steps"] and any(len(each) > 1 for each in steps):
        # The sum of the first steps' rates belongs to no known time.
        result["schedule"]["rate"] = None
    result |= _work(every)
    result["errors"] = _errors(every)
    ledgers = [item["ledger"] for item in every if "ledger" in item]
    result["ledger"] = {
        "writes": _counts([ledger["writes"] for ledger in ledgers]),
        "reads": _counts([ledger["reads"] for ledger in ledgers]),
        "skipped": _sum(ledgers, "skipped"),
    }
    result["alongside"] = _ledger_counts(every)
    probed = [item for item in every if item.get("probes")]
    result["probes"] = {**probed[0]["probes"], **_parts(probed, "probes", _OF_PROBES)} if probed else None
    result["client"] = _generators({name: load.document for name, load in loads.items()})
    result["endpoints"] = _endpoints(every)
    if any("rows" in item for item in every):
        rows = [item["rows"] for item in every if "rows" in item]
        result["rows"] = {"inserted": _sum(rows, "inserted"), "per_second": _rows_per_second(rows, result)}
    return LoadSummary.of(result)


def _sum(every: Sequence[Summary], key: str) -> Any:
    return sum(item.get(key) or 0 for item in every)


def _counts(every: Sequence[Mapping[str, int]]) -> dict[str, int]:
    result: dict[str, int] = defaultdict(int)
    for item in every:
        for name, count in item.items():
            result[name] += count
    return dict(result)


def _greatest(values: Sequence[Any]) -> Any:
    return max((value for value in values if value is not None), default=None)


def _parts(
    every: Sequence[Summary], part: str, summed: Sequence[str], greatest: Sequence[str] = ()
) -> dict[str, Any]:
    parts = [item.get(part) or {} for item in every]
    result: dict[str, Any] = {key: _sum(parts, key) for key in summed}
    return result | {key: _greatest([item.get(key) for item in parts]) for key in greatest}


def _by_name(types: Sequence[Summary]) -> list[dict[str, Any]]:
    result: dict[str, dict[str, Any]] = {}
    for item in types:
        known = result.setdefault(item["name"], {**item, **{key: 0 for key in item if _is_count(item[key])}})
        for key, value in item.items():
            if _is_count(value):
                known[key] = known.get(key, 0) + value
    return list(result.values())


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _schedule(every: Sequence[Summary]) -> dict[str, Any]:
    parts = [item.get("schedule") or {} for item in every]
    rates = [part.get("rate") for part in parts]
    kinds = list(dict.fromkeys(part.get("kind", "") for part in parts))
    return {
        **parts[0],
        "kind": kinds[0] if len(kinds) == 1 else "closed",
        # A closed loop next to an open one has no rate, so the sum has none.
        "rate": None if None in rates else sum(rates),
        **_parts(every, "schedule", _OF_SCHEDULE),
        "burst": any(part.get("burst") for part in parts),
        "lag_p50_us": None,
        "lag_p99_us": None,
        "lag_max_us": _greatest([part.get("lag_max_us") for part in parts]),
    }


def _steps(every: Sequence[Sequence[Summary]]) -> list[dict[str, Any]]:
    """Merge the steps where those of all loads begin at the same times; otherwise return []."""
    if not all(every) or len({len(steps) for steps in every}) > 1:
        return []
    together = list(zip(*every, strict=True))
    for parts in together:
        starts = [float(part["from_s"]) for part in parts]
        if max(starts) - min(starts) > _AT_ONCE:
            return []
    return [_together(list(parts)) for parts in together]


def _together(parts: Sequence[Summary]) -> dict[str, Any]:
    rates = [part.get("rate") for part in parts]
    return {
        "from_s": min(part["from_s"] for part in parts),
        "to_s": max(part["to_s"] for part in parts),
        "rate": None if None in rates else sum(rate for rate in rates if rate is not None),
        "connections": _sum(parts, "connections"),
        "ok": _sum(parts, "ok"),
        "failed": _sum(parts, "failed"),
        "p50_ms": None,
        "p95_ms": None,
        "p99_ms": None,
        "max_ms": _greatest([part.get("max_ms") for part in parts]),
    }


def _work(every: Sequence[Summary]) -> dict[str, Any]:
    """Merge fixed work, which ends with the last load; return {} if a load has none."""
    works = [item.get("work") for item in every]
    if not all(works):
        return {}
    known = [work for work in works if work]
    requested = [_requested(item) for item in every]
    each = {work.get("each") for work in known}
    first, last = min(work["from_s"] for work in known), max(work["to_s"] for work in known)
    return {
        "done": _sum(every, "done"),
        "completed": all(item["completed"] for item in every),
        "cut": any(item["cut"] for item in every),
        "total_s": round(last - first, 3),
        "work": {
            "transactions": sum(requested) if all(requested) else None,
            "each": each.pop() if len(each) == 1 else None,
            "from_s": first,
            "to_s": last,
        },
    }


def _requested(summary: Summary) -> int:
    """Return the requested transactions of a load; 0 if unknown."""
    work = summary["work"]
    return int(work.get("transactions") or (work.get("each") or 0) * (summary.get("connections") or 0))


def _rows_per_second(rows: Sequence[Summary], summary: Summary) -> float:
    """Return the rate of all rows over the whole time, as loads that end earlier have rates of other
    times.
    """
    seconds = summary["duration_s"]
    return round(_sum(rows, "inserted") / seconds, 1) if seconds else 0.0


def _errors(every: Sequence[Summary]) -> list[dict[str, Any]]:
    result: dict[tuple[Any, ...], dict[str, Any]] = {}
    for entry in (each for item in every for each in item.get("errors", ())):
        key = (entry.get("source"), entry.get("class"), entry.get("code"))
        known = result.get(key)
        if known is None:
            result[key] = dict(entry)
            continue
        known["count"] += entry["count"]
        for name, choose in (("first_ms", min), ("last_ms", max)):
            known[name] = _chosen(choose, known.get(name), entry.get(name))
    return list(result.values())


def _chosen(choose: Callable[..., Any], *values: Any) -> Any:
    known = [value for value in values if value is not None]
    return choose(known) if known else None


def _ledger_counts(every: Sequence[Summary]) -> dict[str, Any]:
    result: dict[str, dict[str, Any]] = {}
    for name, counts in (item for entry in every for item in (entry.get("alongside") or {}).items()):
        known = result.get(name, {"transactions": {}, "skipped": 0})
        result[name] = {
            "transactions": _counts([known["transactions"], counts["transactions"]]),
            "skipped": known["skipped"] + counts["skipped"],
        }
    return result


def _generators(loads: Mapping[str, Summary]) -> dict[str, Any]:
    """Merge the generators' figures: a bottleneck of any generator is one of the trial."""
    parts = {name: load.get("client") or {} for name, load in loads.items()}
    limits = [
        {**limit, "text": f"{name}: {limit.get('text')}"}
        for name, part in parts.items()
        for limit in part.get("limits") or ()
    ]
    every = list(parts.values())
    warnings = " ".join(f"{name}: {part['limit']}" for name, part in parts.items() if part.get("limit"))
    return {
        **{key: _sum(every, key) for key in _USED},
        **{key: _greatest([item.get(key) for item in every]) for key in _WORST},
        "limit": warnings or None,
        "limits": limits,
        "bottleneck": any(item.get("bottleneck") for item in every),
    }


def _endpoints(every: Sequence[Summary]) -> dict[str, Any]:
    result: dict[str, dict[str, Any]] = {}
    for name, counts in (item for entry in every for item in (entry.get("endpoints") or {}).items()):
        known = result.get(name, {"connects": 0, "ok": 0, "tls": None})
        result[name] = {
            "connects": known["connects"] + counts["connects"],
            "ok": known["ok"] + counts["ok"],
            "tls": counts["tls"] or known["tls"],
        }
    return result
