"""Layout of a run's folder: names of files, and columns of tables.

runs/<run>/.lock                     process that runs it; removed at its end
runs/<run>/manifest.json             the run: experiment, plan, versions, machine
runs/<run>/experiment.yaml           the experiment file
runs/<run>/report.html
runs/<run>/journal.jsonl             events of the run: see `journal`
runs/<run>/.stop                     request that no further trial begins
runs/<run>/resume.log                output of a run that was resumed from the live page
runs/<run>/trials/<id>/trial.json    one trial; its folder appears whole or not at all
                      /timeline.parquet  10 ms slots, see TABLES
                      /ledger.parquet    every operation of the ledger
                      /probes.parquet    every attempt of a new connection with one small write
                      /executed.parquet  when the server executed each write of the ledger
                      /held.parquet      the ledger's rows on each node after the trial
                      /nodes.parquet     changes of each node's state, polled every 10 ms outside the network
                      /members.parquet   changes of members that speak no SQL, as other members report them
                      /views.parquet     newest ledger rows on each node, ten times a second
                      /lag.parquet       replication lag as servers report it
                      /counters.parquet  counters of the servers
                      /disks.parquet     replicated block device, as each node reports it
                      /hosts.parquet     CPU, memory, disk and network of each host
                      /incidents.parquet deadlocks, lock waits and checkpoints, from the servers' logs
                      /machine.parquet   CPU use of the machine: the lab, other processes, the hypervisor
                      /links.parquet     frames and bytes between sites
                      /history.parquet   operations of the transactions that test isolation
                      /stack_attempts.parquet     every attempt of a transaction of the client stacks
                      /stack_rows.parquet         rows of each operation of the client stacks, after the trial
                      /stack_connections.parquet  changes of each client stack's connections to each server
                      /stack_pools.parquet        what each client stack's pool reports, once a second
                      /latency.hlog      HdrHistogram log, one histogram a second and tag
                      /clients/<name>/...  with several clients: time line, ledger, probes, history and
                                         latencies of each; the files above are of all clients together
                      /logs/<host>/...   server logs
runs/<run>/blocks/<id>/block.json      one block of an interleaved comparison
                     /windows.parquet   each window: solution, round, answers
                     /usage.parquet     resources that each solution used during each window
                     /<n>/...           time line, latencies and logs of solution n, as in a trial
runs/<run>/trials/<id>.broken-<n>/   failed attempt n, with its logs
runs/<run>/configuration/<digest>.json   files that were written for a deployment, of all trials with the same
runs/<run>/cache/...                 results computed from finished trials; can be removed at any time

runs/<runs>/parts.json               list of the parts of an experiment file with several parts
runs/<runs>/index.html               figures of each part, with links to the reports
runs/<runs>/<part>/...               the run of a part, as above
runs/<runs>/study.yaml               of a study: its file
runs/<runs>/claims.json              of a study: verdicts on its claims
runs/<runs>/study.html               of a study: its report
"""

from pathlib import Path

MANIFEST = "manifest.json"
PARTS = "parts.json"
INDEX = "index.html"
CLAIMS = "claims.json"
STUDY = "study.html"
STUDY_SOURCE = "study.yaml"
SOURCE = "experiment.yaml"
REPORT = "report.html"
TRIALS = "trials"
TRIAL = "trial.json"
BLOCKS = "blocks"
BLOCK = "block.json"
LATENCY = "latency.hlog"
LOGS = "logs"
CLIENTS = "clients"
CONFIGURATION = "configuration"
LOCK = ".lock"
JOURNAL = "journal.jsonl"
STOP = ".stop"
RESUME_LOG = "resume.log"
# Files about a run's progress, which are no results.
PROGRESS_FILES = (JOURNAL, STOP, RESUME_LOG)
LOAD = "load"
TICKS = "ticks.csv"
# Folders of a running trial: files of the load, and files of the observers.
OBSERVED = "observed"
CACHE = "cache"

# Kind of the row in `incidents` that stands for a log, or a part of it, that could not be read.
NOT_OBSERVED = "not observed"

