"""Check whether a load was served at all: a window without service has no figures.

Throughput and response times come from successful transactions. Where most transactions fail, these figures
describe the few others, and a comparison of two solutions compares what they refused. The steady window of a
trial, or the whole of a load without one, is *not served* if one of these is true:

Nothing succeeded
    No transaction succeeded in the window.
Most failed
    More transactions failed than succeeded. Deadlocks, conflicts and lock waits do not count: contention is
    a property of the workload, and its figures are meaningful.
The same failure throughout
    A tenth or more of the transactions failed, most of them with one class and code, which occurred in the
    first second of the load and in the last second of the window: a part of the workload never works.
Connections that never worked
    A tenth or more of the connections met failures and never a success: the load had fewer connections than
    it says. Each failure of theirs may be followed by a pause, so their share of the transactions is small.
Sessions lose their state again and again
    The server forgot prepared statements `OFTEN` times or more, over half the window: a pooler changes the
    server behind a connection. Settings of the sessions are lost as well, without an error.
The service ended
    The last quarter of the window, at least `ENDED_MS`, has failures and no success, or the whole window has
    less than `SMALL` of the best second before its end. Failures by contention alone do not count.

Failures are counted by second, but by class for the whole load only. So the window is assumed to contain all
failures by contention of the whole load: a load is refused only for failures that certainly have other
causes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fivenines.analysis.performance.load import errors_of
from fivenines.analysis.wording import count
from fivenines.results import store
from fivenines.results.load_parts import ErrorEntry
from fivenines.results.load_summary import LoadSummary

# Classes of failures that a workload causes itself.
CONTENTION = ("deadlock", "conflict", "lock_timeout")

# Classes that may accompany a load from its first second on: scripts insert keys that exist.
USUAL = (*CONTENTION, "constraint")

# Share of the transactions that may fail by one class throughout.
SHARE = 0.1

# Share of the best second that the mean of the window must reach.
SMALL = 0.1

# Losses of a session's state, over half a window or more, that are no single event.
OFTEN = 10

# A short stall of a server is a valid figure; this long without a success at the window's end is no service.
ENDED_MS = 5_000.0

# Successes of the best second, below which a second without one says nothing.
ENOUGH = 20

_MESSAGE = 160


@dataclass(frozen=True)
class Second:
    """The transactions that ended in a second, which begins `start` ms after the load's start."""

    start: float
    ok: int
    failed: int


def seconds_of(table: Path) -> list[Second]:
    """Read the transactions of each second from a time line, `timeline.parquet` or `timeline.csv`.

    A failed transaction that had read and written counts as a failed read and as a failed write in the same
    slot, so that the larger of the two is taken.
    """
    sql = """
        SELECT 1000 * (slot_ms // 1000), sum(transactions_ok),
               sum(greatest(reads_failed, writes_failed + writes_in_doubt))
        FROM {} WHERE source = 'load' GROUP BY ALL ORDER BY ALL
    """
    name = "read_csv(?)" if table.suffix == ".csv" else "read_parquet(?)"
    with store.reader() as connection:
        rows = connection.execute(sql.format(name), [str(table)]).fetchall()
    return [Second(float(start), int(ok), int(failed)) for start, ok, failed in rows]


def why_not(
    seconds: Sequence[Second], load: LoadSummary, start: float, end: float, *, in_turn: bool = False
) -> str | None:
    """Return why a load was not served in its window; None if it was.

    Args:
        seconds: of the whole load, ascending; seconds without any transaction may be absent.
        load: the load, once it has ended.
        start: of the window, in ms from the load's start. A second counts by its middle.
        end: of the window.
        in_turn: the load pauses during the windows of other solutions, so silence is no evidence.
    """
    within = [second for second in seconds if start <= second.start + 500 < max(end, start + 1000)]
    ok, failed = sum(item.ok for item in within), sum(item.failed for item in within)
    errors = errors_of(load, "load", scripts=False)
    what = _commonest(errors)
    if not ok:
        if not within and _are_long(seconds, load):
            return None
        return f"no transaction succeeded in {_window(start, end)}: {_ended(failed)}{what}"
    contention = _count(errors, CONTENTION)
    if failed - contention > ok:
        return f"most transactions failed in {_window(start, end)}, {failed} of {failed + ok}{what}"
    if why := _of_a_part(errors, load, (ok, failed), (start, end)):
        return why
    if in_turn or len(load.steps) > 1:
        return None
    return _ended_early(seconds, within, (start, end), contention, what)


