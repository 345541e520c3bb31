"""TEST ONLY: a pretended run whose loads were made by two programs."""

import random
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from synthetic_run import Matrix, Recipe, write_run, write_trial

from fivenines.results import layout, store
from fivenines.results.load_summary import LoadSummary
from fivenines.results.store import Run

PROGRAMS = {"oltp_read_write": "fivenines", "oltp_read_write (sysbench)": "sysbench"}

# Transactions per second by program and solution.
Speeds = Mapping[str, Mapping[str, float]]


def two_programs(folder: Path, speeds: Speeds, trials: int = 4) -> Run:
    """Return a run in which each program measured solutions of these speeds, without any fault."""
    rng = random.Random(7)
    recipes = {name: Recipe(name, tps=tps, outage=None) for name, tps in speeds["fivenines"].items()}
    write_run(folder, Matrix([*recipes.values()], [*PROGRAMS], faults=["none"], trials=trials))
    manifest = store.open_run(folder).manifest
    for planned in manifest.plan:
        program = PROGRAMS[planned.cell.workload]
        if program == "fivenines":
            continue
        shutil.rmtree(layout.trial_folder(folder, planned.id))
        name = planned.cell.solution
        record = write_trial(folder, planned, replace(recipes[name], tps=speeds[program][name]), rng)
        load = LoadSummary.of({**record.load.document, "program": program, "program_version": "1.0.20"})
        changed = record.model_copy(update={"load": load})
        store.write_json(layout.trial_folder(folder, planned.id) / layout.TRIAL, changed)
    workloads = [
        {"workload": "oltp_read_write", "name": name, "program": program}
        for name, program in PROGRAMS.items()
    ]
    experiment = {**manifest.experiment, "workloads": workloads}
    known = manifest.model_copy(update={"experiment": experiment})
    store.write_json(folder / layout.MANIFEST, known)
    return store.open_run(folder)
