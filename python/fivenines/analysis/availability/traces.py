"""Tables of a trial that describe its failovers: the load's time line, ledger, nodes, views."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

import numpy as np

from fivenines.analysis.availability.availability import Ints, Timeline, timeline
from fivenines.analysis.availability.node_states import StateChange
from fivenines.analysis.availability.recovery import Acks, Floats, LoadLine, Views
from fivenines.analysis.figure_cache import Kind, cached
from fivenines.analysis.tables import Columns, by_trial, split
from fivenines.base.errors import FiveninesError
from fivenines.results.store import StoredTrial, query, table_path

_T = TypeVar("_T")

_SLOTS = """
    SELECT trial, slot_ms AS slot, source = 'load' AS load, coalesce(reads_ok, 0) AS reads,
           coalesce(writes_ok, 0) AS writes, coalesce(transactions_ok, 0) AS transactions,
           coalesce(queries_ok, 0) AS queries, coalesce(reads_failed + writes_failed, 0) AS failed,
           coalesce(writes_in_doubt, 0) AS in_doubt, {timeouts} AS timeouts
    FROM rows
"""
_ATTEMPTS = """
    SELECT trial, completed_us / 1000.0 AS t
    FROM rows WHERE outcome = 'ok' AND completed_us IS NOT NULL ORDER BY trial, t
"""
_ACKS = """
    SELECT trial, completed_us / 1000.0 AS t, client::BIGINT AS client, id
    FROM rows WHERE kind = 'write' AND outcome = 'ok' AND completed_us IS NOT NULL
    ORDER BY trial, completed_us
"""
_NODES = """
    SELECT trial, t_us / 1000.0 AS t, node, state, coalesce(epoch, '') AS epoch
    FROM rows ORDER BY trial, t_us
"""
_VIEWS = """
    SELECT trial, node, t_us / 1000.0 AS t, client - 1 AS client, coalesce(seen[client], -1) AS seen
    FROM (SELECT *, unnest(generate_series(1, len(seen))) AS client FROM rows)
    ORDER BY trial, node, client, t