def _of_a_part(
    errors: Sequence[ErrorEntry], load: LoadSummary, ended: tuple[int, int], window: tuple[float, float]
) -> str | None:
    """Return the reason if a part of the workload, of the connections or of the sessions does not work."""
    (ok, failed), (start, end) = ended, window
    unusual = failed - _count(errors, USUAL)
    if unusual >= SHARE * (ok + failed) and (entry := _throughout(errors, end)):
        return (
            f"a part of the transactions failed from the first second on, {failed} of {failed + ok} in "
            f"{_window(start, end)}{_words(entry)}"
        )
    idle, connections = load.connections_without_success, load.connections
    if idle and idle >= SHARE * connections:
        return f"{idle} of {count(connections, 'connection')} never worked{_commonest(errors)}"
    lost = next((error for error in errors if error.kind == "session_lost"), None)
    if lost is not None and unusual >= OFTEN and _keeps_happening(lost, start, end):
        return f"the state of sessions was lost {lost.count} times{_words(lost)}"
    return None


def _ended_early(
    seconds: Sequence[Second],
    within: Sequence[Second],
    window: tuple[float, float],
    contention: int,
    what: str,
) -> str | None:
    """Return the reason if the service ended within the window, or before it."""
    start, end = window
    best = max(second.ok for second in seconds if second.start < end)
    if best < ENOUGH:
        return None
    last = max(item.start for item in within if item.ok) + 1000
    silent = end - last
    failed = sum(item.failed for item in within if item.start >= last)
    if failed > contention and silent >= max(ENDED_MS, (end - start) / 4):
        return (
            f"no transaction succeeded in the last {silent / 1000:.0f} s of {_window(start, end)}: "
            f"{_ended(failed)}{what}"
        )
    mean = sum(item.ok for item in within) / max((end - start) / 1000, 1.0)
    if mean < SMALL * best and sum(item.failed for item in within) > contention:
        return (
            f"{_window(start, end)} has {mean:.3g} transactions/s, and the best second before its end has "
            f"{best}{what}"
        )
    return None


def _are_long(seconds: Sequence[Second], load: LoadSummary) -> bool:
    """Return whether transactions are so long that by chance none of them ended in the window."""
    return load.transactions.ok > 0 and max((second.ok for second in seconds), default=0) < ENOUGH


def _count(errors: Sequence[ErrorEntry], classes: Sequence[str]) -> int:
    """Return the failures of the whole load in these classes: an upper bound for its window."""
    return sum(error.count for error in errors if error.kind in classes)


def _throughout(errors: Sequence[ErrorEntry], end: float) -> ErrorEntry | None:
    """Return the commonest unusual failure that spans the load from its first second to the window's last."""
    unusual = [error for error in errors if error.kind not in USUAL]
    if not unusual:
        return None
    first = unusual[0]
    half = sum(error.count for error in unusual) / 2
    throughout = (first.first_ms or 0) < 1000 and (first.last_ms or 0) >= end - 1000
    return first if throughout and first.count >= half else None


def _keeps_happening(entry: ErrorEntry, start: float, end: float) -> bool:
    """Return whether a failure is no single event in the window, as a restart is."""
    seen_for = min(entry.last_ms or 0, end) - max(entry.first_ms or 0, start)
    return entry.count >= OFTEN and seen_for >= (end - start) / 2


def _commonest(errors: Sequence[ErrorEntry]) -> str:
    return _words(errors[0]) if errors else ""


def _words(entry: ErrorEntry) -> str:
    message = " ".join(entry.message.split())
    if len(message) > _MESSAGE:
        message = f"{message[:_MESSAGE]}..."
    text = f"; most often {entry.kind or 'other'} ({entry.code}): {message}"
    if entry.kind == "session_lost":
        text += (
            ". The connection works, but the server lacks its prepared statements: so does a "
            "pooler that changes the server between two transactions. With PostgreSQL, use the protocol "
            "`extended` (`load: {protocol: extended}`, --protocol extended)"
        )
    return text


def _ended(failed: int) -> str:
    return f"{count(failed, 'transaction')} failed" if failed else "none ended"


def _window(start: float, end: float) -> str:
    return f"the window from {start / 1000:.3g} s to {end / 1000:.3g} s"
