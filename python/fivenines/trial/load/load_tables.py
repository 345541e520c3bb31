"""Tables of a trial, from the files of its loads and observers."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import duckdb

from fivenines.base.errors import FiveninesError
from fivenines.lab.lab import remove_tree
from fivenines.results import layout, store
from fivenines.results.load_summary import LoadSummary
from fivenines.trial.load.loads import Client
from fivenines.trial.load.merged_latency import merge_logs

# Tables that a load generator writes, each into a separate file.
OF_THE_LOAD = ("timeline", "ledger", "probes", "history")

# Conversion of numbers that each load counts separately to unique numbers over all loads.
_NUMBERED = {"history": "txn * {count} + {number} AS txn, client * {count} + {number} AS client"}

_ORDER = {
    "timeline": "slot_ms, source",
    "ledger": "completed_us",
    "probes": "started_us",
    "history": "txn, position",
}


def keep_measurements(
    part: Path, clients: Sequence[Client], observed: Mapping[str, Mapping[str, str]]
) -> None:
    """Convert all files to tables, even after a failed load; merge those of several loads.

    Raises:
        FiveninesError: a file is damaged.
        NoSpaceError: the disk is full.
    """
    for table, own in observed.items():
        _keep(part / layout.OBSERVED / f"{table}.csv", part, table, own)
    remove_tree(part / layout.OBSERVED)
    several = len(clients) > 1
    for client in clients:
        folder = layout.client_folder(part, client.plan.name) if several else part
        folder.mkdir(parents=True, exist_ok=True)
        keep_load(client.load.out, folder)
    if several:
        folders = [layout.client_folder(part, client.plan.name) for client in clients]
        for table in OF_THE_LOAD:
            _unite(table, [store.table_path(folder, table) for folder in folders], part)


def keep_load(load: Path, folder: Path) -> None:
    """Convert the files of one load to tables of a folder, and move its latencies there."""
    for table in OF_THE_LOAD:
        _keep(load / f"{table}.csv", folder, table)
    if (load / layout.LATENCY).exists():
        (load / layout.LATENCY).rename(folder / layout.LATENCY)


def merge_latencies(part: Path, loads: Mapping[str, LoadSummary]) -> None:
    """Merge the latencies of several loads, with the types of transactions of each."""
    logs = {
        layout.client_folder(part, name) / layout.LATENCY: [counts.name for counts in load.types or ()]
        for name, load in loads.items()
    }
    merge_logs(logs, part / layout.LATENCY)


def _keep(source: Path, folder: Path, table: str, own: Mapping[str, str] | None = None) -> None:
    if source.exists():
        store.csv_to_parquet(source, store.table_path(folder, table), table, own)
        source.unlink()


def _unite(table: str, values: Sequence[Path], part: Path) -> None:
    """Write the rows of all clients as one table; the time line's slots are added up."""
    count = len(values)
    several = [(number, path) for number, path in enumerate(values) if path.exists()]
    if not several:
        return
    rows = " UNION ALL ".join(
        f"SELECT * REPLACE ({_NUMBERED[table].format(count=count, number=number)}) FROM read_parquet(?)"
        if table in _NUMBERED
        else "SELECT * FROM read_parquet(?)"
        for number, _ in several
    )
    if table == "timeline":
        added = [name for name in layout.TABLES[table] if name not in ("slot_ms", "source")]
        sums = ", ".join(f"sum({name})::INTEGER AS {name}" for name in added)
        rows = f"SELECT slot_ms, source, {sums} FROM ({rows}) GROUP BY ALL"
    target = store.table_path(part, table)
    temporary = target.with_name(f".{target.name}.tmp")
    try:
        with store.reader() as connection:
            query = f"SELECT {', '.join(layout.TABLES[table])} FROM ({rows}) ORDER BY {_ORDER[table]}"
            paths = [str(path) for _, path in several]
            connection.sql(query, params=paths).write_parquet(str(temporary), compression="zstd")
        store.move(temporary, target)
    except duckdb.Error as error:
        raise FiveninesError(f"{target} could not be merged from the clients' tables: {error}") from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
