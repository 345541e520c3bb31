"""What came of the client stacks of a trial: from the first fault on, or in the steady window without one."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fivenines.analysis.figure_cache import Kind
from fivenines.analysis.stacks.figures import Attempt, Figures, Gap, Rows, figures, judge, longest, spans
from fivenines.analysis.stacks.pools import PoolFigures, PoolSample, pool_figures
from fivenines.analysis.tables import Columns, by_trial
from fivenines.results.records import TrialRecord
from fivenines.results.stacks import StackRecord
from fivenines.results.store import StoredTrial


@dataclass(frozen=True)
class Held:
    """Connections of a stack to the hosts that a fault has hit.

    Attributes:
        at_end: their number at the end of the observation.
        ms: time from the fault until there was none for the first time; `open`: there always was one.
    """

    at_end: int
    ms: float
    open: bool


@dataclass(frozen=True)
class StackMeasures:
    """A stack of a trial; times in ms.

    Attributes:
        name: its name.
        figures: of the time from the first fault on: gaps begin at the fault, at the earliest.
        pool: what its pool counted in the same time.
        before: its longest gap in the steady window, without any fault: what pauses and a slow machine do;
            None: the steady window has no length.
        held: its connections to the hosts that were hit; None: they were not observed, or it never had an
            address of any of them, as behind a proxy.
        died: when its program ended by itself, from the fault on (negative: before); None: it did not.
        problems: what is wrong with its program's lines.
        writing: from when to when it committed, from the fault on (negative: before), as a picture shows it.
        failing: the same for attempts that failed or are in doubt.
    """

    name: str
    figures: Figures
    pool: PoolFigures
    before: float | None
    held: Held | None
    died: float | None
    problems: tuple[str, ...]
    writing: tuple[tuple[float, float], ...]
    failing: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class TrialStacks:
    """All stacks of a trial in the order of the experiment."""

    stacks: tuple[StackMeasures, ...]


# A picture begins so many ms before the fault, and joins what is at most so far apart, besides pauses.
_BEFORE, _JOINED = 5000.0, 100.0

_ATTEMPTS = """
    SELECT trial, stack, worker, n, attempt, started_us, completed_us, outcome, stage, code
    FROM rows ORDER BY trial, stack, completed_us
"""
_ROWS = "SELECT trial, stack, n, rows AS found FROM rows ORDER BY trial, stack"
_CONNECTIONS = "SELECT trial, t_ms, stack, server, connections FROM rows ORDER BY trial, t_ms"


def measured(trials: Sequence[StoredTrial]) -> list[TrialStacks]:
    """Return the stacks of each trial; a trial without stacks has none."""
    some = [trial for trial in trials if trial.record.stacks]
    attempts = by_trial(some, "stack_attempts", _ATTEMPTS)
    rows = by_trial(some, "stack_rows", _ROWS)
    connections = by_trial(some, "stack_connections", _CONNECTIONS)
    pools = by_trial(some, "stack_pools", _POOLS)
    return [
        _of_trial(
            trial.record,
            attempts.get(trial.folder.name),
            rows.get(trial.folder.name),
            connections.get(trial.folder.name),
            _samples(pools.get(trial.folder.name)),
        )
        for trial in trials
    ]


# -1: not counted.
_POOLS = """
    SELECT trial, stack, at_us, coalesce(waiting, -1) AS waiting, coalesce(open, -1) AS open,
        coalesce(idle, -1) AS idle, coalesce(created, -1) AS created
    FROM rows ORDER BY trial, at_us
