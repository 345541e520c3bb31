"""A small experiment, and runs of it on disk, for the tests of the command line."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from fivenines.results import layout
from fivenines.results.basics import Machine
from fivenines.results.records import CellKey, Manifest, PlannedTrial, TrialRecord


@dataclass
class Answer:
    """What a command line answered."""

    code: int
    out: str
    err: str


# Runs a command line, its words as arguments.
Fivenines = Callable[..., Answer]

# Puts a module where a command will import it: its name, and functions by keyword.
Pretend = Callable[..., ModuleType]

MACHINE = Machine(
    hostname="h",
    kernel="6.1",
    os="Debian 12",
    cpu="a CPU",
    cores=2,
    memory_bytes=2**33,
    python="3.11",
    user="ordinary",
    limits="",
    congestion_control="cubic",
)

SMALL = """\
name: small
trials: 2
solutions: [standalone, {solution: hot-standby, name: pair}]
workloads: [oltp_read_only]
"""


def key(solution: str = "standalone") -> CellKey:
    """Return a cell of the small experiment."""
    return CellKey(solution=solution, workload="oltp_read_only", connections=8, network="lan", fault="none")


def record(trial_id: str, status: str = "complete", reason: str = "") -> TrialRecord:
    """Return a trial without figures."""
    return TrialRecord.model_validate(
        {
            "id": trial_id,
            "cell": key(),
            "number": 1,
            "seed": 1,
            "status": status,
            "reason": reason,
            "started": "2026-01-02T10:15:00Z",
            "seconds": 20.0,
        }
    )


def write_run(name: str, experiment: dict[str, object]) -> Path:
    """Return a run of two trials, one complete and one broken, under ./runs."""
    folder = Path("runs") / name
    plan = [PlannedTrial(id=item, cell=key(), number=1, seed=1) for item in ("0001", "0002")]
    manifest = Manifest(
        fivenines="0.1.0",
        created="2026-01-02T10:15:00Z",
        experiment=experiment,
        source=SMALL,
        engines={"postgres-18": "18.0"},
        machine=MACHINE,
        plan=plan,
    )
    for trial, found in (
        ("0001", record("0001")),
        ("0002.broken-1", record("0002", "broken", "the server did not start")),
    ):
        (folder / layout.TRIALS / trial).mkdir(parents=True)
        (folder / layout.TRIALS / trial / layout.TRIAL).write_text(found.model_dump_json())
    (folder / layout.MANIFEST).write_text(manifest.model_dump_json())
    return folder