# Columns and DuckDB types of a trial's tables.
#
# timeline   sparse: slots without activity are absent; `timeouts` counts operations and connects that a
#            client time-out ended
# ledger     `seen`: for each client the greatest id that a read returned (NULL: none)
# probes     one row for each attempt of a new connection with one small write; `stage` is the last stage
#            reached: resolve, connect, login, role or write; absent in a trial without probes
# executed   execution time on the server, of the ledger's rows on the primary of record after the trial
# held       each row of the ledger on each readable node after the trial, as often as the node has it; lost,
#            phantom and duplicate rows are computed from it
# nodes      one row for each change; `state` is writable, read_only, refusing or away; `epoch` identifies the
#            group's view or the time line of the node
# members    members that speak no SQL, as NDB's data and management nodes: one row for each change that a
#            management node reports; `state` is started, starting N (its phase), not connected, or not known
# views      `seen` as in `ledger`, read on the node itself, outside the network
# delay      `source` is the server's name of the figure, or the difference of two; `node` is the lagging
#            node; `value` is NULL where the server reports NULL
# counters   cumulative counters and gauges under the server's names; a counter that a sample lacks was 0
# hosts      all hosts of the lab; bytes since the host's start, including those of ended processes; written
#            bytes as the kernel charges processes, less cancelled writes (see `analysis.resources.disk`);
#            network bytes of the host's interface
# machine    CPU seconds since the first sample: `lab_s` of all hosts, `controller_s` of fivenines outside
#            them, `serve_s` of live pages, `kernel_s` of kernel threads, `others_s` of all other processes,
#            and `others_s:NAME` by name; `busy_s`, `steal_s` and `idle_s` of the usable CPUs, `cores` of
#            `machine_cores`; `device_written_bytes` of the block device below the run's folder, by all
#            processes
# incidents  log entries of servers during the load, at the time of the entry: `deadlock`, `lock wait` (with
#            its length in ms), `checkpoint` (with its duration in ms); of NDB's data nodes also `global
#            checkpoint`, `local checkpoint`, lost nodes, arbitration and the redo log; `not observed`: what a
#            server does not log with its configuration, and why
# links      arrivals since the start of the load; bytes of whole frames
# history    one row for each operation of a transaction; `position` counts within it; `list` is the result of
#            a read of the `append` workload, as 1,2,3; `source` is lists, registers or bank;
#            `started_us`: when the attempt was sent
# stack_attempts: one row for each attempt of a transaction, by the stack's number in the record; `n` is the
#            number of the logical operation, `stage` how far it got: acquire, work, commit or release
# stack_rows: the number of rows of each operation that has any, read from the primary after the trial; a
#            stack whose table could not be read has none, and the reason is in the record
# stack_connections: established connections of the stack's program by the server's address:port, sampled a
#            few times a second; one row for each change
# stack_pools: what the program reports of its pool, once a second: workers without a connection, open and
#            idle connections, and connections opened since its start; null: the pool does not count them
# windows    of a block: `side` is the solution's place in the record; round 0 is the warm-up; answers from
#            `measured_ms` to `to_ms` count, both as measured; `after_ms` is the time after the window's end
#            in which its transactions were still answered (to 10 ms)
# usage      of a block: CPU and bytes for storage of each solution's hosts during each window, without its
#            client's
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
        "timeouts": "INTEGER",
    },
    "ledger": {
        "id": "BIGINT",
        "client": "INTEGER",
        "kind": "VARCHAR",
        "endpoint": "VARCHAR",
        "started_us": "BIGINT",
        "completed_us": "BIGINT",
        "outcome": "VARCHAR",
        "error_class": "VARCHAR",
        "seen": "BIGINT[]",
    },
    "probes": {
        "started_us": "BIGINT",
        "completed_us": "BIGINT",
        "endpoint": "VARCHAR",
        "outcome": "VARCHAR",
        "stage": "VARCHAR",
        "error_class": "VARCHAR",
    },
    "executed": {"id": "BIGINT", "executed_us": "BIGINT"},
    "held": {"node": "VARCHAR", "id": "BIGINT"},
    "nodes": {"t_us": "BIGINT", "node": "VARCHAR", "state": "VARCHAR", "epoch": "VARCHAR"},
    "members": {"t_us": "BIGINT", "node": "VARCHAR", "state": "VARCHAR"},
    "views": {"t_us": "BIGINT", "node": "VARCHAR", "seen": "BIGINT[]"},
    "lag": {"t_ms": "DOUBLE", "node": "VARCHAR", "source": "VARCHAR", "value": "DOUBLE", "unit": "VARCHAR"},
    "counters": {"t_ms": "DOUBLE", "node": "VARCHAR", "name": "VARCHAR", "value": "DOUBLE"},
    "disks": {
        "t_ms": "DOUBLE",
        "node": "VARCHAR",
        "connection": "VARCHAR",
        "disk": "VARCHAR",
        "sent_bytes": "BIGINT",
        "received_bytes": "BIGINT",
        "log_updates": "BIGINT",
        "out_of_sync_bytes": "BIGINT",
    },
    "hosts": {
        "t_ms": "DOUBLE",
        "host": "VARCHAR",
        "cpu_cores": "DOUBLE",
        "memory_bytes": "BIGINT",
        "disk_read_bytes": "BIGINT",
        "disk_written_bytes": "BIGINT",
        "net_received_bytes": "BIGINT",
        "net_sent_bytes": "BIGINT",
    },
    "machine": {"t_ms": "DOUBLE", "name": "VARCHAR", "value": "DOUBLE"},
    "incidents": {
        "t_ms": "DOUBLE",
        "node": "VARCHAR",
        "kind": "VARCHAR",
        "ms": "DOUBLE",
        "detail": "VARCHAR",
    },
    "links": {
        "t_ms": "DOUBLE",
        "from_site": "VARCHAR",
        "to_site": "VARCHAR",
        "frames": "BIGINT",
        "bytes": "BIGINT",
        "dropped_queue": "BIGINT",
        "dropped_loss": "BIGINT",
    },
    "history": {
        "txn": "BIGINT",
        "client": "INTEGER",
        "source": "VARCHAR",
        "started_us": "BIGINT",
        "completed_us": "BIGINT",
        "outcome": "VARCHAR",
        "position": "INTEGER",
        "kind": "VARCHAR",
        "key": "BIGINT",
        "value": "BIGINT",
        "list": "VARCHAR",
    },
    "stack_attempts": {
        "stack": "INTEGER",
        "worker": "INTEGER",
        "n": "BIGINT",
        "attempt": "INTEGER",
        "started_us": "BIGINT",
        "completed_us": "BIGINT",
        "outcome": "VARCHAR",
        "stage": "VARCHAR",
        "code": "VARCHAR",
    },
    "stack_rows": {"stack": "INTEGER", "n": "BIGINT", "rows": "INTEGER"},
    "stack_connections": {
        "t_ms": "DOUBLE",
        "stack": "INTEGER",
        "server": "VARCHAR",
        "connections": "INTEGER",
    },
    "stack_pools": {
        "stack": "INTEGER",
        "at_us": "BIGINT",
        "waiting": "INTEGER",
        "open": "INTEGER",
        "idle": "INTEGER",
        "created": "BIGINT",
    },
    "windows": {
        "position": "INTEGER",
        "round": "INTEGER",
        "side": "INTEGER",
        "from_ms": "DOUBLE",
        "measured_ms": "DOUBLE",
        "to_ms": "DOUBLE",
        "ok": "BIGINT",
        "expected": "BIGINT",
        "failed": "BIGINT",
        "mean_ms": "DOUBLE",
        "p50_ms": "DOUBLE",
        "p95_ms": "DOUBLE",
        "p99_ms": "DOUBLE",
        "max_ms": "DOUBLE",
        "after_ms": "DOUBLE",
    },
    "usage": {"position": "INTEGER", "side": "INTEGER", "cpu_s": "DOUBLE", "written_bytes": "BIGINT"},
}

# Width of a slot of the time line in ms: the resolution of an outage.
SLOT_MS = 10


def trial_folder(run: Path, trial_id: str) -> Path:
    """Return the folder of a complete trial or block."""
    return run / (BLOCKS if trial_id.startswith("block-") else TRIALS) / trial_id


def client_folder(trial: Path, client: str) -> Path:
    """Return the folder with the tables of one of several clients of a trial."""
    return trial / CLIENTS / client


def part_folder(run: Path, trial_id: str) -> Path:
    """Return the folder of a running trial or block."""
    return trial_folder(run, trial_id).with_name(f".{trial_id}.part")
