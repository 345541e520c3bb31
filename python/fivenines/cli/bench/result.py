"""Show the results of a bench as tables that fit 80 columns, and write them as CSV."""

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

from fivenines.analysis.performance.latency import Latency
from fivenines.cli.bench.live import ms, rate
from fivenines.cli.output import console
from fivenines.load.bench.outcome import Outcome
from fivenines.results.load_parts import TypeCounts
from fivenines.results.records import InvariantCheck

TIMES = ("p50", "p90", "p95", "p99", "p999", "p9999", "max", "mean")
_HEADINGS = ("p50", "p90", "p95", "p99", "p99.9", "p99.99", "max", "mean")
_MESSAGE = 60

Rows = list[list[str]]


def show(outcome: Outcome, headline: Sequence[str]) -> None:
    """Print all tables of an outcome."""
    for line in headline:
        console.say(line, "bold")
    console.say("")
    console.table(["throughput", ""], _throughput(outcome), right=[""])
    _section(*_outcomes(outcome))
    _section(["response time, ms", *_HEADINGS], _times(outcome))
    _section(["step", "rate", "conns", "tps", "failed", "p50", "p95", "p99", "max"], _steps(outcome))
    _section(["errors", "code", "count", "from", "to", "message"], _errors(outcome), left=(0, 1, 5))
    _section(["window", "rate", "tps", "ms", "bound"], _windows(outcome), left=(0, 4))
    for line in _search(outcome):
        console.say(line)
    console.say("")
    for line in _about(outcome):
        console.say(line)


def show_checks(checks: Sequence[InvariantCheck]) -> None:
    """Print the outcome of each invariant, with the offending rows."""
    console.say("")
    words = {"holds": "holds", "violated": "VIOLATED", "unknown": "unknown"}
    rows = []
    for check in checks:
        detail = f": {check.detail}" if check.detail and check.status != "holds" else ""
        rows.append([words[check.status], f"{check.name}{detail}"])
        for row in check.offending:
            rows.append(["", "  " + ", ".join(f"{key}={value}" for key, value in row.items())])
    console.table(["result", "invariant, checked after the load"], rows)


