"""Events of a running campaign for its listeners. The campaign never prints; listeners never decide.

A listener is a plain function; `match` on the kind of event. It is called from the campaign's thread or event
loop, so it must return at once and must not raise.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fivenines.experiment.interleaved_plan import Block
    from fivenines.experiment.plan import Trial
    from fivenines.results.records import BlockRecord, Decided, Settled, TrialRecord


@dataclass(frozen=True)
class CampaignStarted:
    """The campaign begins with `total` trials to run (with `--resume`: the rest).

    `at_most`: trials are added as needed, so `total` is an upper bound.
    `longest`: `expected_seconds` is an upper bound, as loads end when their work is done.
    `at_once`: number of parallel trials, which `expected_seconds` takes into account.
    """

    total: int
    expected_seconds: float
    work: "Sequence[Trial | Block]" = ()
    at_most: bool = False
    longest: bool = False
    at_once: int = 1


@dataclass(frozen=True)
class EnginePull:
    """An engine is being downloaded or built; `fraction` is None if unknown."""

    engine: str
    message: str
    fraction: float | None = None


@dataclass(frozen=True)
class DataSet:
    """A data set is being loaded into the cache; `fraction` is None if unknown."""

    message: str
    fraction: float | None = None


@dataclass(frozen=True)
class TrialStarted:
    """A trial or block begins; `index` counts from 1 to the `total` of `CampaignStarted`.

    `worker`: the worker that runs it, where there are several.
    """

    trial: "Trial | Block"
    index: int
    worker: str = ""


@dataclass(frozen=True)
class TrialPhase:
    """A trial enters a phase: set-up, warm-up, steady, recovery, check."""

    trial_id: str
    phase: str
    expected_seconds: float


@dataclass(frozen=True)
class LoadStarted:
    """The load of a trial runs since `unix` (seconds): t = 0 of its figures and events.

    It warms up until `warmup`, is steady until `steady_end`, and ends at `end`, in seconds since then.
    """

    trial_id: str
    unix: float
    warmup: float
    steady_end: float
    end: float


@dataclass(frozen=True)
class TrialLive:
    """The live figures of the last second: `t` seconds since the start of the load.

    `ok`, `failed`, `in_doubt` (transactions) and `errors` count from the start.
    """

    trial_id: str
    t: float
    tps: float
    qps: float
    errors: int
    p95_ms: float = 0.0
    ok: int = 0
    failed: int = 0
    in_doubt: int = 0
    connected: int = 0


@dataclass(frozen=True)
class TrialEvent:
    """A fault, its end, or a step of a failover manager or of fivenines: `t` in ms since the start of the
    load.

    Events come in chronological order, those of a manager once its log is read.
    """

    trial_id: str
    t: float
    kind: str
    node: str
    detail: str


@dataclass(frozen=True)
class Figures:
    """Key figures of a finished trial; None: not measured.

    `tps` is of the steady window. `outage_ms` is the longest interruption of writes (of reads without
    writes), 0 without any, the mean of several deaths in turn, and a lower bound unless `back`. `lost` counts
    lost acknowledged rows, `failed` the transactions that failed in a trial without a fault.
    """

    tps: float | None = None
    outage_ms: float | None = None
    back: bool = True
    lost: int | None = None
    failed: int = 0


@dataclass(frozen=True)
class TrialFinished:
    """A trial or block is complete and on disk."""

    record: "TrialRecord | BlockRecord"
    figures: Figures = Figures()


@dataclass(frozen=True)
class TrialBroken:
    """A trial failed; its folder stays, marked as broken."""

    trial_id: str
    reason: str
    will_retry: bool


@dataclass(frozen=True)
class WorkerLost:
    """A worker is lost; its trial runs again, on the same or another worker."""

    worker: str
    trial_id: str
    reason: str


@dataclass(frozen=True)
class ResultDropped:
    """A lost worker delivered a result after its trial was given to another worker: it is not used."""

    worker: str
    trial_id: str


@dataclass(frozen=True)
class CellSettled:
    """A cell needs no more trials: `settled.spared` of the `total` of `CampaignStarted` do not run."""

    settled: "Settled"


@dataclass(frozen=True)
class ClaimsDecided:
    """A part of a study needs no more trials: `decided.spared` of the `total` do not run."""

    decided: "Decided"


@dataclass(frozen=True)
class CampaignStopped:
    """No further trial begins: on a user's request, or because of the budget; `left` trials remain."""

    left: int
    # Empty: on a user's request.
    reason: str = ""


@dataclass(frozen=True)
class CampaignFinished:
    """All trials are complete or given up; `folder` is the run."""

    folder: Path


Progress = (
    CampaignStarted
    | EnginePull
    | DataSet
    | TrialStarted
    | TrialPhase
    | LoadStarted
    | TrialLive
    | TrialEvent
    | TrialFinished
    | TrialBroken
    | WorkerLost
    | ResultDropped
    | CellSettled
    | ClaimsDecided
    | CampaignStopped
    | CampaignFinished
)

Listener = Callable[[Progress], None]


def silent(_event: Progress) -> None:
    """Ignore an event."""
