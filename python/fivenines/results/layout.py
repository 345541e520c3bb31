"""Where everything of a run lies.

runs/<run>/manifest.json             the run: experiment, plan, versions, machine
runs/<run>/experiment.yaml           the file as it was
runs/<run>/report.html
runs/<run>/trials/<id>/trial.json    one trial; its folder appears whole or not at all
                      /timeline.parquet  10 ms slots, see TABLES
                      /probe.parquet     every probe operation
                      /hosts.parquet     CPU and memory of each host, once a second
                      /latency.hlog      HdrHistogram log, one histogram a second and tag
                      /logs/<host>/...   server logs
runs/<run>/trials/<id>.broken-<n>/   attempt n failed; kept with its logs
"""

from pathlib import Path

MANIFEST = "manifest.json"
SOURCE = "experiment.yaml"
REPORT = "report.html"
TRIALS = "trials"
TRIAL = "trial.json"
LATENCY = "latency.hlog"
LOGS = "logs"

TABLES: dict[str, dict[str, str]] = {
    "timeline": {
        "slot_ms": "INTEGER",
        "source": "VARCHAR",
        "reads_ok": "INTEGER",
        "reads_failed": "INTEGER",
        "writes_ok": "INTEGER",
        "writes_failed": "INTEGER",
        "writes_in_doubt": "INTEGER",
        "transactions_ok": "INTEGER",
        "queries_ok": "INTEGER",
        "connects_failed": "INTEGER",
        "connects_ok": "INTEGER",
    },
    "probe": {
        "id": "BIGINT",
        "client": "INTEGER",
        "kind": "VARCHAR",
        "endpoint": "VARCHAR",
        "started_us": "BIGINT",
        "completed_us": "BIGINT",
        "outcome": "VARCHAR",
        "error_class": "VARCHAR",
    },
    "hosts": {
        "t_ms": "DOUBLE",
        "host": "VARCHAR",
        "cpu_cores": "DOUBLE",
        "memory_bytes": "BIGINT",
    },
}
"""Columns and DuckDB types of a trial's tables. `timeline` is sparse: slots without activity are absent."""

SLOT_MS = 10
"""Width of a slot of the time line, thus the resolution of an outage."""


def trial_folder(run: Path, trial_id: str) -> Path:
    """The folder of a complete trial."""
    return run / TRIALS / trial_id
