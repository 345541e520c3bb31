"""TEST ONLY: writes run folders of invented figures, so that reading and reporting can be tested.

Nothing in here is measured. A `Recipe` says how a pretended solution behaves; `write_run` writes a
run folder in the real layout, with real Parquet tables and HdrHistogram logs.
"""

import atexit
import csv
import random
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any

from hdrh.histogram import HdrHistogram
from synthetic_failover import Course, acknowledged, node_changes, views
from synthetic_samples import SAMPLES

from fivenines.results import layout, store
from fivenines.results.basics import Machine
from fivenines.results.records import (
    Anomaly,
    CellKey,
    Check,
    Deployment,
    Divergence,
    Event,
    FaultRecord,
    HostFacts,
    IdleUsage,
    InvariantCheck,
    Isolation,
    Manifest,
    NodeCheck,
    PlannedTrial,
    SolutionFacts,
    TableDifference,
    TrialRecord,
    Windows,
)

WARMUP, STEADY_END, END = 1000.0, 5000.0, 15000.0


@dataclass(frozen=True)
class Recipe:
    """How a pretended solution behaves; times in ms."""

    name: str
    tps: float = 900.0
    latency: float = 6.0
    outage: float | None = 6000.0
    reads_outage: float | None = None
    lost: int = 0
    in_doubt: int = 2
    rejoins: bool = True
    bottleneck: bool = False
    deployment: float = 4.0
    types: tuple[str, ...] = ()
    offered: float | None = None
    limit: str = ""
    violated: bool = False
    # The kind of server whose counters, delay and hosts are written: mariadb or postgres.
    sampled: str = ""
    decides: bool = True
    group: bool = False
    catch_up: float = 1500.0
    # Whether the trial has a ledger with stale reads, nodes that differ, and anomalies.
    truth: bool = False
    views: bool = False
    # For so many ms two nodes take writes, of a solution with a single writer.
    split: float = 0.0
    # Whether the deployment has facts, and its hosts with what they use.
    known: bool = False
    # What its facts say of losses by design; None: nothing.
    may_lose: str | None = None
    # What the manager could not do.
    failed: str = ""
    # For so many ms all stands still once more, a second after node1 was started again.
    again: float = 0.0
    # In so many of the trials service never comes back.
    gone: int = 0
    # So many ms before sessions are back new connections are: their time-out ends the outage.
    waits: float = 0.0
    # What the manifest says of it as a variant of a sweep.
    variant: dict[str, Any] | None = None


@dataclass(frozen=True)
class Matrix:
    """What the pretended run spans."""

    recipes: list[Recipe]
    workloads: list[str] = field(default_factory=lambda: ["oltp_read_write"])
    connections: list[int] = field(default_factory=lambda: [8])
    faults: list[str] = field(default_factory=lambda: ["kill"])
    networks: list[dict[str, Any]] = field(default_factory=lambda: [{"name": "lan", "bandwidth": None}])
    trials: int = 3
    broken: int = 0
    name: str = "Synthetic run (invented figures, for tests)"
    seed: int = 1


QUICKSTART = Matrix(
    [
        Recipe("1-safe (local)", tps=1450, latency=5.2, outage=4100, lost=3, deployment=2.1),
        Recipe("2-safe (on)", tps=1180, latency=6.6, outage=4300, in_doubt=5, deployment=2.3),
    ]
)
MARIADB = Matrix(
    [
        Recipe("standalone", tps=1600, latency=4.8, outage=None, deployment=1.2),
        Recipe("replication asynchronous", tps=1500, latency=5.1, outage=4200, lost=14),
        Recipe("replication semi-sync AFTER_SYNC", tps=1100, latency=7.1, outage=4300),
        Recipe(
            "galera 3 nodes behind HAProxy",
            tps=820,
            latency=9.4,
            outage=6800,
            reads_outage=300,
            rejoins=False,
            bottleneck=True,
        ),
    ],
    workloads=["oltp_read_only", "oltp_read_write"],
    connections=[1, 8, 32],
    broken=2,
)


