"""What a run writes down: the manifest of a run and the record of a trial (JSON), and table columns.

All times of a trial are milliseconds since the start of its load (t = 0 includes the warm-up), measured
with CLOCK_MONOTONIC, which all hosts of the lab share. Tables are Parquet, see `layout.TABLES`.
"""

from typing import Any, Literal

from pydantic import Field

from fivenines.results.basics import ClockRecord, Machine, Record
from fivenines.results.calibration import Calibration

# The version of the run folder that is written: 3 has several faults, the ledger and more observers.
FORMAT = 3

# The versions that are read; a folder of another one is refused with a message.
READABLE = (3,)


class CellKey(Record):
    """What tells one cell from another, in the words of the report."""

    solution: str
    workload: str
    connections: int
    network: str
    fault: str


class PlannedTrial(Record):
    """A trial as planned; whether it is done tells its folder."""

    id: str
    cell: CellKey
    number: int
    seed: int


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
    trials: int = Field(description="complete when it was looked at")
    measured: bool = Field(
        description="false: no trial had the measure that decides, so that more would not tell it"
    )
    spared: int = Field(description="trials that were planned at most, and taken out of the plan")
    seconds: float = Field(description="what those would have taken, as long as the others did")


class Manifest(Record):
    """The run as a whole: manifest.json."""

    format: int = FORMAT
    fivenines: str
    created: str = Field(description="ISO 8601, UTC")
    experiment: dict[str, Any] = Field(description="with all defaults filled in, units as text")
    source: str = Field(description="the experiment file as it was")
    engines: dict[str, str] = Field(description="version of each engine used")
    machine: Machine
    calibration: Calibration | None = Field(
        None, description="what `fivenines calibrate` had found on this machine before; None: nothing"
    )
    plan: list[PlannedTrial]
    blocks: list[PlannedBlock] = Field(default_factory=list)
    settled: list[Settled] = Field(default_factory=list)


class Windows(Record):
    """The phases of a trial in ms from the start of the load."""

    warmup_end: float
    steady_end: float = Field(description="end of the measured window; the fault comes after it")
    end: float = Field(description="end of the load")


class Event(Record):
    """Something that happened: a fault, its end, detection, promotion, restart, rejoin."""

    t: float
    kind: str = Field(
        description="fault, ended, missed, decided, fenced, promoted, repointed, restarted, ..."
    )
    node: str = ""
    detail: str = ""


class FaultRecord(Record):
    """A fault as it really happened; a trial has several where its fault is a sequence."""

    kind: str
    node: str = Field(description="the first host that was hit, or the site or the manager")
    nodes: list[str] = Field(default_factory=list, description="all that were hit")
    role: str = Field(description="the target as asked for, resolved to its role at the moment")
    at: float = Field(description="when it took effect")
    verified: bool = Field(description="whether it was seen to take effect")
    detail: str
    ended: float | None = Field(None, description="when its cause was gone; None: it stayed")
    ended_verified: bool | None = Field(None, description="whether it was seen to be gone")
    ended_detail: str = ""
    restarted: float | None = None
    rejoined: bool | None = Field(None, description="None: the node was not to be restarted")
    rejoined_at: float | None = None
    rejoin_detail: str = Field("", description="why the node did not rejoin")
    mtbf: float | None = Field(
        None, description="seconds between two such faults in production, as the experiment assumes"
    )


class NodeCheck(Record):
    """The ledger's rows on one node after the trial."""

    node: str
    role: str
    reachable: bool
    detail: str = ""
    present: int = Field(0, description="ledger rows found")
    lost: int = Field(0, description="acknowledged rows that are absent")
    lost_ids: list[int] = Field(default_factory=list, description="the first 1000 of them")
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
    """Acknowledged writes of the ledger against all surviving nodes."""

    acknowledged: int
    failed: int
    in_doubt: int
    primary: str = Field(description="the primary of record, by which loss is judged")
    nodes: list[NodeCheck]


class InvariantCheck(Record):
    """Something that must be true of the workload's data, asked on the primary of record."""

    name: str
    source: str = Field(description="where it is demanded")
    status: Literal["holds", "violated", "unknown"]
    detail: str = Field("", description="what was found, or why it is not known")
    offending: list[dict[str, str]] = Field(
        default_factory=list, description="the first rows that contradict it, by column"
    )
    seconds: float = Field(0.0, description="how long the query took")


