"""Measure how long the list-append check takes for a million transactions, on one core.

    python tests/bench/isolation_speed.py [--transactions 1000000] [--quick]

Two histories have the same operations: one as serializable transactions would leave it; in the other, a share
of the reads misses the newest elements, as with snapshots. Each is written as Parquet, as by a trial, and
then read and judged by a process with one core. Prints seconds; asserts nothing.
"""

import argparse
import os
import resource
import tempfile
import time
from pathlib import Path

import duckdb
import numpy as np

from fivenines.analysis.consistency.isolation.check import judge
from fivenines.results import layout, store

# Appends to a key before the next key replaces it; a read shows half of them on average.
LENGTH = 32

# Keys in use at the same time.
AT_ONCE = 10


def write_history(folder: Path, n: int, stale: float, seed: int = 1) -> int:
    """Write the table `history` of n transactions of 2 reads and 2 appends each; return the number of rows.

    `stale`: the share of transactions that read each key without its newest elements.
    """
    rng = np.random.default_rng(seed)
    lists: dict[int, list[str]] = {key: [] for key in range(AT_ONCE)}
    names = list(range(AT_ONCE))
    csv = folder / "history.csv"
    value, rows = 0, 0
    with csv.open("w") as file:
        file.write(",".join(layout.TABLES["history"]) + "\n")
        picks = rng.integers(0, AT_ONCE, (n, 4)).tolist()
        late = (rng.random(n) < stale).tolist()
        for number in range(n):
            for position, slot in enumerate(picks[number]):
                key = names[slot]
                head = f"{number},{number % 32},lists,{number * 10},{number * 10 + 9},ok,{position}"
                if position % 2:
                    value += 1
                    lists[key].append(str(value))
                    file.write(f"{head},append,{key},{value},\n")
                else:
                    shown = lists[key][:-1] if late[number] and position == 0 else lists[key]
                    file.write(f'{head},read,{key},,"{",".join(shown)}"\n')
                rows += 1
                if len(lists[key]) >= LENGTH and position % 2:
                    names[slot] = max(names) + 1
                    lists[names[slot]] = []
                    del lists[key]
    store.csv_to_parquet(csv, store.table_path(folder, "history"), "history")
    csv.unlink()
    return rows


def main() -> None:
    """Write both histories, judge them, and print the duration."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--transactions", type=int, default=1_000_000)
    arguments.add_argument("--quick", action="store_true", help="20,000 transactions")
    chosen = arguments.parse_args()
    n = 20_000 if chosen.quick else chosen.transactions
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    for name, stale in (("serializable", 0.0), ("1 % stale reads", 0.01)):
        with tempfile.TemporaryDirectory() as folder:
            rows = write_history(Path(folder), n, stale)
            began, used = time.monotonic(), time.process_time()
            (found,) = judge(Path(folder))
            seconds, cpu = time.monotonic() - began, time.process_time() - used
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(
            f"{name}: {n:,} transactions, {rows:,} operations: {seconds:.1f} s on one core"
            f" ({cpu:.1f} s of CPU), at most {memory:.1f} GiB;"
            f" found {found.counts or 'nothing'}. {found.note}"
        )
    print(f"DuckDB {duckdb.__version__}, NumPy {np.__version__}")


if __name__ == "__main__":
    main()
