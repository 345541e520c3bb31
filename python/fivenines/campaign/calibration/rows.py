"""Calibration of the ledger's checks: removed, added, duplicated and stale rows must all be detected.

It runs a trial on a primary with a standby, with the steps of an experiment. During the load the server
refuses some rows, and the standby pauses replay for a while, so that its reads are stale. Before the trial's
checks, rows on the primary are damaged. The ids of these rows are compared with the trial's verdict.
"""

import time
from dataclasses import dataclass, field
from pathlib import Path

import duckdb

from fivenines.analysis.consistency import staleness
from fivenines.analysis.consistency.consistency import primary_check
from fivenines.base.errors import FiveninesError
from fivenines.campaign.calibration.base import ENGINE, CalibrationContext, Calibrator
from fivenines.campaign.calibration.judging import judge_ages, judge_detected
from fivenines.campaign.calibration.trials import CHECKING, DATA, UNDER_LOAD, change, planted_trial
from fivenines.results.calibration import Line
from fivenines.results.store import StoredTrial, table_path
from fivenines.servers.base import Server
from fivenines.trial.deployment.deployed import Deployed

_EXPERIMENT = """\
name: calibration
trials: 1
solutions:
  - {{solution: hot-standby, engine: {engine}, synchronous_commit: local, reads: replicas, manager: none}}
workloads: [{{workload: oltp_update_non_index, {data}}}]
connections: [2]
load: {{rate: 50}}
ledger: {{rate: 200, read_rate: 200, clients: 4}}
timing: {{warmup: 500ms, steady: 5s, recovery: 1s, settle: 10s}}
"""

# Seconds for which the standby pauses replay.
_STILL = 1.5

# Clients of the ledger whose rows are damaged in different ways.
_LAST, _SECOND, _THIRD, _FOURTH = range(4)

_DISORDERED = 5
# Number of rows that are damaged in each way.
_TAKEN, _PHANTOM, _DOUBLED = 3, 3, 3

_REFUSE = (
    "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS "
    "'BEGIN RAISE EXCEPTION ''planted by fivenines''; END'",
    "CREATE TRIGGER refuse BEFORE INSERT ON fivenines_ledger FOR EACH ROW "
    f"WHEN (NEW.client = {_THIRD} AND NEW.id % 5 = 0) EXECUTE FUNCTION refuse()",
)


@dataclass
class Planted:
    """Planted damage: ids of rows, and the pause of the standby (ns of CLOCK_MONOTONIC)."""

    lost: list[int] = field(default_factory=list)
    phantom: list[int] = field(default_factory=list)
    doubled: list[int] = field(default_factory=list)
    disordered: list[int] = field(default_factory=list)
    still: tuple[int, int] = (0, 0)


class Rows(Calibrator):
    """Plants lost, phantom, duplicate, out-of-order and stale rows."""

    name = "rows"
    title = "Rows of the ledger"
    order = 2
    seconds = (15.0, 15.0)

    def measure(self, context: CalibrationContext) -> list[Line]:
        planted = Planted()

        def under_load(up: Deployed) -> None:
            context.tell("refusing rows, and pausing the standby's replay")
            change(up.solution.nodes[0], *_REFUSE)
            time.sleep(1.5)
            planted.still = _stand_still(up, _STILL)

        def checking(up: Deployed) -> None:
            context.tell("damaging rows, and checking them")
            harm(up.solution.nodes[0], table_path(up.lab.folder.parent, "ledger"), planted)

        context.tell("deploying a primary and a standby")
        text = _EXPERIMENT.format(engine=ENGINE, data=DATA)
        trial = planted_trial(context, text, Deployed, {UNDER_LOAD: under_load, CHECKING: checking})
        return judged(trial, planted)


def harm(primary: Server, ledger: Path, planted: Planted) -> None:
    """Remove rows, insert refused ones, duplicate some, and record their ids."""
    last, second = acknowledged(ledger, _LAST), acknowledged(ledger, _SECOND)
    planted.phantom = refused(ledger)[:_PHANTOM]
    planted.doubled = acknowledged(ledger, _FOURTH)[-_DOUBLED:]
    # The last rows of a client are lost without later ones; a row in the middle leaves later ones disordered.
    planted.lost = [*last[-_TAKEN:], second[-_DISORDERED - 1]]
    planted.disordered = second[-_DISORDERED:]
    if len(planted.phantom) < _PHANTOM or len(last) < _TAKEN or len(second) <= _DISORDERED:
        raise FiveninesError("the load wrote too few rows to plant anything: try again")
    now = "(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000)::BIGINT"
    again = "INSERT INTO fivenines_ledger (id, client, executed_us) SELECT"
    change(
        primary,
        "DROP TRIGGER refuse ON fivenines_ledger",
        "ALTER TABLE fivenines_ledger DROP CONSTRAINT fivenines_ledger_pkey",
        f"DELETE FROM fivenines_ledger WHERE id IN ({_ids(planted.lost)})",
        f"{again} unnest(ARRAY[{_ids(planted.phantom)}]), {_THIRD}, {now}",
        f"{again} id, client, executed_us FROM fivenines_ledger WHERE id IN ({_ids(planted.doubled)})",
    )


