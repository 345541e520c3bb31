"""The ledger's writes, its reads and the nodes' views, read for many trials by one query."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from fivenines.analysis.consistency.consistency import primary_check
from fivenines.analysis.tables import Columns, readable_ledger
from fivenines.base.errors import FiveninesError
from fivenines.results.reading import rows_of
from fivenines.results.store import StoredTrial, table_path

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

# Greatest id of a client without any row; ids begin at 1.
NOTHING = 0


@dataclass(frozen=True)
class Writes:
    """One client's acknowledged writes: those that survived the trial, and those that were lost.

    Ids in rising order, with the µs of their acknowledgements.
    """

    ids: Ints
    acknowledged: Ints
    lost_ids: Ints
    lost_acknowledged: Ints


@dataclass(frozen=True)
class Shown:
    """Results of reads: beginning and end in µs, the reading client, and a column of `seen` for each
    client.
    """

    at: Ints
    end: Ints
    client: Ints
    seen: Ints

    def chosen(self, rows: Flags | Ints) -> "Shown":
        """Return the chosen rows."""
        return Shown(self.at[rows], self.end[rows], self.client[rows], self.seen[rows])


@dataclass(frozen=True)
class Ledger:
    """The ledger of a trial: writes of each client, reads by endpoint, views by node, ordered by name."""

    writes: list[Writes]
    reads: dict[str, Shown]
    views: dict[str, Shown]


# Index of a row's trial among the requested trials.
_OF = "list_position(?, trial) - 1 AS trial"
_WRITES = f"""
    SELECT {_OF}, client, id, min(completed_us) AS acknowledged
    FROM rows WHERE kind = 'write' AND outcome = 'ok' GROUP BY ALL ORDER BY trial, client, id
"""
_EXECUTED = f"SELECT {_OF}, id FROM rows"
_READS = f"""
    SELECT {_OF}, endpoint AS name, started_us AS at, completed_us AS ended, client, {{seen}} FROM rows
    WHERE kind = 'read' AND outcome = 'ok' AND seen IS NOT NULL
"""
_VIEWS = f"""
    SELECT {_OF}, node AS name, t_us AS at, t_us AS ended, 0 AS client, {{seen}} FROM rows
    WHERE seen IS NOT NULL
"""


def read(trials: Sequence[StoredTrial]) -> list[Ledger]:
    """Read the ledger of each trial; without the table of views there are no views.

    Raises:
        FiveninesError: a table of one of them is damaged.
    """
    if not trials:
        return []
    with readable_ledger(trials[0].folder):
        writes = _all_writes(trials)
        reads = _shown(trials, "ledger", _READS)
        views = _shown(trials, "views", _VIEWS)
    return [
        Ledger(writes.get(index, []), reads.get(index, {}), views.get(index, {}))
        for index in range(len(trials))
    ]


def lost_moments(trial: StoredTrial) -> list[float] | None:
    """Return when each lost row was acknowledged, in ms.

    None if that is not known of every lost row: the primary of record could not be read, a table is missing
    or damaged, or the tables show another number of lost rows than the check.
    """
    check = trial.record.check
    node = primary_check(check) if check is not None else None
    if node is None or not table_path(trial.folder, "ledger").is_file():
        return None
    try:
        with readable_ledger(trial.folder):
            clients = _all_writes([trial]).get(0, [])
    except FiveninesError:
        # The note of the trial's other figures of its ledger says so.
        return None
    found = sorted(float(moment) / 1000 for client in clients for moment in client.lost_acknowledged)
    return found if len(found) == node.lost else None


def _paths(trials: Sequence[StoredTrial], table: str) -> list[Path]:
    return [path for trial in trials if (path := table_path(trial.folder, table)).is_file()]


def _rows(trials: Sequence[StoredTrial], table: str, sql: str) -> Iterator[tuple[int, Columns]]:
    """Yield the rows of each trial that has any, with its place; in the order of the table, or of the
    query.
    """
    paths = _paths(trials, table)
    if not paths:
        return
    folders = [trial.folder.name for trial in trials]
    with rows_of(paths) as (connection, source, values):
        result = connection.execute(f"WITH rows AS ({source}) {sql}", [*values, folders]).fetchnumpy()
    columns = {name: np.ma.filled(column, 0) for name, column in result.items()}
    order = np.argsort(columns["trial"], kind="stable")
    own = columns["trial"][order]
    starts = [0, *(np.flatnonzero(own[1:] != own[:-1]) + 1).tolist(), len(own)]
    for low, high in pairwise(starts):
        if low < high:
            rows = order[low:high]
            yield int(own[low]), {name: column[rows] for name, column in columns.items()}


def _all_writes(trials: Sequence[StoredTrial]) -> dict[int, list[Writes]]:
    """Return the writes of each client, by the place of the trial."""
    executed = {index: rows["id"] for index, rows in _rows(trials, "executed", _EXECUTED)}
    return {
        index: _writes(rows, _lost(trials[index], rows["id"], executed.get(index)))
        for index, rows in _rows(trials, "ledger", _WRITES)
    }


def _writes(rows: Columns, lost: Ints) -> list[Writes]:
    client, ids, acknowledged = (rows[name].astype(np.int64) for name in ("client", "id", "acknowledged"))
    absent = np.isin(ids, lost)
    writes = []
    for number in range(int(client.max(initial=-1)) + 1):
        own = client == number
        survived, missing = own & ~absent, own & absent
        writes.append(Writes(ids[survived], acknowledged[survived], ids[missing], acknowledged[missing]))
    return writes


def _lost(trial: StoredTrial, ids: Ints, executed: Ints | None) -> Ints:
    """Return those of the ids that are absent after the trial."""
    known = lost_by_check(trial)
    if known is None:
        existing = np.zeros(0, dtype=np.int64) if executed is None else executed
        return np.setdiff1d(ids, existing)
    return np.array(known, dtype=np.int64)


def lost_by_check(trial: StoredTrial) -> tuple[int, ...] | None:
    """Return the ids that the check lists as lost; None where the table `executed` has the surviving ones."""
    if table_path(trial.folder, "executed").is_file():
        return None
    check = trial.record.check
    nodes, primary = (check.nodes, check.primary) if check else ([], "")
    return tuple(lost_id for node in nodes if node.node == primary for lost_id in node.lost_ids)


def _shown(trials: Sequence[StoredTrial], table: str, sql: str) -> dict[int, dict[str, Shown]]:
    """Return the results of reads or views in each trial, by endpoint or node."""
    paths = _paths(trials, table)
    if not paths:
        return {}
    with rows_of(paths) as (connection, source, values):
        size = f"SELECT coalesce(max(len(seen)), 0) FROM ({source})"
        (clients,) = connection.execute(size, values).fetchone() or (0,)
    seen = [f"coalesce(seen[{n + 1}], {NOTHING}) AS s{n}" for n in range(clients)]
    requested = sql.format(seen=", ".join([*seen, "1"]))
    return {index: _by_name(rows, clients) for index, rows in _rows(trials, table, requested)}


def _by_name(rows: Columns, clients: int) -> dict[str, Shown]:
    seen = [rows[f"s{n}"] for n in range(clients)]
    at, ended, client = (rows[name].astype(np.int64) for name in ("at", "ended", "client"))
    empty = np.zeros((len(at), 0), dtype=np.int64)
    shown = Shown(at, ended, client, np.stack(seen, axis=1).astype(np.int64) if seen else empty)
    names, which = np.unique(rows["name"].astype(str), return_inverse=True)
    return {str(name): shown.chosen(which == index) for index, name in enumerate(names)}
