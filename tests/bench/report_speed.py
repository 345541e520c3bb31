"""Measure time, CPU and memory of a large run's report: the first, the next, and after one more trial.

    python tests/bench/report_speed.py [--like RUN] [--cells 20] [--trials 50] [--turns 3] [--quick]
                                       [--program fivenines] [--into FOLDER]

The run consists of copies of a real run's trials (`--like`: the quickstart has all tables of trials),
renumbered as trials of more solutions and numbers of connections; without `--like`, of generated trials. Each
report is a separate process, measured by the kernel. Prints the medians of the turns; asserts nothing.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, product
from pathlib import Path

from fivenines.results import layout, store
from fivenines.results.records import CellKey, PlannedTrial
from fivenines.results.store import Run, StoredTrial, open_run

CONNECTIONS = (8, 16, 32, 64)
HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Cost:
    """What a process took: seconds by the clock, of CPU, and its largest memory in MB."""

    seconds: float
    cpu: float
    memory: float


def multiply(source: Run, folder: Path, cells: int, trials: int) -> Path:
    """Return a run of `cells` times `trials` complete trials, each a copy of one of the source's."""
    keys = _keys(source, cells)
    plan = [
        PlannedTrial(id=f"{index + 1:04d}", cell=key, number=index // len(keys) + 1, seed=index)
        for index, (_, key) in enumerate(islice((one for _ in range(trials) for one in keys), None))
    ]
    (folder / layout.TRIALS).mkdir(parents=True)
    solutions = list(dict.fromkeys(key.solution for _, key in keys))
    experiment = source.manifest.experiment
    named = {one["name"]: one for one in experiment["solutions"]}
    first = next(iter(named.values()))
    changed = {
        "solutions": [{**named.get(name.rpartition(" #")[0], first), "name": name} for name in solutions],
        "connections": sorted({key.connections for _, key in keys}),
        "trials": trials,
    }
    manifest = source.manifest.model_copy(
        update={"plan": plan, "blocks": [], "experiment": experiment | changed}
    )
    store.write_json(folder / layout.MANIFEST, manifest)
    for index, planned in enumerate(plan):
        group = keys[index % len(keys)][0]
        _copy(group[planned.number % len(group)], planned, folder)
    return folder


def _keys(source: Run, cells: int) -> list[tuple[list[StoredTrial], CellKey]]:
    """Return the trials to copy from, and the cell to be made of them."""
    groups: dict[CellKey, list[StoredTrial]] = {}
    for trial in source.complete:
        groups.setdefault(trial.record.cell, []).append(trial)
    per = -(-cells // len(CONNECTIONS))
    found = list(groups.items())
    wanted = product(range(per), CONNECTIONS)
    return [
        (some, key.model_copy(update={"solution": f"{key.solution} #{n}", "connections": connections}))
        for n, connections in islice(wanted, cells)
        for key, some in [found[n % len(found)]]
    ]


def _copy(trial: StoredTrial, planned: PlannedTrial, folder: Path) -> None:
    """A trial under another number, without its logs."""
    target = layout.trial_folder(folder, planned.id)
    target.mkdir()
    for path in trial.folder.iterdir():
        if path.is_file() and path.name != layout.TRIAL:
            shutil.copyfile(path, target / path.name)
    update = {"id": planned.id, "cell": planned.cell, "number": planned.number}
    store.write_json(target / layout.TRIAL, trial.record.model_copy(update=update))


def cost(command: Sequence[str]) -> Cost:
    """Run a command and wait for it.

    Raises:
        SystemExit: it failed.
    """
    began = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    seconds = time.monotonic() - began
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"{' '.join(command)} failed with {child.returncode}")
    return Cost(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1000)


def measure(program: str, folder: Path) -> dict[str, Cost]:
    """One turn: the first report of a run, the next one, and one after a trial was added."""
    command = [*program.split(), "report", str(folder)]
    found = {}
    last = max((folder / layout.TRIALS).iterdir())
    away = folder / last.name
    last.rename(away)
    _forget(folder)
    found["first"] = cost(command)
    found["again"] = cost(command)
    away.rename(last)
    found["one more trial"] = cost(command)
    return found


def _forget(folder: Path) -> None:
    """What the program itself has put into the run's folder since the run ended."""
    for path in folder.iterdir():
        if path.name not in (layout.MANIFEST, layout.TRIALS) and not path.name.isdigit():
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def _invented(folder: Path) -> Path:
    sys.path.insert(0, str(HERE.parent / "unit" / "support"))
    from synthetic_run import Matrix, Recipe, write_run  # noqa: PLC0415

    recipes = [
        Recipe("asynchronous", sampled="mariadb", known=True, views=True, lost=3, waits=300),
        Recipe("synchronous", sampled="mariadb", known=True, views=True, tps=700, waits=300),
    ]
    return write_run(folder, Matrix(recipes))


def main() -> None:
    """Make the run, write its report in turns, print the medians."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--like", type=Path, help="a real run; default: invented trials")
    arguments.add_argument("--cells", type=int, default=20)
    arguments.add_argument("--trials", type=int, default=50, help="of each cell")
    arguments.add_argument("--turns", type=int, default=3)
    arguments.add_argument("--program", default=str(Path(sys.executable).with_name("fivenines")))
    arguments.add_argument("--into", type=Path, help="make the run there and keep it, or use it")
    arguments.add_argument("--quick", action="store_true", help="40 trials, one turn")
    chosen = arguments.parse_args()
    trials, turns = (2, 1) if chosen.quick else (chosen.trials, chosen.turns)
    with tempfile.TemporaryDirectory(prefix="fivenines-bench-") as scratch:
        folder = chosen.into or Path(scratch) / "large"
        if not folder.exists():
            source = chosen.like or _invented(Path(scratch) / "invented")
            multiply(open_run(source), folder, chosen.cells, trials)
        found = [measure(chosen.program, folder) for _ in range(turns)]
    print(f"a report of {chosen.cells} x {trials} trials, medians of {turns}:")
    print(f"{'':16} {'seconds':>8} {'CPU s':>8} {'MB':>6}")
    for name in found[0]:
        costs = [turn[name] for turn in found]
        seconds, cpu, memory = (
            statistics.median(getattr(one, key) for one in costs) for key in ("seconds", "cpu", "memory")
        )
        print(f"{name:16} {seconds:8.1f} {cpu:8.1f} {memory:6.0f}")


if __name__ == "__main__":
    main()
