"""Records of a run: its manifest, and the record of each trial (JSON).

All times of a trial are milliseconds since the start of its load (t = 0 includes the warm-up), measured
with CLOCK_MONOTONIC, which all hosts of the lab share. Tables are Parquet, see `layout.TABLES`.
"""

from typing import Any, Literal

from pydantic import Field

from fivenines.results.basics import ClockRecord, Machine, Record
from fivenines.results.calibration import Calibration
from fivenines.results.load_summary import LoadSummary, StoredSummary
from fivenines.results.stacks import StackRecord

# Format version of a run's folder. Version 4 has the words of fivenines 0.1.0: block, host-kill, reported
# lag.
FORMAT = 4

# Readable format versions; a folder of any other version is refused.
READABLE = (4,)


class CellKey(Record):
    """The conditions that identify a cell, as the report names them."""

    solution: str
    workload: str
    connections: int
    network: str
    fault: str

    @property
    def without_fault(self) -> "CellKey":
        """Return the same conditions with no fault: those of cells that differ in the fault only."""
        return self.model_copy(update={"fault": ""})


class PlannedSeverity(Record):
    """The search for the severity of a fault: its setting, what that is, and the range."""

    of: str
    unit: Literal["time", "share"] = Field(description="time: in s; share: from 0 to 1")
    at_least: float
    at_most: float


class PlannedTrial(Record):
    """A planned trial; its folder exists once the trial is complete."""

    id: str
    cell: CellKey
    number: int
    seed: int
    search: tuple[float, float] | None = Field(
        None, description="range in which the length of its fault is searched, in s; null: it is fixed"
    )
    severity: PlannedSeverity | None = Field(
        None, description="search for the severity of its fault; null: it is fixed"
    )


class PlannedBlock(Record):
    """An interleaved comparison as planned: the cells that are up side by side; whether it is done tells its
    folder.
    """

    id: str
    cells: list[CellKey]
    number: int
    seed: int


class Settled(Record):
    """A cell that needs no more trials, in a run whose trials are added as needed."""

    cell: CellKey
    trials: int = Field(description="complete trials when the cell was judged")
    measured: bool = Field(
        description="false: no trial has the deciding measure, so more trials would not help"
    )
    spared: int = Field(description="planned trials that were removed from the plan")
    seconds: float = Field(description="estimated duration of the removed trials")


class Decided(Record):
    """The early end of a part of a study whose claims need no more trials."""

    replications: int = Field(description="trials of each cell, and blocks, that were planned until then")
    why: Literal["decided", "time"] = Field(description="decided: no claim needs more; time: it is over")
    spared: int = Field(description="planned trials and blocks that were removed from the plan")
    seconds: float = Field(description="estimated duration of these")


class Manifest(Record):
    """The run as a whole: manifest.json."""

    format: int = FORMAT
    fivenines: str
    created: str = Field(description="ISO 8601, UTC")
    experiment: dict[str, Any] = Field(description="with all defaults filled in, units as text")
    source: str = Field(description="text of the experiment file")
    engines: dict[str, str] = Field(description="version of each engine used")
    machine: Machine
    calibration: Calibration | None = Field(
        None, description="latest result of `fivenines calibrate` on this machine; null: not calibrated"
    )
    plan: list[PlannedTrial]
    blocks: list[PlannedBlock] = Field(default_factory=list)
    settled: list[Settled] = Field(default_factory=list)
    decided: Decided | None = None


class Windows(Record):
    """The phases of a trial in ms from the start of the load."""

    warmup_end: float
    steady_end: float = Field(description="end of the measured window; faults are injected later")
    end: float = Field(description="end of the load")


# End of the detail of a `fenced` event if no process of the server was left.
FOUND_DEAD = "it had died before"


class Event(Record):
    """An event of a trial: a fault, its end, detection, promotion, restart or rejoin."""

    t: float
    kind: str = Field(
        description="fault, ended, missed, decided, fenced, promoted, repointed, restarted, ..."
    )
    node: str = ""
    detail: str = ""


class Unobserved(Record):
    """Figures that a server does not show: unknown, and never 0."""

    node: str
    what: str
    why: str


