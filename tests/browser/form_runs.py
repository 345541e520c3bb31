"""TEST ONLY: synthetic runs of the most common shapes, and one with long names that strains the page."""

from dataclasses import replace
from pathlib import Path

from synthetic_interleaved import SyntheticBlock, write_interleaved_run
from synthetic_run import MARIADB, TPCC_TYPES, Matrix, Recipe, write_run

_LOCAL, _ON = "1-safe (local)", "2-safe durable (on)"


def quickstart(folder: Path) -> Path:
    """Write a run like examples/quickstart.yaml: two solutions, three blocks, three trials with a kill."""
    plain = Recipe("", sampled="postgres", known=True, views=True, waits=400)
    recipes = [
        replace(plain, name=_LOCAL, tps=1450, latency=5.2, outage=1010, lost=1),
        replace(plain, name=_ON, tps=1180, latency=6.6, outage=1340, in_doubt=5),
    ]
    block = SyntheticBlock(names=(_LOCAL, _ON), tps=(993, 868), blocks=3)
    return write_interleaved_run(folder, block, Matrix(recipes, name="quickstart"))


def twelve_cells(folder: Path) -> Path:
    """Write a run of four solutions at three numbers of connections, three trials of each, with problems."""
    recipes = [replace(one, known=True) for one in MARIADB.recipes]
    matrix = Matrix(recipes, connections=[1, 8, 32], broken=1, name="managers")
    return write_run(folder, matrix)


def wide(folder: Path) -> Path:
    """Write a run with long names, many types of transactions, faults, settings, and unbreakable texts."""
    names = (
        "galera 5 nodes behind HAProxy with a virtual address and causal reads (wsrep_sync_wait=7)",
        "group_replication_single_primary_mode_with_before_on_primary_failover_consistency",
        "patroni synchronous_mode_strict",
    )
    recipes = [
        Recipe(
            name,
            tps=800 + 200 * n,
            lost=n,
            known=True,
            sampled="mariadb",
            types=TPCC_TYPES,
            offered=900,
            truth=True,
            violated=n == 1,
            split=1500.0 * (n == 1),
            views=True,
            failed="the power switch of node1 did not answer: " + "x" * 90,
            gone=1,
            waits=400,
        )
        for n, name in enumerate(names)
    ]
    matrix = Matrix(
        recipes,
        workloads=["tpcc"],
        faults=["kill", "partition"],
        trials=2,
        name="A question that is long enough to need two lines on every window that is not wide",
    )
    return write_run(folder, matrix)