TRUTH = Matrix(
    [Recipe("sound", truth=True), Recipe("odd <replica>", lost=5, truth=True, violated=True)],
    workloads=["append"],
)

TPCC_TYPES = ("new_order", "payment", "order_status", "delivery", "stock_level")
OPEN_LOOP = Matrix(
    [
        Recipe("kept", tps=1000, outage=4100, types=TPCC_TYPES, offered=1000),
        Recipe(
            "overrun",
            tps=600,
            outage=4300,
            types=TPCC_TYPES,
            offered=1000,
            violated=True,
            limit="the client was the limit: it used 97 % of a core",
        ),
    ],
    workloads=["tpcc"],
)


SIDE_BY_SIDE = Matrix(
    [
        Recipe("calm", sampled="mariadb", known=True),
        Recipe(
            "split",
            sampled="mariadb",
            known=True,
            split=1500.0,
            lost=4,
            failed="the power switch of node1 did not answer: try 17 of 20",
        ),
        Recipe("unknown"),
    ],
    trials=2,
)


def variants(name: str, recipes: dict[int, Recipe], **message: str) -> list[Recipe]:
    """Recipes as the variants of a sweep over `spin`, by their values."""
    return [
        replace(
            recipe,
            name=f"{name} [spin={value}]",
            variant={"of": name, "settings": {"spin": value}, "by": "throughput"} | message,
        )
        for value, recipe in recipes.items()
    ]


SWEPT = Matrix(
    [
        *variants("gr", {0: Recipe("", tps=800), 1000: Recipe("", tps=2400), 1500: Recipe("", tps=810)}),
        Recipe("alone", tps=1000, outage=None),
    ],
    connections=[1, 8],
    trials=4,
)


SAMPLED = Matrix([Recipe("replicas", sampled="mariadb"), Recipe("standbys", sampled="postgres")], trials=2)


def write_run(folder: Path, matrix: Matrix) -> Path:
    """Write a whole run folder; returns it."""
    # a run follows from its matrix alone, and takes longer to write than most tests to read
    shutil.copytree(_written(repr(matrix), lambda to: _write_run(to, matrix)), folder)
    return folder


_WRITTEN: dict[str, Path] = {}