def judged(trial: StoredTrial, planted: Planted) -> list[Line]:
    """Compare the trial's record and its analysis with the planted damage."""
    node = primary_check(trial.record.check) if trial.record.check else None
    if node is None:
        raise FiveninesError("the primary could not be read after the trial")
    return [
        judge_detected("acknowledged rows taken away", planted.lost, node.lost_ids),
        judge_detected("refused rows put there (phantom)", planted.phantom, node.phantom_ids),
        judge_detected("rows doubled", range(len(planted.doubled)), range(node.duplicate)),
        judge_detected("rows out of their client's order", planted.disordered, node.disordered_ids),
        *_stale(trial, planted),
    ]


def _stale(trial: StoredTrial, planted: Planted) -> list[Line]:
    """Judge reads of the paused standby: each began after a write that it could not return.

    Reads that were running when the replay resumed, and later ones, are left out.
    """
    result = staleness.measure(trial.folder, trial.record)
    start = trial.record.load.started_monotonic_ns
    began, ended = ((moment - start) / 1e6 for moment in planted.still)
    ledger = table_path(trial.folder, "ledger")
    first, ended = first_acknowledged(ledger, began), before_running_reads(ledger, ended)
    deployment = trial.record.deployment
    standby = deployment.hosts["node2"].address if deployment else ""
    endpoints = [item for item in result.endpoints if standby in item.endpoint] if result else []
    reads = [
        (float(at), float(age))
        for endpoint in endpoints
        for at, age in zip(endpoint.at_ms, endpoint.age_ms, strict=True)
        if first < at < ended
    ]
    expected = [at - first for at, _ in reads]
    return judge_ages("reads of a standby with paused replay", expected, [age for _, age in reads])


def _stand_still(up: Deployed, seconds: float) -> tuple[int, int]:
    """Pause the standby's replay; return the beginning and end of the time in which it surely paused."""
    standby, stalling = up.solution.nodes[1], up.solution.stalling
    assert stalling is not None
    stalling.stall(standby)
    began = time.monotonic_ns()
    time.sleep(seconds)
    ended = time.monotonic_ns()
    if reason := stalling.unstall(standby):
        raise FiveninesError(f"the standby did not resume replay: {reason}")
    return began, ended


def acknowledged(ledger: Path, client: int) -> list[int]:
    """Return the ids of a client's acknowledged rows, rising."""
    return _column(ledger, f"kind = 'write' AND client = {client}", "bool_or(outcome = 'ok')")


def refused(ledger: Path) -> list[int]:
    """Return the ids of rows that were refused, and never acknowledged or in doubt."""
    return _column(ledger, "kind = 'write'", "bool_and(outcome = 'failed')")


def first_acknowledged(ledger: Path, after_ms: float) -> float:
    """Return when the first write that was sent after a moment was acknowledged, in ms of the load."""
    sql = (
        "SELECT min(completed_us) FROM read_parquet(?) "
        "WHERE kind = 'write' AND outcome = 'ok' AND started_us > ?"
    )
    with duckdb.connect() as connection:
        row = connection.execute(sql, [str(ledger), round(after_ms * 1000)]).fetchone()
    if not row or row[0] is None:
        raise FiveninesError("no row was written while the standby's replay was paused: try again")
    return float(row[0]) / 1000


def before_running_reads(ledger: Path, moment_ms: float) -> float:
    """Return the beginning of the first read that was running at a moment, in ms of the load.

    On a busy machine the server executes such a read long after its beginning. Without one, the moment.
    """
    sql = (
        "SELECT min(started_us) FROM read_parquet($1) WHERE kind = 'read' AND started_us <= $2 "
        "AND (completed_us IS NULL OR completed_us > $2)"
    )
    with duckdb.connect() as connection:
        row = connection.execute(sql, [str(ledger), round(moment_ms * 1000)]).fetchone()
    return moment_ms if not row or row[0] is None else float(row[0]) / 1000


def _column(ledger: Path, where: str, having: str) -> list[int]:
    sql = f"SELECT id FROM read_parquet(?) WHERE {where} GROUP BY id HAVING {having} ORDER BY id"
    with duckdb.connect() as connection:
        return [int(row[0]) for row in connection.execute(sql, [str(ledger)]).fetchall()]


def _ids(ids: list[int]) -> str:
    return ", ".join(map(str, ids))