class FaultRecord(Record):
    """An injected fault; a trial with a sequence of faults has several."""

    kind: str
    node: str = Field(description="first host that was hit, or the site or the manager")
    nodes: list[str] = Field(default_factory=list, description="all hosts that were hit")
    role: str = Field(description="requested target, resolved to its role at that moment")
    at: float = Field(description="when the fault took effect, in ms from the start of the load")
    verified: bool = Field(description="whether fivenines observed the effect")
    detail: str
    ended: float | None = Field(None, description="when the fault was removed; null: it was not removed")
    ended_verified: bool | None = Field(None, description="whether fivenines observed the removal")
    ended_detail: str = ""
    restarted: float | None = None
    rejoined: bool | None = Field(None, description="null: the node was not restarted")
    rejoined_at: float | None = None
    rejoin_detail: str = Field("", description="why the node did not rejoin")
    mtbf: float | None = Field(
        None, description="assumed mean time between such faults in production, in seconds"
    )
    hiccup: bool = Field(False, description="custom commands that kill no server, as the experiment says")
    planned: int = Field(1, description="faults that the experiment plans for the trial, this one included")


class NodeCheck(Record):
    """Verdict on the ledger's rows on one node after the trial."""

    node: str
    role: str
    reachable: bool
    detail: str = ""
    present: int = Field(0, description="ledger rows found")
    lost: int = Field(0, description="acknowledged rows that are absent")
    lost_ids: list[int] = Field(default_factory=list, description="first 1000 lost ids")
    phantom: int = Field(0, description="refused rows that are present")
    phantom_ids: list[int] = Field(default_factory=list)
    in_doubt_applied: int = 0
    in_doubt_absent: int = 0
    duplicate: int = 0
    disordered: int = Field(
        0, description="rows present although an earlier acknowledged row of their client is absent"
    )
    disordered_ids: list[int] = Field(default_factory=list)


class Check(Record):
    """Comparison of the ledger's acknowledged writes with the rows on all surviving nodes."""

    acknowledged: int
    failed: int
    in_doubt: int
    primary: str = Field(description="primary of record: the node on which loss is judged")
    nodes: list[NodeCheck]


class InvariantCheck(Record):
    """Check of an invariant of the workload's data on the primary of record."""

    name: str
    source: str = Field(description="clause of the specification that demands it")
    status: Literal["holds", "violated", "unknown"]
    detail: str = Field("", description="the violation, or why the status is unknown")
    offending: list[dict[str, str]] = Field(
        default_factory=list, description="first rows that violate it, by column"
    )
    seconds: float = Field(0.0, description="duration of the query")


class TableDifference(Record):
    """A table whose rows differ between the nodes that could be read."""

    table: str
    rows: dict[str, int] = Field(description="number of rows on each node")
    checksums: dict[str, str] = Field(description="checksum of all rows on each node")
    keys: list[str] = Field(default_factory=list, description="first 100 primary keys with differing rows")
    differing: int = Field(0, description="number of differing keys; 0 if they were not listed")


class Divergence(Record):
    """Comparison of all tables of the workload and the ledger between all nodes after the trial."""

    compared: list[str] = Field(description="compared nodes")
    left_out: dict[str, str] = Field(default_factory=dict, description="nodes left out, with the reason")
    tables: int = Field(description="number of tables compared")
    rows: int = Field(0, description="rows of all tables on the reference node")
    reference: str = Field("", description="node that the others are compared with")
    differences: list[TableDifference] = Field(default_factory=list)
    seconds: float = 0.0
    incomplete: str = Field("", description="why the comparison is incomplete; empty: it is complete")


class Anomaly(Record):
    """One violation of isolation, with the transactions that show it."""

    kind: str = Field(description="G0, G1a, G1b, G1c, G-single, G2-item, lost-update, G-single-realtime, ...")
    transactions: list[int] = Field(description="numbers of the transactions, in cycle order")
    explanation: str = Field(description="the reads and writes of the cycle in words, step by step")
    edges: list[tuple[int, str, int]] = Field(
        default_factory=list,
        description="from, kind of dependency (ww, wr, rw) and key, to; without a key: process, realtime",
    )