def _written(key: str, write: Callable[[Path], None]) -> Path:
    if key not in _WRITTEN:
        folder = Path(tempfile.mkdtemp(prefix="fivenines-synthetic-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        write(folder / "run")
        _WRITTEN[key] = folder / "run"
    return _WRITTEN[key]


def _write_run(folder: Path, matrix: Matrix) -> None:
    rng = random.Random(matrix.seed)
    recipes = {recipe.name: recipe for recipe in matrix.recipes}
    plan = _plan(matrix)
    rng.shuffle(plan)
    folder.mkdir(parents=True)
    store.write_json(folder / layout.MANIFEST, _manifest(matrix, plan))
    store.write_text(folder / layout.SOURCE, f"name: {matrix.name}\n")
    for index, planned in enumerate(plan):
        recipe = recipes[planned.cell.solution]
        if index < matrix.broken:
            write_broken(folder, planned, "node2 did not start: could not bind <10.0.0.3:5432>")
        else:
            write_trial(folder, planned, recipe, rng)


def write_broken(folder: Path, planned: PlannedTrial, reason: str, attempt: int = 1) -> Path:
    """Return a broken attempt of a planned trial."""
    path = folder / layout.TRIALS / f"{planned.id}.broken-{attempt}"
    path.mkdir(parents=True)
    record = TrialRecord(
        id=planned.id,
        cell=planned.cell,
        number=planned.number,
        seed=planned.seed,
        attempt=attempt,
        status="broken",
        reason=reason,
        started="2026-01-02T03:04:05Z",
        seconds=9,
    )
    store.write_json(path / layout.TRIAL, record)
    return path


def write_trial(folder: Path, planned: PlannedTrial, recipe: Recipe, rng: random.Random) -> TrialRecord:
    """Return a complete trial with its tables."""
    path = layout.trial_folder(folder, planned.id)
    path.mkdir(parents=True)
    fault_at = STEADY_END + rng.uniform(5, 60) if planned.cell.fault != "none" else None
    if planned.number <= recipe.gone:
        recipe = replace(recipe, outage=None)
    course = _course(recipe, fault_at, rng)
    record = _record(planned, recipe, course, rng)
    store.write_json(path / layout.TRIAL, record)
    write_timeline(path, _timeline(planned.cell, recipe, course, rng))
    if recipe.waits and fault_at is not None:
        write_table(path, "probes", attempts(fault_at, course.back - recipe.waits, END))
        write_timeouts(path, {round(course.back // 100 * 100 - 100)})
    write_table(path, "nodes", node_changes(course))
    write_table(path, "ledger", acknowledged(course))
    if recipe.views:
        write_table(path, "views", views(course))
    median = recipe.latency * planned.cell.connections**0.5 * rng.gauss(1, 0.05)
    write_latency(path, median, rng, types=recipe.types)
    if recipe.sampled:
        for table, rows in SAMPLES[recipe.sampled](fault_at, END).items():
            write_table(path, table, rows)
    if recipe.truth:
        write_ledger(path, record, recipe.violated)
    return record


def write_ledger(trial: Path, record: TrialRecord, behind: bool) -> None:
    """The tables `ledger`, `views` and `executed`: a write every 20 ms; with `behind` node2 lags 100 ms."""
    lost = {id_ for node in record.check.nodes for id_ in node.lost_ids} if record.check else set()
    ids = range(1, round(END) // 20)
    head = {"client": 0, "outcome": "ok"}
    rows: list[dict[str, Any]] = [
        head
        | {
            "id": n,
            "kind": "write",
            "endpoint": "node1:5432",
            "started_us": n * 20_000 - 3000,
            "completed_us": n * 20_000,
        }
        for n in ids
    ]
    views = []
    for at in range(1_010_000, round(END) * 1000, 100_000):
        for node, lag in (("node1", 0), ("node2", 100_000 * behind)):
            seen = max(id_ for id_ in (*ids, 1) if id_ * 20_000 <= at - lag and id_ not in lost)
            views.append({"t_us": at, "node": node, "seen": [seen]})
            read = {"id": seen, "kind": "read", "endpoint": f"{node}:5432", "seen": [seen]}
            rows.append(head | read | {"started_us": at, "completed_us": at + 900})
    write_table(trial, "ledger", rows)
    write_table(trial, "views", views)
    write_executed(trial, {n: n * 20_000 - 2000 for n in ids if n not in lost})


def write_timeline(trial: Path, rows: list[dict[str, Any]]) -> None:
    """The table `timeline` of rows that leave out what is 0."""
    write_table(trial, "timeline", [dict.fromkeys(layout.TABLES["timeline"], 0) | row for row in rows])


def attempts(fault_at: float, back: float, end: float, every: int = 20) -> list[dict[str, Any]]:
    """Return the table `probes`: a fresh connection every so many ms, refused from the fault until `back`."""
    return [
        {
            "started_us": t * 1000,
            "completed_us": t * 1000 + 3000,
            "endpoint": "node2:3306",
            "outcome": "ok" if t + 3 < fault_at or t >= back else "failed",
            "stage": "write" if t + 3 < fault_at or t >= back else "connect",
            "error_class": "",
        }
        for t in range(0, int(end), every)
    ]


def write_timeouts(trial: Path, slots: set[int]) -> None:
    """The time line's column `timeouts`: in these slots a bound of the client ended something."""
    path = str(store.table_path(trial, "timeline"))
    listed = ", ".join(map(str, sorted(slots)))
    with store.reader() as connection:
        names = [row[0] for row in connection.execute(f"DESCRIBE FROM '{path}'").fetchall()]
        kept = ", ".join(name for name in names if name != "timeouts")
        connection.execute(
            f"CREATE TEMPORARY TABLE listed AS SELECT {kept}, "
            f"(CASE WHEN source = 'load' AND slot_ms IN ({listed}) THEN 8 ELSE 0 END)::INTEGER AS timeouts "
            f"FROM '{path}'"
        )
        connection.table("listed").write_parquet(path)


def write_table(trial: Path, table: str, rows: list[dict[str, Any]]) -> None:
    """A table by way of CSV, as fivenines-core's files come in."""
    source = trial / f"{table}.csv"
    columns = layout.TABLES[table]
    lists = [name for name, kind in columns.items() if kind.endswith("[]")]
    with source.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(columns)
        for row in rows:
            for name in lists:
                row[name] = _list_field(row.get(name))
            writer.writerow(map(row.get, columns))
    store.csv_to_parquet(source, store.table_path(trial, table), table)
    source.unlink()


def _list_field(value: Any) -> Any:
    """Return a list as DuckDB reads it in a CSV file."""
    if not isinstance(value, list):
        return value
    return "[" + ",".join("NULL" if item is None else str(item) for item in value) + "]"


def write_executed(trial: Path, executed: dict[int, int]) -> None:
    """The table `executed`: when each row of the ledger was executed, in µs."""
    rows = ", ".join(f"({id_}, {at})" for id_, at in executed.items())
    with store.reader() as connection:
        connection.execute("CREATE TEMPORARY TABLE executed (id BIGINT, executed_us BIGINT)")
        if rows:
            connection.execute(f"INSERT INTO executed VALUES {rows}")
        connection.table("executed").write_parquet(str(store.table_path(trial, "executed")))


def write_latency(
    trial: Path, median_ms: float, rng: random.Random, tags: int = 3, types: tuple[str, ...] = ()
) -> None:
    """latency.hlog with one histogram a second and tag until the end of the load."""
    lines = ["#[Histogram log format version 1.3]", '"StartTimestamp","Interval_Length",...']
    for second in range(int(END / 1000)):
        every = ("transaction", "ledger_write", "ledger_read")[:tags]
        for tag in (*every, *(f"transaction.{name}" for name in types)):
            histogram = HdrHistogram(1, 60_000_000, 3)
            for _ in range(60):
                histogram.record_value(int(1000 * median_ms * rng.lognormvariate(0, 0.5)) + 1)
            data = histogram.encode().decode()
            lines.append(f"Tag={tag},{second:.3f},1.000,{histogram.get_max_value() / 1e6:.3f},{data}")
    (trial / layout.LATENCY).write_text("\n".join(lines) + "\n")


def _plan(matrix: Matrix) -> list[PlannedTrial]:
    cells = product(
        matrix.recipes,
        matrix.workloads,
        matrix.connections,
        matrix.networks,
        matrix.faults,
        range(matrix.trials),
    )
    return [
        PlannedTrial(
            id=f"{index + 1:04d}",
            cell=CellKey(
                solution=recipe.name,
                workload=workload,
                connections=connections,
                network=network["name"],
                fault=fault,
            ),
            number=number + 1,
            seed=1000 + index,
        )
        for index, (recipe, workload, connections, network, fault, number) in enumerate(cells)
    ]


def _manifest(matrix: Matrix, plan: list[PlannedTrial]) -> Manifest:
    return Manifest(
        fivenines="0.1.0",
        created="2026-01-02T03:04:05Z",
        experiment={
            "name": matrix.name,
            "description": "What do the replication modes cost, and what do they save?",
            "seed": matrix.seed,
            "trials": matrix.trials,
            "solutions": [
                {
                    "solution": "synthetic",
                    "name": recipe.name,
                    "engine": "mariadb-10.11",
                    "manager": {"kind": "operator", "interval": "1s", "misses": 3},
                    "variant": recipe.variant,
                }
                for recipe in matrix.recipes
            ],
            "workloads": [{"workload": name, "name": name} for name in matrix.workloads],
            "connections": matrix.connections,
            "network": matrix.networks,
            "faults": [{"fault": fault, "target": "primary"} for fault in matrix.faults],
            "timing": {"warmup": "1s", "steady": "4s", "recovery": "10s", "settle": "20s"},
            "ledger": {"rate": 100.0},
            "availability": {"mtbf": {"kill": "90d"}},
        },
        source=f"name: {matrix.name}\ntrials: {matrix.trials}\n",
        engines={"mariadb-10.11": "10.11.14-MariaDB-0+deb12u2"},
        machine=Machine(
            hostname="testhost",
            kernel="Linux 6.1.0",
            os="Debian GNU/Linux 12 (bookworm)",
            cpu="Pretend CPU @ 2.60GHz",
            cores=2,
            memory_bytes=8 * 2**30,
            python="3.11.9",
            user="ordinary",
            limits="not applied: no delegated control group",
            congestion_control="cubic",
        ),
        plan=plan,
    )


def _course(recipe: Recipe, fault_at: float | None, rng: random.Random) -> Course:
    back = _back(fault_at, recipe.outage, rng)
    return Course(
        END,
        fault_at,
        back,
        _back(fault_at, recipe.reads_outage, rng) if recipe.reads_outage else back,
        recipe.catch_up,
        recipe.decides,
        recipe.group,
        recipe.split,
    )


def _record(planned: PlannedTrial, recipe: Recipe, course: Course, rng: random.Random) -> TrialRecord:
    fault_at = course.fault_at
    lost = max(0, round(rng.gauss(recipe.lost, 1.2))) if recipe.lost and fault_at else 0
    return TrialRecord(
        id=planned.id,
        cell=planned.cell,
        number=planned.number,
        seed=planned.seed,
        status="complete",
        started="2026-01-02T03:04:05Z",
        seconds=24.5,
        windows=Windows(warmup_end=WARMUP, steady_end=STEADY_END, end=END),
        deployment=_deployment(recipe, rng),
        faults=[fault] if (fault := _fault(recipe, fault_at)) else [],
        check=_check(recipe, lost, rng),
        invariants=_invariants(recipe),
        divergence=_divergence(recipe),
        isolation=_isolation(recipe),
        load={
            **_measured(recipe),
            **(
                {"bounds": {"answer_timeout_s": round(course.outage / 1000, 1), "connect_timeout_s": 10.0}}
                if recipe.waits
                else {}
            ),
            "errors": [
                _error("load", "connection_lost", "2013", planned.cell.connections),
                _error("ledger", "refused", "ECONNREFUSED", 120),
            ],
            "client": {
                "user_s": 13.9,
                "system_s": 0.9,
                "wall_s": 15.0,
                "lag_p99_us": 1200,
                "bottleneck": recipe.bottleneck,
                "limit": recipe.limit or None,
            },
        },
        controller_cpu=0.02,
        events=_events(course, recipe.failed),
    )


def _measured(recipe: Recipe) -> dict[str, Any]:
    """Return what load.json has since its format 2."""
    if not recipe.types:
        return {}
    half, steps = END / 2000, [(0.0, 0.5), (0.5, 1.0)]
    return {
        "format": 2,
        "types": [
            {
                "name": name,
                "writes": index < 2,
                "ok": 900,
                "expected": 9 * (index == 0),
                "failed": 3,
                "in_doubt": 1,
                "retries": 0,
            }
            for index, name in enumerate(recipe.types)
        ],
        "schedule": {
            "kind": "open",
            "rate": recipe.offered,
            "arrivals": "poisson",
            "started": 15_000,
            "backlog_max": 412,
            "backlog_end": 7,
            "lag_p50_us": 55,
            "lag_p99_us": 1800,
            "lag_max_us": 2_400_000,
        },
        "steps": [
            {
                "from_s": low * 2 * half,
                "to_s": high * 2 * half,
                "rate": recipe.offered,
                "connections": None,
                "ok": round(recipe.tps * half),
                "failed": 3,
                "p50_ms": 4.5,
                "p95_ms": 9.5,
                "p99_ms": 14.5,
                "max_ms": 870.5,
            }
            for low, high in steps
        ],
        "connects": {
            "ok": 16_000,
            "failed": 12,
            "refused": 4,
            "p50_ms": 2.5,
            "p99_ms": 80.0,
            "max_ms": 1033.0,
        },
    }


def _invariants(recipe: Recipe) -> list[InvariantCheck]:
    if not recipe.types:
        return []
    return [
        InvariantCheck(name="amounts agree", source="clause 1", status="holds"),
        InvariantCheck(
            name="orders have their lines",
            source="clause 6",
            detail="1 row found",
            status="violated" if recipe.violated else "holds",
            offending=[{"o_id": "<7>", "lines": "9"}] if recipe.violated else [],
        ),
        InvariantCheck(name="rows", source="", status="unknown", detail="no time was left"),
    ]


def _divergence(recipe: Recipe) -> Divergence | None:
    if not recipe.truth:
        return None
    differing = TableDifference(
        table="sbtest<1>",
        rows={"node1": 500, "node2": 498},
        checksums={"node1": "a", "node2": "b"},
        keys=["id 7: not on node2", "id 9: not on node2"],
        differing=2,
    )
    return Divergence(
        compared=["node1", "node2"],
        left_out={"node3": "still broken"},
        tables=4,
        rows=1000,
        reference="node1",
        differences=[differing] if recipe.violated else [],
        seconds=0.2,
    )


def _isolation(recipe: Recipe) -> list[Isolation]:
    if not recipe.truth:
        return []
    skew = Anomaly(
        kind="G2-item",
        transactions=[3, 8],
        explanation="T3 read key 1 without 5, which T8 appended.",
        edges=[(3, "rw 1", 8), (8, "rw 2", 3)],
    )
    wrong = Anomaly(kind="wrong-sum", transactions=[5], explanation="Audit T5 found 99 in all.")
    if not recipe.violated:
        return [Isolation(source="lists", transactions=2000, in_time={})]
    return [
        Isolation(
            source="lists",
            transactions=2000,
            counts={"G2-item": 4},
            in_time={"G-single-realtime": 2},
            examples=[skew],
            note="The search ended.",
        ),
        Isolation(source="bank", transactions=500, counts={"wrong-sum": 1}, examples=[wrong]),
        Isolation(source="registers", transactions=300, in_time={"stale-read-realtime": 1}),
    ]


def _error(source: str, kind: str, code: str, count: int) -> dict[str, Any]:
    return {
        "class": kind,
        "code": code,
        "message": f"{kind} <to server>",
        "count": count,
        "first_ms": 5003,
        "last_ms": 9000,
        "source": source,
    }


def _deployment(recipe: Recipe, rng: random.Random) -> Deployment:
    settings = {f"setting_{n:03d}": str(n * 10) for n in range(120)}
    return Deployment(
        seconds=recipe.deployment * rng.gauss(1, 0.05),
        phases={"copy data": 0.6, "start servers": recipe.deployment - 0.6},
        roles={"node1": "primary", "node2": "replica", "client": "client"},
        settings={
            "node1": settings | {"server_id": "1"},
            "node2": settings | {"server_id": "2", "read_only": "ON"},
        },
        manager={"kind": "operator", "interval": "1s", "timeout": "1s", "misses": "3"},
        access={"kind": "direct"},
        limits="none asked for",
        single_writer=recipe.split > 0,
        facts=FACTS.model_copy(update={"may_lose": recipe.may_lose})
        if recipe.known or recipe.may_lose is not None
        else None,
        hosts=_hosts() if recipe.known else {},
    )


FACTS = SolutionFacts(
    replication="by <log>, commits wait for nobody",
    failover="none",
    least_servers="2",
    write_scaling="no",
    read_scaling="yes, stale",
    one_failure_loses="what was not sent",
    partition="both sides go on",
    one_down="nothing",
    two_down="away",
    sources=["Manual, 5.4"],
)


def _hosts() -> dict[str, HostFacts]:
    def host(kind: str, number: int, lines: int, memory: int) -> HostFacts:
        idle = IdleUsage(seconds=1.0, cpu_cores=0.02, memory_bytes=memory, pss_bytes=memory // 2)
        address = f"10.99.0.{10 + number}"
        return HostFacts(kind=kind, address=address, configuration_lines=lines, idle=idle)

    return {
        "node1": host("node", 1, 21, 100_000_000),
        "node2": host("node", 2, 24, 120_000_000),
        "client": host("client", 3, 0, 2_000_000),
    }


def _fault(recipe: Recipe, at: float | None) -> FaultRecord | None:
    if at is None:
        return None
    return FaultRecord(
        kind="kill",
        node="node1",
        role="primary",
        at=at,
        verified=True,
        detail="SIGKILL to 1 process; gone after 3 ms",
        restarted=at + 5000,
        rejoined=recipe.rejoins,
        rejoined_at=at + 7000 if recipe.rejoins else None,
        rejoin_detail="" if recipe.rejoins else "state transfer refused: wsrep_sst_auth <unset>",
    )


def _check(recipe: Recipe, lost: int, rng: random.Random) -> Check:
    ids = sorted(rng.sample(range(300, 700), lost))
    return Check(
        acknowledged=620,
        failed=31,
        in_doubt=recipe.in_doubt,
        primary="node2",
        nodes=[
            NodeCheck(
                node="node1",
                role="replica",
                reachable=recipe.rejoins,
                present=620 - lost,
                detail="" if recipe.rejoins else "connection refused",
                lost=lost,
                lost_ids=ids,
                in_doubt_applied=1,
            ),
            NodeCheck(
                node="node2",
                role="primary",
                reachable=True,
                present=620 - lost,
                lost=lost,
                lost_ids=ids,
                in_doubt_applied=1,
                in_doubt_absent=1,
            ),
        ],
    )


def _events(course: Course, failed: str) -> list[Event]:
    at = course.fault_at
    if at is None:
        return []
    events = [Event(t=at, kind="fault", node="node1", detail="kill")]
    if course.decided and not course.group:
        first, decided = at + course.outage * 0.25, course.decided
        events += [
            Event(t=first, kind="missed", node="node1", detail="check 1 of 3"),
            Event(t=decided, kind="decided", node="node2", detail="most advanced"),
            Event(t=course.decided + 124, kind="promoted", node="node2"),
        ]
    if failed:
        events.append(Event(t=at + 900, kind="failed", node="node1", detail=failed))
    return [*events, Event(t=at + 5000, kind="restarted", node="node1")]


def _timeline(cell: CellKey, recipe: Recipe, course: Course, rng: random.Random) -> list[dict[str, Any]]:
    scale = rng.gauss(1, 0.04) * cell.connections**0.6 / 8**0.6
    per_slot = recipe.tps * scale / 100
    writes_too = "read_only" not in cell.workload
    fault_at = course.fault_at
    rows: list[dict[str, Any]] = []
    for slot in range(0, int(END), layout.SLOT_MS):
        before = fault_at is None or slot < fault_at - 10
        reads_up = before or slot >= course.back_reads
        still = not before and 0 <= slot - (fault_at or 0.0) - 6000 < recipe.again
        writes_up = (before or slot >= course.back) and not still
        load_up = (before or slot >= course.reconnected) and not still
        reads_up = reads_up and not still
        pace = per_slot * (0.5 if load_up and not before and slot < course.caught_up else 1.0)
        done = max(0, round(rng.gauss(pace, pace**0.5))) if reads_up else 0
        wrote = done * (writes_too and load_up)
        if done or slot % 100 == 0:
            rows.append(
                {
                    "slot_ms": slot,
                    "source": "load",
                    "reads_ok": done * 14,
                    "writes_ok": wrote * 4,
                    "transactions_ok": done if load_up or not writes_too else 0,
                    "writes_failed": 0 if load_up else 8,
                    "writes_in_doubt": int(not before and slot < (fault_at or 0) + 10),
                    "queries_ok": done * 14 + wrote * 6,
                    "connects_failed": 0 if reads_up else 8,
                }
            )
        if slot % 20 == 0:
            rows.append(
                {
                    "slot_ms": slot,
                    "source": "ledger",
                    "reads_ok": int(reads_up),
                    "writes_ok": int(writes_up),
                    "writes_failed": int(not writes_up),
                }
            )
    return rows


def _back(fault_at: float | None, outage: float | None, rng: random.Random) -> float:
    if fault_at is None:
        return 0.0
    return END + 1 if outage is None else fault_at + outage * rng.gauss(1, 0.04)