"""


def _no_load() -> LoadLine:
    none = np.zeros(0, dtype=np.int64)
    return LoadLine(none, none, none, none, none)


def _no_acks() -> Acks:
    none = np.zeros(0, dtype=np.int64)
    return Acks(np.zeros(0), none, none)


@dataclass(frozen=True)
class Traces:
    """The tables of one trial; missing ones are empty. All times in ms of the load.

    `attempts`: times of successful new connections, ascending; None without attempts. `timeouts`: slots in
    which a client time-out ended an operation or a connect.
    """

    line: Timeline = field(default_factory=lambda: timeline([]))
    load: LoadLine = field(default_factory=_no_load)
    acks: Acks = field(default_factory=_no_acks)
    states: dict[str, list[StateChange]] = field(default_factory=dict)
    views: dict[str, Views] = field(default_factory=dict)
    attempts: Floats | None = None
    timeouts: Floats = field(default_factory=lambda: np.zeros(0))


def read_line(trial: StoredTrial) -> Timeline:
    """Return the time line of one trial; empty where there is none, or it is damaged."""
    return _recent_line(trial.folder, _changed(table_path(trial.folder, "timeline")), _Once(trial))


def prepare_lines(trials: Sequence[StoredTrial]) -> None:
    """Compute the time lines of trials that will be drawn, with their tables read together."""
    for _ in cached(LINES, trials):
        pass


@dataclass(frozen=True)
class _Once:
    """A trial that is excluded from a cache key, as its record has no hash."""

    trial: StoredTrial = field(compare=False)


@lru_cache(maxsize=64)
def _recent_line(_folder: Path, _changed: int, of: _Once) -> Timeline:
    """Return a cached time line: drawings use the same few trials repeatedly."""
    return next(cached(LINES, [of.trial]))


def _lines(trials: Sequence[StoredTrial]) -> list[Timeline]:
    result = by_trial(trials, "timeline", _SLOTS.format(timeouts=0))
    nothing = timeline([])
    return [_line(result[trial.folder.name]) if trial.folder.name in result else nothing for trial in trials]


# Cached time lines of drawn trials: reading a row of the store is much faster than a query.
LINES = Kind("line", Timeline, _lines)


def _changed(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def read_traces(trials: Sequence[StoredTrial]) -> tuple[dict[Path, Traces], dict[Path, list[str]]]:
    """Return the traces of each trial by its folder, with notes on damaged tables and missing time lines."""
    notes: dict[Path, list[str]] = {}
    slots = _each(trials, "timeline", _slots, lambda columns: columns, notes)
    for trial in trials:
        if trial.folder not in slots:
            missing = f"{table_path(trial.folder, 'timeline')}: no time line was recorded"
            notes.setdefault(trial.folder, [missing])
    acks = _each(trials, "ledger", lambda _: _ACKS, _acks, notes)
    states = _each(trials, "nodes", lambda _: _NODES, _states, notes)
    views = _each(trials, "views", lambda _: _VIEWS, _views, notes)
    attempts = _each(trials, "probes", lambda _: _ATTEMPTS, _moments, notes)
    result = {
        trial.folder: Traces(
            _line(slots[trial.folder]) if trial.folder in slots else timeline([]),
            _load(slots[trial.folder]) if trial.folder in slots else _no_load(),
            acks.get(trial.folder) or _no_acks(),
            states.get(trial.folder, {}),
            views.get(trial.folder, {}),
            attempts.get(trial.folder),
            _timeouts(slots[trial.folder]) if trial.folder in slots else np.zeros(0),
        )
        for trial in trials
    }
    return result, notes


def _each(
    trials: Sequence[StoredTrial],
    table: str,
    sql: Callable[[Sequence[StoredTrial]], str],
    build: Callable[[Columns], _T],
    notes: dict[Path, list[str]],
) -> dict[Path, _T]:
    """Read one table of all trials, by folder; a damaged table affects its trial only."""
    try:
        rows = split(query(trials, table, sql(trials), mixed=table == "timeline"), "trial")
        return {trial.folder: build(rows[trial.folder.name]) for trial in trials if trial.folder.name in rows}
    except FiveninesError as error:
        if len(trials) == 1:
            notes.setdefault(trials[0].folder, []).append(str(error))
            return {}
    result: dict[Path, _T] = {}
    for trial in trials:
        result |= _each([trial], table, sql, build, notes)
    return result


def _slots(trials: Sequence[StoredTrial]) -> str:
    """Return the query of the time line; runs of older versions have no column `timeouts`."""
    known = "timeouts" in query(trials, "timeline", "SELECT * FROM rows LIMIT 0", mixed=True)
    return _SLOTS.format(timeouts="coalesce(timeouts, 0)" if known else "0")


def _line(slots: Columns) -> Timeline:
    of_load = {name: np.where(slots["load"], slots[name], 0) for name in ("transactions", "queries")}
    return Timeline(**_summed({**slots, **of_load}, "reads", "writes", "transactions", "queries"))


def _load(slots: Columns) -> LoadLine:
    own = {name: column[slots["load"]] for name, column in slots.items()}
    return LoadLine(**_summed(own, "writes", "transactions", "failed", "in_doubt"))


def _timeouts(slots: Columns) -> Floats:
    return np.unique(slots["slot"][slots["timeouts"] > 0]).astype(float)


def _summed(rows: Columns, *names: str) -> dict[str, Ints]:
    """Return the sums of columns over the rows of each slot, by ascending slot."""
    order = np.argsort(rows["slot"], kind="stable")
    slots = rows["slot"][order]
    first = np.flatnonzero(np.diff(slots, prepend=slots[:1] - 1))
    sums = {name: np.add.reduceat(rows[name][order].astype(np.int64), first) for name in names}
    return {"slot": slots[first], **sums}


def _acks(columns: Columns) -> Acks:
    return Acks(columns["t"].astype(float), columns["client"], columns["id"])


def _moments(columns: Columns) -> Floats:
    return columns["t"].astype(float)


def _states(columns: Columns) -> dict[str, list[StateChange]]:
    changes: dict[str, list[StateChange]] = {}
    names = ("node", "t", "state", "epoch")
    for node, t, state, epoch in zip(*(columns[name] for name in names), strict=True):
        changes.setdefault(str(node), []).append(StateChange(float(t), str(state), str(epoch)))
    return changes


def _views(columns: Columns) -> dict[str, Views]:
    return {node: _views_of(part) for node, part in split(columns, "node").items()}


def _views_of(columns: Columns) -> Views:
    """Return the views of a node; a client that started later has no row in earlier views."""
    looks = np.unique(columns["t"].astype(float))
    seen = {}
    for client, part in split(columns, "client").items():
        ids = np.full(len(looks), -1, dtype=np.int64)
        ids[np.searchsorted(looks, part["t"].astype(float))] = part["seen"]
        seen[int(client)] = ids
    return Views(looks, seen)