class Isolation(Record):
    """Isolation anomalies in a history of transactions."""

    source: str = Field(description="`lists` (list-append), `registers` or `bank`")
    transactions: int
    counts: dict[str, int] = Field(default_factory=dict, description="anomalies by kind")
    in_time: dict[str, int] | None = Field(
        None,
        description="what contradicts only the order of time, as one transaction was acknowledged before "
        "another began, by kind; null: not judged",
    )
    complete: bool = Field(
        True, description="whether all cycles were searched; otherwise counts are lower bounds"
    )
    examples: list[Anomaly] = Field(default_factory=list, description="first ten of each kind")
    seconds: float = 0.0
    note: str = ""
    rules: int = Field(0, description="version of the rules that found them")


class SolutionFacts(Record):
    """Properties of a solution that are not measured: short texts for the table of solutions."""

    replication: str = Field(description="what is replicated, and when a commit is acknowledged")
    failover: str = Field(description="whether failover is automatic, and which component does it")
    least_servers: str = Field(description="minimum database servers and voters that survive one loss")
    extra: str = Field("none", description="components in addition to the database servers")
    write_scaling: str = Field(description="whether more nodes accept more writes")
    read_scaling: str = Field(description="whether more nodes serve more reads, and how fresh these are")
    one_failure_loses: str = Field(description="what a single failure can lose")
    partition: str = Field(description="what each side of a partition does")
    one_down: str = Field(description="behaviour with one node down")
    two_down: str = Field(description="behaviour with two nodes down")
    may_lose: str | None = Field(
        None,
        description="why a failover after a single failure may lose acknowledged rows by design; empty: it "
        "may not; null: unknown",
    )
    alone_after: float | None = Field(
        None,
        description="seconds after which a live primary that no replica answers acknowledges alone; null: "
        "never, or unknown",
    )
    sources: list[str] = Field(default_factory=list, description="manuals and papers")


class IdleUsage(Record):
    """Resources that a host used without a load, right after the deployment."""

    seconds: float = Field(description="length of the observation")
    cpu_cores: float
    memory_bytes: int = Field(description="as in the table `hosts`: shared memory counts once")
    pss_bytes: int | None = Field(
        None, description="sum of the processes' proportional set sizes; null: not all are readable"
    )


class HostFacts(Record):
    """A host of the solution, or the client's host."""

    kind: str = Field(description="node, client, proxy, manager, ...")
    address: str
    forwards: bool = Field(False, description="whether client traffic passes through the host")
    configuration_lines: int = Field(
        0, description="lines of its configuration files, without comments and empty lines"
    )
    idle: IdleUsage | None = None


class SettingSeen(Record):
    """A setting that a server has otherwise, rounded, or does not report."""

    place: str = Field(description="the node, or the host of a proxy or manager")
    setting: str
    asked: str = Field(description="the requested value")
    found: str = Field(description="the value in effect; empty: the server does not report it")
    why: str = ""


class SettingsCheck(Record):
    """Requested server settings, read back before the load or after the recovery from a fault."""

    compared: int = Field(description="number of settings read back, of all nodes")
    differing: list[SettingSeen] = Field(
        default_factory=list,
        description="not in effect after the recovery; a difference before the load breaks the trial",
    )
    adjusted: list[SettingSeen] = Field(description="settings that the server rounded, as its manual says")
    unobserved: list[SettingSeen] = Field(description="settings that no server reports")


class Deployment(Record):
    """The deployment of a solution: its duration, roles and effective settings."""

    seconds: float = Field(description="from the start of the trial to a writable, complete solution")
    phases: dict[str, float] = Field(description="seconds of each step")
    roles: dict[str, str] = Field(description="role of each host before the load")
    settings: dict[str, dict[str, str]] = Field(description="effective server settings of each node")
    manager: dict[str, str] = Field(description="the failover manager and its settings")
    access: dict[str, str] = Field(description="the access layer and its settings")
    limits: str = ""
    single_writer: bool = Field(
        False, description="whether the design allows at most one writable server at a time"
    )
    facts: SolutionFacts | None = None
    in_effect: SettingsCheck | None = Field(
        None, description="whether the settings are in effect; null: not checked"
    )
    hosts: dict[str, HostFacts] = Field(default_factory=dict, description="all hosts, by name")
    configuration: str = Field(
        "", description="digest of the configuration files, see `results/configuration.py`; empty: none"
    )


