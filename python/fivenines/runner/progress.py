"""What a running campaign tells whoever listens. The campaign never prints; listeners never decide.

A listener is a plain function; `match` on the kind of event. It is called from the campaign's own
thread or event loop, so it must return at once and must not raise.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fivenines.experiment.duet_plan import Block
    from fivenines.experiment.plan import Trial
    from fivenines.results.records import DuetRecord, Settled, TrialRecord


@dataclass(frozen=True)
class CampaignStarted:
    """The campaign begins; `total` trials are still to be done (with `--resume`: the rest).

    `at_most`: they are added as needed, so that it may be fewer, and faster.
    """

    total: int
    expected_seconds: float
    at_most: bool = False


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
    """A trial or a duet begins; `index` counts from 1 to the `total` of `CampaignStarted`."""

    trial: "Trial | Block"
    index: int


@dataclass(frozen=True)
class TrialPhase:
    """A trial enters a phase: set-up, warm-up, steady, recovery, check."""

    trial_id: str
    phase: str
    expected_seconds: float


@dataclass(frozen=True)
class TrialLive:
    """The live figures of the last second: `t` seconds since the start of the load."""

    trial_id: str
    t: float
    tps: float
    qps: float
    errors: int


@dataclass(frozen=True)
class TrialFinished:
    """A trial or a duet is complete and on disk."""

    record: "TrialRecord | DuetRecord"


@dataclass(frozen=True)
class TrialBroken:
    """A trial failed; its folder stays, marked as broken."""

    trial_id: str
    reason: str
    will_retry: bool


@dataclass(frozen=True)
class CellSettled:
    """A cell needs no more trials: `settled.spared` of the `total` of `CampaignStarted` are not done."""

    settled: "Settled"


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
    | TrialLive
    | TrialFinished
    | TrialBroken
    | CellSettled
    | CampaignFinished
)

Listener = Callable[[Progress], None]


def silent(_event: Progress) -> None:
    """The listener that does nothing."""
