"""Client stacks for synthetic runs: every worker commits every 100 ms, but for what is planted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from synthetic_run import write_table

from fivenines.results import store
from fivenines.results.records import HostFacts, TrialRecord
from fivenines.results.stacks import StackRecord
from fivenines.results.store import StoredTrial, open_run

WORKERS = 2
EVERY_MS = 100.0

# The host that was hit, the only one that stacks were given.
HIT = "10.99.0.11:5432"
OTHER = "10.99.0.12:5432"


@dataclass(frozen=True)
class Planted:
    """A stack: seconds after the fault in which its workers do not commit; None: to the end.

    Attributes:
        away: for each worker.
        twice, lost: numbers of operations with a second row, and without a row.
        died: seconds after the fault at which its program ended.
        kept: connections to the host that was hit, to the end.
        let_go_ms: time after the fault at which the others are seen to be gone; before it if negative.
        elsewhere: whether it was never connected to that host.
        quiet_ms: time before the end in which no attempt ends.
        pool: samples of its pool: seconds after the fault, waiting workers, open and created connections.
    """

    name: str
    away: Sequence[float | None] = (1.0, 1.0)
    twice: int = 0
    lost: int = 0
    died: float | None = None
    kept: int = 0
    let_go_ms: float = 250.0
    elsewhere: bool = False
    unread: str = ""
    quiet_ms: float = 0.0
    pool: Sequence[tuple[float, int | None, int | None, int | None]] = ()


def add_stacks(run: Path, planted: Sequence[Planted]) -> None:
    """Give each complete trial of a run these stacks."""
    add_stacks_to(open_run(run).complete, planted)


def add_stacks_to(trials: Sequence[StoredTrial], planted: Sequence[Planted]) -> None:
    """Give trials these stacks."""
    for trial in trials:
        _write(trial.folder, trial.record, planted)


def _write(folder: Path, record: TrialRecord, planted: Sequence[Planted]) -> None:
    assert record.windows is not None and record.deployment is not None
    fault_at = record.fault.at if record.fault is not None else record.windows.end
    attempts: list[dict[str, object]] = []
    rows: list[dict[str, object]] = []
    connections: list[dict[str, object]] = []
    pools: list[dict[str, object]] = []
    for number, one in enumerate(planted):
        names = ("waiting", "open", "created")
        pools += [
            {
                "stack": number,
                "at_us": round(1000 * fault_at + 1e6 * at),
                **dict(zip(names, counted, strict=True)),
            }
            for at, *counted in one.pool
        ]
        own = _attempts(number, one, fault_at, record.windows.end)
        attempts += own
        committed = [item["n"] for item in own if item["outcome"] == "committed"]
        kept = committed[one.lost :]
        rows += [
            {"stack": number, "n": n, "rows": 2 if place < one.twice else 1} for place, n in enumerate(kept)
        ]
        if one.elsewhere:
            connections.append({"t_ms": 1.0, "stack": number, "server": OTHER, "connections": WORKERS})
            continue
        connections.append({"t_ms": 1.0, "stack": number, "server": HIT, "connections": WORKERS})
        if one.kept != WORKERS:
            gone = {"t_ms": fault_at + one.let_go_ms, "stack": number, "server": HIT}
            connections.append({**gone, "connections": one.kept})
    connections.sort(key=lambda item: float(str(item["t_ms"])))
    for table, values in (
        ("stack_attempts", attempts),
        ("stack_rows", rows),
        ("stack_connections", connections),
        ("stack_pools", pools),
    ):
        write_table(folder, table, values)
    stacks = [_record(one, fault_at, record.windows.end) for one in planted]
    hosts = {item.node: HostFacts(kind="node", address=HIT.partition(":")[0]) for item in record.faults}
    deployment = record.deployment.model_copy(update={"hosts": hosts})
    changed = record.model_copy(update={"stacks": stacks, "deployment": deployment})
    store.write_json(folder / "trial.json", changed)


def _attempts(number: int, one: Planted, fault_at: float, end: float) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    for worker, away in enumerate(one.away):
        back = end if away is None else fault_at + 1000 * away
        operation, moment = worker, 10.0
        while moment < end - one.quiet_ms:
            if one.died is not None and moment >= fault_at + 1000 * one.died:
                break
            served = not fault_at < moment < back
            found.append(
                {
                    "stack": number,
                    "worker": worker,
                    "n": operation,
                    "attempt": 1,
                    "started_us": round(1000 * (moment - 5)),
                    "completed_us": round(1000 * moment),
                    "outcome": "committed" if served else "failed",
                    "stage": "release" if served else "acquire",
                    "code": "" if served else "refused",
                }
            )
            operation += WORKERS
            moment += EVERY_MS
    return found


def _record(one: Planted, fault_at: float, end: float) -> StackRecord:
    options: Mapping[str, object] = {"pool.timeout": 5} if one.name.endswith(":recommended") else {}
    return StackRecord(
        name=one.name,
        stack=one.name.partition(":")[0],
        versions="driver 1.0",
        options=dict(options),
        servers=[HIT],
        workers=WORKERS,
        think_ms=100,
        pause_ms=100,
        ready_seconds=0.5,
        ended_ms=None if one.died is None else fault_at + 1000 * one.died,
        end_ms=end,
        unread=one.unread,
    )
