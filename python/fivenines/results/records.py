"""What a run writes down: the manifest of a run and the record of a trial (JSON), and table columns.

All times of a trial are milliseconds since the start of its load (t = 0 includes the warm-up), measured
with CLOCK_MONOTONIC, which all hosts of the lab share. Tables are Parquet, see `layout.TABLES`.
"""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

FORMAT = 2
"""The version of the run folder that is written: 2 added invariants and format 2 of load.json."""

READABLE = (1, 2)
"""The versions that are read; a folder of another one is refused with a message."""


class Record(BaseModel):
    """Written once, read often."""

    model_config = ConfigDict(extra="forbid", frozen=True)


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


class Machine(Record):
    """Where the run took place."""

    hostname: str
    kernel: str
    os: str
    cpu: str
    cores: int
    memory_bytes: int
    python: str
    user: Literal["root", "ordinary"]
    limits: str = Field(description="whether host limits apply here, and why not")
    congestion_control: str


class Manifest(Record):
    """The run as a whole: manifest.json."""

    format: int = FORMAT
    fivenines: str
    created: str = Field(description="ISO 8601, UTC")
    experiment: dict[str, Any] = Field(description="with all defaults filled in, units as text")
    source: str = Field(description="the experiment file as it was")
    engines: dict[str, str] = Field(description="version of each engine used")
    machine: Machine
    plan: list[PlannedTrial]


class Windows(Record):
    """The phases of a trial in ms from the start of the load."""

    warmup_end: float
    steady_end: float = Field(description="end of the measured window; the fault comes after it")
    end: float = Field(description="end of the load")


class Event(Record):
    """Something that happened: fault, detection, promotion, restart, rejoin."""

    t: float
    kind: str = Field(
        description="fault, missed, decided, fenced, promoted, repointed, restarted, ..."
    )
    node: str = ""
    detail: str = ""


class FaultRecord(Record):
    """The fault as it really happened."""

    kind: str
    node: str
    role: str
    at: float
    verified: bool
    detail: str
    restarted: float | None = None
    rejoined: bool | None = Field(None, description="None: the node was not to be restarted")
    rejoined_at: float | None = None
    rejoin_detail: str = Field("", description="why the node did not rejoin")


class NodeCheck(Record):
    """The probe's rows on one node after the trial."""

    node: str
    role: str
    reachable: bool
    detail: str = ""
    present: int = Field(0, description="probe rows found")
    lost: int = Field(0, description="acknowledged rows that are absent")
    lost_ids: list[int] = Field(default_factory=list, description="the first 1000 of them")
    phantom: int = Field(0, description="refused rows that are present")
    phantom_ids: list[int] = Field(default_factory=list)
    in_doubt_applied: int = 0
    in_doubt_absent: int = 0
    duplicate: int = 0


class Check(Record):
    """Acknowledged writes of the probe against all surviving nodes."""

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


class Deployment(Record):
    """How the solution came up."""

    seconds: float = Field(description="start of the trial to a writable, complete solution")
    phases: dict[str, float] = Field(description="seconds of each step")
    roles: dict[str, str] = Field(description="role of each host before the load")
    settings: dict[str, dict[str, str]] = Field(
        description="effective server settings of each node"
    )
    manager: dict[str, str] = Field(description="the failover manager and its settings")
    access: dict[str, str] = Field(description="the access layer and its settings")
    limits: str = ""


class TrialRecord(Record):
    """One trial: trial.json."""

    format: int = FORMAT
    id: str
    cell: CellKey
    number: int
    seed: int
    attempt: int = 1
    status: Literal["complete", "broken"]
    reason: str = Field("", description="why it is broken")
    started: str = Field(description="ISO 8601, UTC")
    seconds: float = Field(description="the whole trial, set-up and checks included")
    windows: Windows | None = None
    deployment: Deployment | None = None
    fault: FaultRecord | None = None
    check: Check | None = None
    invariants: list[InvariantCheck] = Field(
        default_factory=list, description="what must be true of the workload's data"
    )
    load: dict[str, Any] = Field(default_factory=dict, description="fivenines-core's load.json")
    controller_cpu: float | None = Field(
        None, description="CPU of the controller while the load ran, in shares of one core"
    )
    events: list[Event] = Field(default_factory=list)