class WorkerRecord(Record):
    """The worker that ran a trial, where trials run in parallel or on other machines."""

    name: str
    host: str = Field(description="the machine: a block of the analysis")
    cores: list[int] = Field(description="CPUs of the trial")
    neighbours: int = Field(0, description="other workers of the run on this machine at the same time")
    machine: Machine | None = Field(None, description="the worker's machine; null: the machine of the run")


class AttemptRecord(Record):
    """One attempt at a trial or block, and whether it completed."""

    format: int = FORMAT
    id: str
    number: int
    seed: int
    attempt: int = 1
    status: Literal["complete", "broken"]
    reason: str = Field("", description="why the attempt is broken")
    started: str = Field(description="ISO 8601, UTC")
    seconds: float = Field(description="whole duration, including set-up and checks")
    worker: WorkerRecord | None = Field(
        None, description="the worker that ran it; null: the run's own process, sequentially"
    )


class ClientRecord(Record):
    """One of several clients of a trial; its tables are in `clients/<name>`."""

    name: str
    site: str
    endpoint: str = Field("", description="endpoint of the experiment; empty: that of the access layer")
    write: list[str] = Field(default_factory=list, description="write endpoints, in order of preference")
    workload: str = Field("", description="name of the client's workload; empty: that of the cell")
    connections: int
    addresses: int = 1
    load: StoredSummary = Field(description="fivenines-core's load.json")


class TrialRecord(AttemptRecord):
    """One trial: trial.json."""

    cell: CellKey
    windows: Windows | None = None
    deployment: Deployment | None = None
    faults: list[FaultRecord] = Field(default_factory=list, description="in chronological order")
    severity: float | None = Field(
        None, description="value of the setting whose severity is searched, in s or as a share"
    )
    in_effect_after: SettingsCheck | None = Field(
        None, description="whether the settings are in effect after the recovery; null: no fault was injected"
    )
    settled: str = Field("", description="changes that replicas had not applied when settling timed out")
    settle_seconds: float | None = Field(None, description="time until the nodes settled")
    check: Check | None = None
    divergence: Divergence | None = None
    isolation: list[Isolation] = Field(default_factory=list)
    invariants: list[InvariantCheck] = Field(
        default_factory=list, description="checks of the workload's invariants"
    )
    load: StoredSummary = Field(
        default_factory=LoadSummary,
        description="fivenines-core's load.json; with several clients their sums, and null for percentiles "
        "that cannot be computed",
    )
    clients: list[ClientRecord] = Field(
        default_factory=list, description="each of several clients; empty: the trial has one client"
    )
    stacks: list[StackRecord] = Field(
        default_factory=list, description="client stacks that ran alongside the load"
    )
    pause_seconds: float | None = Field(
        None, description="random delay before the load, so that the fault meets any phase of the checks"
    )
    unobserved: list[Unobserved] = Field(
        default_factory=list, description="figures that servers do not show, with the reason"
    )
    clocks: dict[str, ClockRecord] = Field(
        default_factory=dict,
        description="clocks of hosts on other machines; empty: all hosts share the controller's clocks",
    )
    controller_cpu: float | None = Field(
        None, description="CPU of the controller while the load ran, in cores"
    )
    serve_cpu: float | None = Field(
        None, description="CPU of live pages (`fivenines serve`) while the load ran, in cores"
    )
    events: list[Event] = Field(default_factory=list)

    @property
    def fault(self) -> FaultRecord | None:
        """Return the first fault; None without a fault."""
        return self.faults[0] if self.faults else None


class BlockSide(Record):
    """One solution of an interleaved comparison."""

    cell: CellKey
    deployment: Deployment
    load: StoredSummary = Field(description="fivenines-core's load.json")
    started_ms: float = Field(
        description="t = 0 of the side's time line, in ms from the start of the block's first window"
    )


class BlockRecord(AttemptRecord):
    """A block of an interleaved comparison: block.json."""

    window_ms: float = Field(description="length of a window")
    skip_ms: float = Field(description="start of each window, excluded from the results")
    sides: list[BlockSide] = Field(default_factory=list, description="in the order of the file")
