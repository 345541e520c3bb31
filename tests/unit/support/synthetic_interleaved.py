"""TEST ONLY: adds blocks of invented figures to a synthetic run, to test reading and reporting."""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from synthetic_run import Matrix, write_run, write_table

from fivenines.results import layout, store
from fivenines.results.records import BlockRecord, BlockSide, CellKey, Deployment, PlannedBlock
from fivenines.results.store import open_run

WINDOW, SKIP = 1000.0, 250.0


@dataclass(frozen=True)
class SyntheticBlock:
    """How pretended solutions did side by side."""

    names: Sequence[str] = ("fast", "slow")
    tps: Sequence[float] = (1120.0, 1000.0)
    blocks: int = 2
    rounds: int = 12
    # Of each window, as a share.
    noise: float = 0.01
    # What each block adds to the logarithm of the first one's throughput.
    shifts: Sequence[float] = ()
    idle_cpu: float = 0.02
    after: float = 30.0
    broken: int = 0
    connections: int = 8
    seed: int = 5


def write_interleaved_run(folder: Path, block: SyntheticBlock, matrix: Matrix | None = None) -> Path:
    """Return a run with these blocks, and with the trials of the matrix."""
    write_run(folder, matrix or Matrix([], name="Synthetic interleaved (invented figures)"))
    run = open_run(folder)
    cells = [
        CellKey(
            solution=name,
            workload="oltp_read_write",
            connections=block.connections,
            network="lan",
            fault="none",
        )
        for name in block.names
    ]
    planned = [
        PlannedBlock(id=f"block-{n + 1:03d}", cells=cells, number=n + 1, seed=n) for n in range(block.blocks)
    ]
    manifest = run.manifest.model_copy(update={"blocks": planned})
    store.write_json(folder / layout.MANIFEST, manifest)
    rng = random.Random(block.seed)
    for n, item in enumerate(planned):
        broken = n < block.broken
        name = f"{item.id}.broken-1" if broken else item.id
        path = folder / layout.BLOCKS / name
        path.mkdir(parents=True)
        store.write_json(path / layout.BLOCK, _record(item, block, broken))
        if not broken:
            _write_tables(path, block, rng, block.shifts[n] if block.shifts else 0.0)
    return folder


def _record(planned: PlannedBlock, block: SyntheticBlock, broken: bool) -> BlockRecord:
    deployment = Deployment(seconds=3.0, phases={}, roles={}, settings={}, manager={}, access={})
    sides = [
        BlockSide(cell=cell, deployment=deployment, load={}, started_ms=-300.0) for cell in planned.cells
    ]
    return BlockRecord(
        id=planned.id,
        number=planned.number,
        seed=planned.seed,
        status="broken" if broken else "complete",
        reason="node1 of fast did not answer at the end" if broken else "",
        started="2026-01-02T03:04:05Z",
        seconds=30.0,
        window_ms=WINDOW,
        skip_ms=SKIP,
        sides=[] if broken else sides,
    )


def _write_tables(path: Path, block: SyntheticBlock, rng: random.Random, shift: float) -> None:
    """Windows whose machine moves slowly by a third, up and down, for all alike."""
    windows, usage = [], []
    position = 0
    for number in range(block.rounds + 1):
        turns = list(range(len(block.names)))
        rng.shuffle(turns)
        for side in turns:
            start = position * WINDOW
            mood = 1 + 0.33 * math.sin(position / 9)
            tps = block.tps[side] * mood * rng.lognormvariate(shift * (side == 0), block.noise)
            latency = 1000 * block.connections / tps
            windows.append(
                {
                    "position": position,
                    "round": number,
                    "side": side,
                    "from_ms": start,
                    "measured_ms": start + SKIP,
                    "to_ms": start + WINDOW,
                    "ok": round(tps * (WINDOW - SKIP) / 1000),
                    "expected": 0,
                    "failed": 0,
                    "mean_ms": latency,
                    "p50_ms": 0.9 * latency,
                    "p95_ms": 2 * latency,
                    "p99_ms": 3 * latency,
                    "max_ms": 9 * latency,
                    "after_ms": block.after,
                }
            )
            usage += [
                {
                    "position": position,
                    "side": each,
                    "cpu_s": 0.8 if each == side else block.idle_cpu,
                    "written_bytes": 10_000_000 if each == side else 100_000,
                }
                for each in range(len(block.names))
            ]
            position += 1
    write_table(path, "windows", windows)
    write_table(path, "usage", usage)
