"""Events that a trial has or has not: losses, split brain, violations."""

from fivenines.analysis.measures.measure import Measure, Seen, TrialMeasures


def _counted(name: str) -> Seen:
    def seen(trial: TrialMeasures) -> bool | None:
        number = getattr(trial, name)
        return None if number is None else number > 0

    return seen


def _not_recovered(trial: TrialMeasures) -> bool | None:
    result = trial.availability
    return None if result is None or result.writes is None else not result.writes.back


def _each_loss(trial: TrialMeasures) -> list[bool] | None:
    if trial.deaths is None or trial.each_death is None:
        return None
    lost = [one.lost for one in trial.deaths.deaths]
    return None if None in lost else [bool(rows) for rows in lost]


def _each_not_recovered(trial: TrialMeasures) -> list[bool] | None:
    writes = [one.availability.writes for one in trial.each_death or ()]
    return [not one.back for one in writes if one is not None]


def _each_split_brain(trial: TrialMeasures) -> list[bool] | None:
    if trial.each_death is None or not trial.watched:
        return None
    windows = [one.fault_window for one in trial.each_death]
    begins = [one.overlap.start for one in trial.split_brains]
    return [any(window.at <= begin < window.until for begin in begins) for window in windows]


def _each_needless(trial: TrialMeasures) -> list[bool] | None:
    found = trial.in_turn
    if found is None:
        return None
    # The first failover ends the count.
    last = len(found.lengths) - 1
    return [found.failover is not None and number == last for number in range(last + 1)]


def _cut(trial: TrialMeasures) -> bool | None:
    return not trial.work.completed if trial.work else None


def _split_brain(trial: TrialMeasures) -> bool | None:
    return bool(trial.split_brains) if trial.watched else None


def _needless(trial: TrialMeasures) -> bool | None:
    result = trial.response
    return result.needless if result is not None and result.counts else None


def _violated(trial: TrialMeasures) -> bool | None:
    checked = [invariant.status for invariant in trial.record.invariants if invariant.status != "unknown"]
    return "violated" in checked if checked else None


def _diverged(trial: TrialMeasures) -> bool | None:
    result = trial.record.divergence
    return bool(result.differences) if result and result.tables else None


def _connect_errors(trial: TrialMeasures) -> bool | None:
    return trial.connects.failed > 0 if trial.connects else None


ENTRIES = (
    Measure(
        "not_recovered",
        "Writes not recovered",
        "writes not recovered before the end",
        "event",
        when="fault",
        source="a fault",
        never="writes recovered",
        seen=_not_recovered,
        seen_each=_each_not_recovered,
    ),
    Measure(
        "cut", "Work cut", "work stopped before its end", "event", when="load", source="fixed work", seen=_cut
    ),
    Measure(
        "lost",
        "Lost rows",
        "acknowledged rows lost",
        "event",
        source="ledger",
        never="no acknowledged row lost",
        seen=_counted("lost"),
        seen_each=_each_loss,
    ),
    Measure(
        "phantom",
        "Phantom rows",
        "refused rows found",
        "event",
        source="ledger",
        never="no refused row found",
        seen=_counted("phantom"),
    ),
    Measure(
        "duplicate",
        "Duplicate rows",
        "rows found twice",
        "event",
        source="ledger",
        never="no row found twice",
        seen=_counted("duplicate"),
    ),
    Measure(
        "stale",
        "Stale reads",
        "reads that missed an acknowledged row",
        "event",
        source="ledger",
        never="no stale read",
        seen=_counted("stale"),
    ),
    Measure(
        "split_brain", "Split brain", "split brain", "event", seen=_split_brain, seen_each=_each_split_brain
    ),
    Measure(
        "needless_failover",
        "Needless failovers",
        "failovers although no server had died",
        "event",
        source="a fault that kills no server, or none",
        never="no failover without a death",
        seen=_needless,
        seen_each=_each_needless,
    ),
    Measure(
        "violated",
        "Invariants violated",
        "invariants of the workload violated",
        "event",
        never="invariants of the workload hold",
        seen=_violated,
    ),
    Measure(
        "diverged",
        "Nodes differ",
        "nodes with different rows at the end",
        "event",
        never="all nodes have the same rows",
        seen=_diverged,
    ),
    Measure("connect_errors", "Connects failed", "connects that failed", "event", seen=_connect_errors),
)