class TableDifference(Record):
    """A table whose rows are not the same on all nodes that could be read."""

    table: str
    rows: dict[str, int] = Field(description="number of rows on each node")
    checksums: dict[str, str] = Field(description="checksum of all rows on each node")
    keys: list[str] = Field(default_factory=list, description="the first 100 primary keys whose rows differ")
    differing: int = Field(0, description="number of keys that differ; 0 if they were not listed")


class Divergence(Record):
    """All tables of the workload and the ledger, compared between all nodes after the trial."""

    compared: list[str] = Field(description="the nodes that were compared")
    left_out: dict[str, str] = Field(default_factory=dict, description="nodes that were not, and why")
    tables: int = Field(description="number of tables compared")
    rows: int = Field(0, description="rows of all tables on the reference node")
    reference: str = Field("", description="the node that the others are compared with")
    differences: list[TableDifference] = Field(default_factory=list)
    seconds: float = 0.0
    incomplete: str = Field("", description="why not everything could be compared")


class Anomaly(Record):
    """One violation of isolation, with the transactions that show it."""

    kind: str = Field(description="G0, G1a, G1b, G1c, G-single, G2, lost-update, ...")
    transactions: list[int] = Field(description="the numbers of the transactions, in cycle order")
    explanation: str = Field(description="in words: who read or wrote what, step by step")
    edges: list[tuple[int, str, int]] = Field(
        default_factory=list, description="from, kind of dependency (ww, wr, rw) and key, to"
    )


class Isolation(Record):
    """What a history of transactions says about isolation."""

    source: str = Field(description="`lists` (list-append) or `bank`")
    transactions: int
    counts: dict[str, int] = Field(default_factory=dict, description="anomalies by kind")
    examples: list[Anomaly] = Field(default_factory=list, description="the first ten of each kind")
    seconds: float = 0.0
    note: str = ""
    rules: int = Field(0, description="the version of the rules by which it was judged")


class SolutionFacts(Record):
    """What a solution is, apart from anything measured: short texts for the table of solutions."""

    replication: str = Field(description="what is replicated, and when a commit is answered")
    failover: str = Field(description="whether it fails over by itself, and what does it")
    least_servers: str = Field(description="database servers and voters that it takes to survive one loss")
    extra: str = Field("none", description="components beside the database servers")
    write_scaling: str = Field(description="whether more nodes take more writes")
    read_scaling: str = Field(description="whether more nodes answer more reads, and how fresh")
    one_failure_loses: str = Field(description="what a single failure can lose")
    partition: str = Field(description="what each side of a partition does")
    one_down: str = Field(description="behaviour with one node down")
    two_down: str = Field(description="behaviour with two nodes down")
    sources: list[str] = Field(default_factory=list, description="manuals and papers")


class IdleUsage(Record):
    """What a host used in a short moment without a load, right after the deployment."""

    seconds: float = Field(description="length of the moment")
    cpu_cores: float
    memory_bytes: int = Field(description="as the table `hosts` counts it: what is shared counts once")
    pss_bytes: int | None = Field(
        None, description="sum of the processes' proportional set sizes; None: not all can be read"
    )


class HostFacts(Record):
    """One host of the solution, or the client's."""

    kind: str = Field(description="node, client, or what it is beside the nodes: proxy, manager, ...")
    address: str
    forwards: bool = Field(False, description="whether the traffic of clients passes through it")
    configuration_lines: int = Field(
        0, description="lines of its configuration files, without comments and empty ones"
    )
    idle: IdleUsage | None = None


class SettingSeen(Record):
    """A setting that a server rounded, or does not show."""

    place: str = Field(description="the node, or the host of a proxy or manager")
    setting: str
    asked: str
    found: str = Field(description="the value in effect; empty: it was not observed")
    why: str = ""


class SettingsCheck(Record):
    """What was asked of the servers, read back before the load; a difference would have ended the trial."""

    compared: int = Field(description="settings of servers that were read back, of all nodes")
    adjusted: list[SettingSeen] = Field(description="rounded as the server's manual says")
    unobserved: list[SettingSeen] = Field(description="settings that no server shows")