"""

STACKS = Kind("stacks", TrialStacks, measured)


def _of_trial(
    record: TrialRecord,
    attempts: Columns | None,
    rows: Columns | None,
    connections: Columns | None,
    samples: Mapping[int, Sequence[PoolSample]],
) -> TrialStacks:
    if attempts is None:
        return TrialStacks(())
    every: dict[int, list[Attempt]] = defaultdict(list)
    columns = [attempts[name].tolist() for name in ("stack", *Attempt._fields[:3])]
    columns += [attempts[name].tolist() for name in Attempt._fields[3:]]
    for stack, *values in zip(*columns, strict=True):
        every[stack].append(Attempt(*values))
    found: dict[int, dict[int, int]] = defaultdict(dict)
    if rows is not None:
        for stack, n, number in zip(*(rows[name].tolist() for name in ("stack", "n", "found")), strict=True):
            found[stack][n] = number
    return TrialStacks(
        tuple(
            _of_stack(
                record,
                stack,
                every[number],
                found[number],
                _held(record, stack, number, connections),
                samples.get(number, ()),
            )
            for number, stack in enumerate(record.stacks)
        )
    )


def _samples(pools: Columns | None) -> dict[int, list[PoolSample]]:
    """Return the samples of each stack's pool; a run of an earlier version has none."""
    found: dict[int, list[PoolSample]] = defaultdict(list)
    if pools is not None:
        columns = [pools[name].tolist() for name in ("stack", *PoolSample._fields)]
        for stack, at_us, *counted in zip(*columns, strict=True):
            found[stack].append(PoolSample(at_us, *(None if number < 0 else number for number in counted)))
    return found


def _of_stack(
    record: TrialRecord,
    stack: StackRecord,
    attempts: list[Attempt],
    found: dict[int, int],
    held: Held | None,
    samples: Sequence[PoolSample],
) -> StackMeasures:
    windows = record.windows
    fault = record.fault
    start = round(1000 * (windows.warmup_end if windows else 0.0))
    steady_end = round(1000 * (windows.steady_end if windows else stack.end_ms))
    end = round(1000 * stack.end_ms)
    since, until = (start, steady_end) if fault is None else (round(1000 * fault.at), end)
    rows: Rows | None = None if stack.unread else judge(attempts, found)
    before: Gap | None = None
    if (calm := min(steady_end, since if fault is not None else steady_end)) > start:
        committed = sorted(item.completed_us for item in attempts if item.outcome == "committed")
        before = longest(committed, start, calm)
    pause = max(stack.think_ms, stack.pause_ms)
    return StackMeasures(
        stack.name,
        figures(attempts, stack.workers, pause, since, until, rows),
        pool_figures(samples, since, until),
        before.length if before else None,
        held,
        None if stack.ended_ms is None else stack.ended_ms - since / 1000,
        tuple(stack.problems),
        _spans(attempts, True, since, pause),
        _spans(attempts, False, since, pause),
    )


def _spans(
    attempts: list[Attempt], committed: bool, since: int, pause: float
) -> tuple[tuple[float, float], ...]:
    """Return the times with attempts that were committed or not, in ms from `since`."""
    moments = sorted(
        (item.completed_us - since) / 1000
        for item in attempts
        if (item.outcome == "committed") == committed and item.completed_us >= since - 1000 * _BEFORE
    )
    return tuple((round(a, 1), round(b, 1)) for a, b in spans(moments, _JOINED + 2 * pause))


def _held(record: TrialRecord, stack: StackRecord, number: int, connections: Columns | None) -> Held | None:
    """Return a stack's connections to the hosts that the first fault has hit."""
    fault, deployment = record.fault, record.deployment
    if fault is None or deployment is None or connections is None:
        return None
    hit = {deployment.hosts[name].address for name in [fault.node, *fault.nodes] if name in deployment.hosts}
    # A name in the DNS leads to addresses that only the connections show.
    own = connections["server"][connections["stack"] == number].tolist()
    if not hit & {server.rpartition(":")[0] for server in (*stack.servers, *own)}:
        return None
    held: dict[str, int] = {}
    gone: float | None = fault.at
    names = ("t_ms", "stack", "server", "connections")
    for t, own, server, count in zip(*(connections[name].tolist() for name in names), strict=True):
        if own == number and server.rpartition(":")[0] in hit:
            held[server] = count
            if t < fault.at:
                # A look that began before the fault may have ended after it.
                gone = None if sum(held.values()) else fault.at
            elif gone is None and not sum(held.values()):
                gone = t
    return Held(
        sum(held.values()), round((stack.end_ms if gone is None else gone) - fault.at, 1), gone is None
    )
