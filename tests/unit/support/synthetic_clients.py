"""A run of trials with two clients, ann who is near and quick, and bob who is far and was away for longer."""

import shutil
from pathlib import Path

from synthetic_run import Matrix, Recipe, write_run

from fivenines.results import layout, store
from fivenines.results.records import ClientRecord
from fivenines.results.store import Run, open_run

FAST, SLOW = (
    Recipe("east", tps=400, latency=3.0, outage=2000.0),
    Recipe("west", tps=100, latency=80.0, outage=5000.0),
)


def run_of_two_clients(folder: Path) -> Run:
    """Return two clients with the tables of two other runs; those of all together do not matter here."""
    both = write_run(folder / "both", Matrix([Recipe("galera")], trials=2))
    for name, recipe in (("ann", FAST), ("bob", SLOW)):
        for trial in open_run(write_run(folder / name, Matrix([recipe], trials=2))).complete:
            own = layout.client_folder(both / layout.TRIALS / trial.folder.name, name)
            own.mkdir(parents=True)
            for file in ("timeline.parquet", "ledger.parquet", layout.LATENCY):
                if (trial.folder / file).exists():
                    shutil.copy(trial.folder / file, own)
    for stored in open_run(both).complete:
        each = [
            ClientRecord(name="ann", site="east", endpoint="local", connections=6, load=stored.record.load),
            ClientRecord(name="bob", site="west", endpoint="node2", connections=2, load=stored.record.load),
        ]
        record = stored.record.model_copy(update={"clients": each})
        store.write_json(stored.folder / layout.TRIAL, record)
    run = open_run(both)
    clients = [{"name": "ann", "site": "east"}, {"name": "bob", "site": "west"}]
    changed = {"experiment": {**run.manifest.experiment, "clients": clients}}
    store.write_json(both / layout.MANIFEST, run.manifest.model_copy(update=changed))
    return open_run(both)
