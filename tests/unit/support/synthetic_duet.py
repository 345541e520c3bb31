"""TEST ONLY: adds duets of invented figures to a synthetic run, to test reading and reporting."""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from synthetic_run import Matrix, write_run, write_table

from fivenines.results import layout, store
from fivenines.results.records import (
    CellKey,
    Deployment,
    DuetRecord,
    DuetSide,
    PlannedDuet,
)
from fivenines.results.store import open_run

WINDOW, SKIP = 1000.0, 250.0


@dataclass(frozen=True)
class Duet:
    """How pretended solutions did side by side."""

    names: Sequence[str] = ("fast", "slow")
    tps: Sequence[float] = (1120.0, 1000.0)
    blocks: int = 2
    rounds: int = 12
    noise: float = 0.01
    """Of each window, as a share."""
    shifts: Sequence[float] = ()
    """What each block adds to the logarithm of the first one's throughput."""
    idle_cpu: float = 0.02
    after: float = 30.0
    broken: int = 0
    connections: int = 8
    seed: int = 5


def write_duet_run(folder: Path, duet: Duet, matrix: Matrix | None = None) -> Path:
    """A run with these duets, and with the trials of the matrix."""
    write_run(folder, matrix or Matrix([], name="Synthetic duet (invented figures)"))
    run = open_run(folder)
    cells = [
        CellKey(
            solution=name, workload="oltp_read_write", connections=duet.connections, network="lan",
            fault="none",
        )
        for name in duet.names
    ]  # fmt: skip
    planned = [
        PlannedDuet(id=f"duet-{n + 1:03d}", cells=cells, number=n + 1, seed=n)
        for n in range(duet.blocks)
    ]
    manifest = run.manifest.model_copy(update={"duets": planned})
    store.write_json(folder / layout.MANIFEST, manifest)
    rng = random.Random(duet.seed)
    for n, one in enumerate(planned):
        broken = n < duet.broken
        name = f"{one.id}.broken-1" if broken else one.id
        path = folder / layout.DUETS / name
        path.mkdir(parents=True)
        store.write_json(path / layout.DUET, _record(one, duet, broken))
        if not broken:
            _write_tables(path, duet, rng, duet.shifts[n] if duet.shifts else 0.0)
    return folder


def _record(planned: PlannedDuet, duet: Duet, broken: bool) -> DuetRecord:
    deployment = Deployment(seconds=3.0, phases={}, roles={}, settings={}, manager={}, access={})
    sides = [
        DuetSide(cell=cell, deployment=deployment, load={}, started_ms=-300.0)
        for cell in planned.cells
    ]
    return DuetRecord(
        id=planned.id, number=planned.number, seed=planned.seed,
        status="broken" if broken else "complete",
        reason="node1 of fast did not answer at the end" if broken else "",
        started="2026-01-02T03:04:05Z", seconds=30.0, window_ms=WINDOW, skip_ms=SKIP,
        sides=[] if broken else sides,
    )  # fmt: skip


def _write_tables(path: Path, duet: Duet, rng: random.Random, shift: float) -> None:
    """Windows whose machine moves slowly by a third, up and down, for all alike."""
    windows, usage = [], []
    position = 0
    for number in range(duet.rounds + 1):
        turns = list(range(len(duet.names)))
        rng.shuffle(turns)
        for side in turns:
            start = position * WINDOW
            mood = 1 + 0.33 * math.sin(position / 9)
            tps = duet.tps[side] * mood * rng.lognormvariate(shift * (side == 0), duet.noise)
            latency = 1000 * duet.connections / tps
            windows.append(
                {
                    "position": position, "round": number, "side": side, "from_ms": start,
                    "measured_ms": start + SKIP, "to_ms": start + WINDOW,
                    "ok": round(tps * (WINDOW - SKIP) / 1000), "expected": 0, "failed": 0,
                    "mean_ms": latency, "p50_ms": 0.9 * latency, "p95_ms": 2 * latency,
                    "p99_ms": 3 * latency, "max_ms": 9 * latency, "after_ms": duet.after,
                }
            )  # fmt: skip
            usage += [
                {
                    "position": position, "side": each,
                    "cpu_s": 0.8 if each == side else duet.idle_cpu,
                    "written_bytes": 10_000_000 if each == side else 100_000,
                }
                for each in range(len(duet.names))
            ]  # fmt: skip
            position += 1
    write_table(path, "windows", windows)
    write_table(path, "usage", usage)