def write_csv(outcome: Outcome, file: Path) -> None:
    """Write a line for all transactions, and one per type if there are several."""
    with file.open("w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out)
        counts = ("ok", "expected", "failed", "in_doubt", "retries")
        writer.writerow(["transactions", "per_s", *counts, *(f"{name}_ms" for name in TIMES)])
        for counted, latency in _by_type(outcome):
            writer.writerow(
                [counted.name, round(counted.ok / outcome.seconds, 3) if outcome.seconds else ""]
                + [getattr(counted, name) for name in counts]
                + [round(getattr(latency, name), 4) if latency else "" for name in TIMES]
            )


def _section(headings: Sequence[str], rows: Rows, left: Sequence[int] = (0,)) -> None:
    if rows:
        console.say("")
        right = [name for index, name in enumerate(headings) if index not in left]
        console.table(headings, rows, right=right)


def _throughput(outcome: Outcome) -> Rows:
    return [[unit, f"{value:.1f}"] for unit, value in outcome.throughput.items()]


def _by_type(outcome: Outcome) -> Iterator[tuple[TypeCounts, Latency | None]]:
    """Yield the counts of all transactions, then of each type if there are several."""
    yield outcome.total, outcome.latencies.get("")
    if len(outcome.types) > 1:
        for one in outcome.types:
            yield one, outcome.latencies.get(one.name)


def _outcomes(outcome: Outcome) -> tuple[list[str], Rows]:
    """Return the table of outcomes, without columns of zeros other than failed and in doubt."""
    always = {"ok": "ok", "failed": "failed", "in_doubt": "in doubt"}
    some = {
        key: word
        for key, word in {"expected": "expected", "retries": "retries"}.items()
        if getattr(outcome.total, key)
    }
    columns = {**always, **some}
    rows = [[one.name, *(str(getattr(one, key)) for key in columns)] for one, _ in _by_type(outcome)]
    return ["transactions", *columns.values()], rows


def _times(outcome: Outcome) -> Rows:
    rows = [
        [one.name, *(ms(getattr(latency, name)) for name in TIMES)]
        for one, latency in _by_type(outcome)
        if latency is not None
    ]
    connect = outcome.connect
    if connect is not None and connect.n > 1:
        rows.append(["(connecting)", *(ms(getattr(connect, name)) for name in TIMES)])
    return rows


def _steps(outcome: Outcome) -> Rows:
    """Return a row per step; none for a load without steps, or for a search."""
    steps = outcome.record.steps
    if len(steps) < 2 or outcome.record.search:
        return []
    rows = []
    for step in steps:
        seconds = step.to_s - step.from_s
        rows.append(
            [
                f"{step.from_s:.0f}-{step.to_s:.0f} s",
                "-" if step.rate is None else rate(step.rate),
                "-" if step.connections is None else str(step.connections),
                rate(step.ok / seconds) if seconds > 0 else "-",
                str(step.failed),
                ms(step.p50_ms),
                ms(step.p95_ms),
                ms(step.p99_ms),
                ms(step.max_ms),
            ]
        )
    return rows


def _errors(outcome: Outcome) -> Rows:
    return [
        [
            error.kind,
            error.code,
            str(error.count),
            _at(error.first_ms),
            _at(error.last_ms),
            _shortened(error.message),
        ]
        for error in outcome.errors
    ]


def _search(outcome: Outcome) -> Iterator[str]:
    """Describe the rate that the search found, with its interval."""
    search = outcome.record.search
    if search is None:
        return
    yield ""
    bound = f"{search.percentile} within {ms(search.bound)} ms"
    if search.rate is None:
        yield f"search: no rate meets {bound}; see the windows above"
        return
    low, high = search.low, search.high
    between = "" if low is None or high is None else f" (95 % interval {rate(low)} to {rate(high)})"
    yield f"search: {rate(search.rate)} transactions/s{between} meet {bound}"


def _windows(outcome: Outcome) -> Rows:
    """Return a row per rate that the search has tried."""
    search = outcome.record.search
    return [
        [
            f"{window.from_s:.0f}-{window.to_s:.0f} s",
            rate(window.rate),
            rate(window.achieved),
            ms(window.value_ms),
            "met" if window.kept else window.reason or "missed",
        ]
        for window in (search.windows if search else ())
    ]


# Share of the transactions that are due but not started at the end, above which the rate was not reached.
BACKLOG = 0.05


def _about(outcome: Outcome) -> Iterator[str]:
    """Describe the schedule, the connects, and the load generator's own cost."""
    schedule, connects = outcome.record.schedule, outcome.record.connects
    if (work := outcome.record.work) is not None:
        ended = "completed" if work.completed else "CUT before it was completed"
        yield f"work: {work.done} transactions in {work.total_s:.3f} s, {ended}"
    if schedule is not None and schedule.open:
        yield (
            f"schedule: {schedule.started} started; backlog at most {_known(schedule.backlog_max)}, "
            f"at the end {_known(schedule.backlog_end)}"
        )
        lag = f"p99 {_us(schedule.lag_p99_us)}, at most {_us(schedule.lag_max_us)}"
        yield f"delay of starts behind the schedule: {lag}"
        late = schedule.backlog_end or 0
        due = schedule.started + late
        # A search tries rates that are too high.
        if schedule.kind == "open" and late > BACKLOG * due:
            yield (
                f"CAUTION: The offered rate was not reached: {late} of {due} transactions were due and not "
                "started at the end. Response times contain a wait that grows with the duration."
            )
    if connects is not None:
        refused = f", {connects.refused} refused" if connects.refused else ""
        yield f"connects: {connects.ok} ok, {connects.failed} failed{refused}"
    elif outcome.record.connects_ok is not None:
        yield f"connects: {outcome.record.connects_ok} ok, {outcome.record.connects_failed} failed"
    yield from _client(outcome)
    if outcome.total.failed or outcome.total.in_doubt:
        yield (
            f"{outcome.total.failed} of {_all(outcome)} transactions failed, "
            f"{outcome.total.in_doubt} in doubt"
        )


def _client(outcome: Outcome) -> Iterator[str]:
    client, cost = outcome.record.client, outcome.cpu_us_per_query
    if cost is not None and client is not None and client.cpu_s is not None and client.wall_s:
        share = 100 * client.cpu_s / client.wall_s
        yield f"load generator: {cost:.1f} us CPU per query, {share:.0f} % of one core"
    if outcome.limit:
        yield f"CAUTION: {outcome.limit}"


def _all(outcome: Outcome) -> int:
    total = outcome.total
    return total.ok + total.expected + total.failed + total.in_doubt


def _at(milliseconds: float | None) -> str:
    return "-" if milliseconds is None else f"{milliseconds / 1000:.1f} s"


def _known(value: int | None) -> str:
    return "?" if value is None else str(value)


def _us(microseconds: float | None) -> str:
    return "?" if microseconds is None else f"{ms(microseconds / 1000)} ms"


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MESSAGE else f"{line[: _MESSAGE - 3]}..."
