"""What came of a client stack: its outage, its workers, its errors, and what its rows show.

A gap is the time between two commits of the whole program, or of a worker. It begins when the last commit
before it was acknowledged, and ends with the next one; the last gap ends when the program was asked to end,
and is then a lower bound. Pauses between transactions are part of a gap.
"""

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

# Seconds without a commit at the end, in addition to a pause, from which a worker has not come back.
SILENT = 3.0


def silent_us(pause_ms: float) -> float:
    """Return the time without a commit, in us, from which a worker with this pause has not come back."""
    return SILENT * 1e6 + 1000 * pause_ms


class Attempt(NamedTuple):
    """An attempt of a transaction; times in us. The fields are the columns of `stack_attempts`.

    Attributes:
        n: number of the logical operation.
        attempt: 1, and one more for each repetition of the same operation.
        outcome: committed, failed or in_doubt.
        stage: how far it got: acquire, work, commit or release.
        code: SQLSTATE, number of the server's error, or name of the driver's.
    """

    worker: int
    n: int
    attempt: int
    started_us: int
    completed_us: int
    outcome: str
    stage: str
    code: str


@dataclass(frozen=True)
class Gap:
    """A time without a commit, in ms from the start; `open`: it had not ended."""

    start: float
    end: float
    open: bool = False

    @property
    def length(self) -> float:
        """Return its length in ms; a lower bound if it is open."""
        return self.end - self.start


@dataclass(frozen=True)
class Rows:
    """What the table shows after the program has ended.

    Attributes:
        twice: operations with more than one row.
        by_driver: those of them with more rows than attempts, which the driver has repeated by itself. An
            attempt that ran when the program ended is in no line and may have left a row.
        lost: operations that were acknowledged and have no row.
        in_doubt_kept: operations in doubt that have a row.
    """

    twice: int
    by_driver: int
    lost: int
    in_doubt_kept: int


@dataclass(frozen=True)
class Figures:
    """Figures of one stack.

    Attributes:
        committed, failed, in_doubt: numbers of attempts.
        gap: the longest time without a commit.
        workers: the longest gap of each worker.
        back: number of workers that committed in the last `SILENT` seconds, or one pause earlier.
        errors: numbers of attempts by stage and code, the most frequent first.
        rows: what the table shows; None: it could not be read.
    """

    committed: int
    failed: int
    in_doubt: int
    gap: Gap
    workers: tuple[Gap, ...]
    back: int
    errors: tuple[tuple[str, str, int], ...]
    rows: Rows | None = field(default=None)

    def as_json(self) -> dict[str, Any]:
        """Return the figures as JSON; times in ms."""
        return {
            "committed": self.committed,
            "failed": self.failed,
            "in_doubt": self.in_doubt,
            "longest_gap_ms": round(self.gap.length, 1),
            "longest_gap_from_ms": round(self.gap.start, 1),
            "longest_gap_ended": not self.gap.open,
            "workers": len(self.workers),
            "workers_back": self.back,
            "worker_gaps_ms": [round(worker.length, 1) for worker in self.workers],
            "errors": [{"stage": stage, "code": code, "count": count} for stage, code, count in self.errors],
            "committed_twice": None if self.rows is None else self.rows.twice,
            "committed_twice_by_driver": None if self.rows is None else self.rows.by_driver,
            "lost": None if self.rows is None else self.rows.lost,
            "in_doubt_kept": None if self.rows is None else self.rows.in_doubt_kept,
        }


def figures(
    attempts: Sequence[Attempt],
    workers: int,
    pause_ms: float,
    started_us: int,
    ended_us: int,
    rows: Rows | None,
) -> Figures:
    """Return the figures of a program's attempts in a time.

    Args:
        attempts: all of its attempts; those of which count that ended in this time.
        workers: its number of workers.
        pause_ms: the longest pause of a worker between two attempts.
        started_us: beginning of the time, such as the moment at which its pool was open.
        ended_us: end of the time.
        rows: what its table shows; None: it could not be read.
    """
    some = [item for item in attempts if started_us <= item.completed_us <= ended_us]
    committed = sorted(item.completed_us for item in some if item.outcome == "committed")
    of_workers: list[list[int]] = [[] for _ in range(workers)]
    for item in some:
        if item.outcome == "committed" and item.worker < workers:
            of_workers[item.worker].append(item.completed_us)
    codes = Counter((item.stage, item.code) for item in some if item.outcome != "committed")
    silent = silent_us(pause_ms)
    return Figures(
        len(committed),
        sum(item.outcome == "failed" for item in some),
        sum(item.outcome == "in_doubt" for item in some),
        longest(committed, started_us, ended_us),
        tuple(longest(sorted(own), started_us, ended_us) for own in of_workers),
        sum(bool(own) and ended_us - max(own) <= silent for own in of_workers),
        tuple((stage, code, number) for (stage, code), number in codes.most_common()),
        rows,
    )


def longest(commits: Sequence[int], started_us: int, ended_us: int) -> Gap:
    """Return the longest time without a commit, between the start and the end."""
    inside = [moment for moment in commits if started_us <= moment <= ended_us]
    edges = [started_us, *inside, ended_us]
    gaps = [
        Gap((a - started_us) / 1000, (b - started_us) / 1000, number == len(inside))
        for number, (a, b) in enumerate(itertools.pairwise(edges))
    ]
    return max(gaps, key=lambda gap: gap.length)


def spans(moments: Sequence[float], within: float) -> list[tuple[float, float]]:
    """Return the times in which moments, in ascending order, follow each other `within` this time."""
    found: list[tuple[float, float]] = []
    for moment in moments:
        if found and moment - found[-1][1] <= within:
            found[-1] = (found[-1][0], moment)
        else:
            found.append((moment, moment))
    return found


def judge(attempts: Sequence[Attempt], found: Mapping[int, int]) -> Rows:
    """Return what the rows show.

    Args:
        attempts: all attempts of a program that has ended.
        found: for each operation in the table, its number of rows.
    """
    tries = Counter(item.n for item in attempts)
    last = {item.worker: item.n for item in sorted(attempts, key=lambda item: item.started_us)}
    acknowledged = {item.n for item in attempts if item.outcome == "committed"}
    doubtful = {item.n for item in attempts if item.outcome == "in_doubt"}
    # The worker may have been in its next attempt of this operation, or in the first one of another.
    unreported = set(last.values()) - acknowledged
    return Rows(
        twice=sum(number > 1 for number in found.values()),
        by_driver=sum(number > max(1, tries[n] + (n in unreported)) for n, number in found.items()),
        lost=sum(n not in found for n in acknowledged),
        in_doubt_kept=sum(n in found for n in doubtful - acknowledged),
    )