class Deployment(Record):
    """How the solution came up."""

    seconds: float = Field(description="start of the trial to a writable, complete solution")
    phases: dict[str, float] = Field(description="seconds of each step")
    roles: dict[str, str] = Field(description="role of each host before the load")
    settings: dict[str, dict[str, str]] = Field(description="effective server settings of each node")
    manager: dict[str, str] = Field(description="the failover manager and its settings")
    access: dict[str, str] = Field(description="the access layer and its settings")
    limits: str = ""
    single_writer: bool = Field(
        False, description="whether at most one server takes writes at a time by design"
    )
    facts: SolutionFacts | None = None
    in_effect: SettingsCheck | None = Field(
        None, description="whether the settings are in effect; null: nobody asked"
    )
    hosts: dict[str, HostFacts] = Field(default_factory=dict, description="all hosts, by name")


class WorkerRecord(Record):
    """Who carried out a trial, where trials run side by side or on other machines."""

    name: str
    host: str = Field(description="the machine: a block of the analysis")
    cores: list[int] = Field(description="the processors that the trial had")
    beside: int = Field(0, description="other workers of the run on this machine at the same time")
    machine: Machine | None = Field(None, description="what it is; empty: the run's own")


class AttemptRecord(Record):
    """What was tried once, and whether it was finished."""

    format: int = FORMAT
    id: str
    number: int
    seed: int
    attempt: int = 1
    status: Literal["complete", "broken"]
    reason: str = Field("", description="why it is broken")
    started: str = Field(description="ISO 8601, UTC")
    seconds: float = Field(description="all of it, set-up and checks included")
    worker: WorkerRecord | None = Field(
        None, description="who carried it out; empty: the run's own process, one after another"
    )


class ClientRecord(Record):
    """One of several clients of a trial; its tables are in `clients/<name>`."""

    name: str
    site: str
    endpoint: str = Field("", description="as the experiment says it; empty: as the access layer says")
    write: list[str] = Field(default_factory=list, description="where it wrote, in its order")
    workload: str = Field("", description="its own by name; empty: that of the cell")
    connections: int
    addresses: int = 1
    load: dict[str, Any] = Field(description="fivenines-core's load.json")


class TrialRecord(AttemptRecord):
    """One trial: trial.json."""

    cell: CellKey
    windows: Windows | None = None
    deployment: Deployment | None = None
    faults: list[FaultRecord] = Field(default_factory=list, description="in the order of their moments")
    settled: str = Field("", description="what replicas still had to apply when settling was given up")
    settle_seconds: float | None = Field(None, description="how long the nodes took to settle")
    check: Check | None = None
    divergence: Divergence | None = None
    isolation: list[Isolation] = Field(default_factory=list)
    invariants: list[InvariantCheck] = Field(
        default_factory=list, description="what must be true of the workload's data"
    )
    load: dict[str, Any] = Field(
        default_factory=dict,
        description="fivenines-core's load.json; of several clients all together: counts are sums, and "
        "percentiles that cannot be had are null",
    )
    clients: list[ClientRecord] = Field(
        default_factory=list, description="each client, where there are several; empty: one alone"
    )
    pause_seconds: float | None = Field(
        None, description="how long it waited before the load, at random: the fault meets any phase of checks"
    )
    clocks: dict[str, ClockRecord] = Field(
        default_factory=dict,
        description="of hosts on other machines; empty: all hosts share the controller's clocks",
    )
    controller_cpu: float | None = Field(
        None, description="CPU of the controller while the load ran, in shares of one core"
    )
    serve_cpu: float | None = Field(
        None, description="CPU of live pages (`fivenines serve`) meanwhile, likewise"
    )
    events: list[Event] = Field(default_factory=list)

    @property
    def fault(self) -> FaultRecord | None:
        """Return the first fault; None where nothing was broken."""
        return self.faults[0] if self.faults else None


class BlockSide(Record):
    """One solution of an interleaved comparison."""

    cell: CellKey
    deployment: Deployment
    load: dict[str, Any] = Field(description="fivenines-core's load.json")
    started_ms: float = Field(
        description="t = 0 of its own time line, on the interleaved's clock, which begins with the first window"
    )


class BlockRecord(AttemptRecord):
    """All solutions of a group side by side, loaded in turn: block.json."""

    window_ms: float = Field(description="length of a window")
    skip_ms: float = Field(description="the first part of each window, which is left out")
    sides: list[BlockSide] = Field(default_factory=list, description="in the order of the file")
