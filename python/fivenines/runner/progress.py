"""What a running campaign tells whoever listens. The campaign never prints; listeners never decide.

A listener is a plain function; `match` on the kind of event. It is called from the campaign's own
thread or event loop, so it must return at once and must not raise.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fivenines.experiment.interleaved_plan import Block
    from fivenines.experiment.plan import Trial
    from fivenines.results.records import BlockRecord, Settled, TrialRecord


@dataclass(frozen=True)
class CampaignStarted:
    """The campaign begins; `total` trials are still to be done (with `--resume`: the rest).

    `at_most`: they are added as needed, so that it may be fewer, and faster.
    `longest`: `expected_seconds` is an upper bound, as loads end when their work is done.
    `at_once`: so many run side by side; `expected_seconds` reckons with that.
    """

    total: int
    expected_seconds: float
    work: "Sequence[Trial | Block]" = ()
    at_most: bool = False
    longest: bool = False
    at_once: int = 1


@dataclass(frozen=True)
class EnginePull:
    """An engine is being fetched or built; `fraction` is None where nobody knows."""

    engine: str
    message: str
    fraction: float | None = None


@dataclass(frozen=True)
class DataSet:
    """A data set is being loaded into the cache; `fraction` is None where nobody knows."""

    message: str
    fraction: float | None = None


@dataclass(frozen=True)
class TrialStarted:
    """A trial or an interleaved comparison begins; `index` counts from 1 to the `total` of `CampaignStarted`.

    `worker`: who carries it out, where there are several.
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
    """A fault, its end, or what a failover manager or we did then: `t` in ms since the start of the load.

    They are told in the order of their moments, those of a manager once its log is read.
    """

    trial_id: str
    t: float
    kind: str
    node: str
    detail: str


@dataclass(frozen=True)
class Figures:
    """What a finished trial came to, in three figures; None: not measured, or not asked.

    `tps` is of the steady window, `outage_ms` the longest interruption of writes (of reads where nothing was
    written), 0 without any, a lower bound unless `back`; `lost` counts acknowledged rows that are gone,
    `failed` the transactions that failed though nothing was broken.
    """

    tps: float | None = None
    outage_ms: float | None = None
    back: bool = True
    lost: int | None = None
    failed: int = 0


@dataclass(frozen=True)
class TrialFinished:
    """A trial or an interleaved comparison is complete and on disk."""

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
    """A worker is gone; the trial that it had runs again, by itself or elsewhere."""

    worker: str
    trial_id: str
    reason: str


@dataclass(frozen=True)
class ResultDropped:
    """A lost worker delivered a result after its trial was given to another one: it is not used."""

    worker: str
    trial_id: str


@dataclass(frozen=True)
class CellSettled:
    """A cell needs no more trials: `settled.spared` of the `total` of `CampaignStarted` are not done."""

    settled: "Settled"


@dataclass(frozen=True)
class CampaignStopped:
    """No further trial begins: somebody asked for that, or it costs too much; `left` are still to be done."""

    left: int
    # Empty: somebody asked.
    reason: str = ""


@dataclass(frozen=True)
class CampaignFinished:
    """All trials are done or given up; `folder` is the run."""

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
    | CampaignStopped
    | CampaignFinished
)

Listener = Callable[[Progress], None]


def silent(_event: Progress) -> None:
    """The listener that does nothing."""
