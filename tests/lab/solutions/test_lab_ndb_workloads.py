"""Every workload on real data nodes for a second: it runs, or is refused before anything starts.

All workloads share one cluster. TPC-C is missing: its smallest data set takes minutes (see
docs/solutions/ndb.md).
"""

from pathlib import Path
from typing import Any, get_args

import pytest
from lab_prepare import Site, workload_flags
from lab_support import run_trial

from fivenines.experiment.spec import AnyWorkload
from fivenines.software.engines.ndb_archive import REMEDIES, NdbArchive
from fivenines.trial.deployment.deployed import Deployed

pytestmark = pytest.mark.skipif(not NdbArchive().fetched, reason=f"no NDB Cluster: {REMEDIES}")

OLTP: dict[str, Any] = {"tables": 2, "table_size": 500}
# Settings of each kind with which it loads in seconds.
SMALL: dict[str, dict[str, Any]] = {
    **{
        f"oltp_{kind}": OLTP
        for kind in (
            "point_select",
            "read_only",
            "write_only",
            "read_write",
            "update_index",
            "update_non_index",
            "insert",
            "delete",
        )
    },
    "append": {},
    "bank": {"isolation": "read_committed"},
    "bulkload": {"rows": 1000, "batch": 100},
    "crud": {"parents": 2, "children": 2, "rows": 200, "batch": 2},
    "iibench": {"batch": 100, "queries": 1},
    "imsi": {"home": 360, "visitors": 360, "style": "procedures"},
    "ingest": {"parents": 2, "children": 2, "batch": 10, "foreign_keys": True},
    "mix": {
        "parts": [{"workload": {"workload": "oltp_point_select", **OLTP}}, {"workload": {"workload": "bank"}}]
    },
    "registers": {},
    "script": {"files": ["own.sql"], "data": {"workload": "oltp_read_write", **OLTP}},
    "tatp": {"subscribers": 200},
}

NOT_RUN = {"tpcc"}

# Errors that are expected: small tables are contended, and deadlocked transactions wait until the time-out.
BROKEN_OFF = {"lock_timeout", "deadlock", "end"}


def _kinds() -> set[str]:
    """Return all kinds of workloads that an experiment can name."""
    union = get_args(AnyWorkload)[0]
    return {name for model in get_args(union) for name in get_args(model.model_fields["workload"].annotation)}


def _allowed(kind: str) -> set[str]:
    # A missing facility of a call forwarding is reported at the commit: NDB checks NO ACTION there.
    return BROKEN_OFF | ({"constraint"} if kind == "tatp" else set())


def _runs(site: Site, out: Path, kind: str) -> str:
    """Return why a workload does not run; empty if it does."""
    settings = dict(SMALL[kind])
    if "files" in settings:
        own = out / "own.sql"
        own.write_text("SELECT c FROM sbtest1 WHERE id = 5;\nUPDATE sbtest1 SET k = k + 1 WHERE id = 7;\n")
        settings["files"] = [str(own)]
    flags = workload_flags(kind, **settings)
    data = workload_flags(**{"kind": "oltp_read_write", **OLTP}) if kind in ("mix", "script") else flags
    if kind not in ("append", "bank", "registers"):
        prepared = site.prepare(*data, "--drop")
        if prepared.code:
            return prepared.stderr
    summary = site.load(out, *flags, "--duration", "1s", "--retries", "20")
    wrong = [error for error in summary["errors"] if error["class"] not in _allowed(kind)]
    if wrong:
        return str(wrong)
    return "" if summary["transactions"]["ok"] > 0 else "nothing was committed"


@pytest.mark.long
def test_every_workload_runs(tmp_path: Path) -> None:
    assert set(SMALL) | NOT_RUN == _kinds(), "a workload without a test on NDB"
    refused: dict[str, str] = {}

    def try_all(deployed: Deployed) -> None:
        site = Site(deployed.solution.nodes[0])
        for kind in SMALL:
            out = tmp_path / "tried" / kind
            out.mkdir(parents=True)
            if problem := _runs(site, out, kind):
                refused[kind] = problem

    text = (
        "solutions: [{solution: ndb, sql_nodes: 1}]\nload: {rate: 20}\n"
        "timing: {warmup: 500ms, steady: 1s, recovery: 1s, settle: 30s}\nfaults: [none]\n"
    )
    run_trial(tmp_path, text, {"checking": try_all})
    assert refused == {}
