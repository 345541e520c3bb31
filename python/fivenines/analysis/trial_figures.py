"""Figures of a complete trial, as `analysis.trials` reads them from its folder."""

from dataclasses import dataclass, field

from fivenines.analysis.availability.at_rest import Rest
from fivenines.analysis.availability.availability import Availability, Gap, Throughput
from fivenines.analysis.availability.deaths_in_turn import Deaths
from fivenines.analysis.availability.failovers import FaultMeasures
from fivenines.analysis.availability.in_turn import InTurn
from fivenines.analysis.availability.interruptions import Interruptions
from fivenines.analysis.availability.needless import Response
from fivenines.analysis.availability.stall_causes import Stall
from fivenines.analysis.consistency.split_brain import SplitBrain
from fivenines.analysis.consistency.truth import TrialTruth
from fivenines.analysis.performance.latency import Latency
from fivenines.analysis.performance.steadiness import Steadiness
from fivenines.analysis.resources.machine import Sharing
from fivenines.results.load_parts import Connects, ErrorEntry, Schedule, Step, TypeCounts, Work


@dataclass(frozen=True)
class TypeMeasure:
    """Transactions of one type: counts of the whole load; rate and times in the steady window.

    `latency` is None, and the rate 0, where none succeeded in the window of `seconds`.
    """

    counts: TypeCounts
    latency: Latency | None
    seconds: float

    @property
    def rate(self) -> float:
        """Successful transactions per second."""
        return self.latency.n / self.seconds if self.latency and self.seconds else 0.0


@dataclass(frozen=True)
class TrialFigures:
    """Figures of a complete trial from its files. None: not measured, and `notes` say why.

    `stalls` are the times of the steady window in which the load made no progress, before any fault.
    `lost` counts acknowledged ledger rows that are absent on the primary of record; `in_doubt` the
    ledger's commits without a reply, `stale` its reads that missed an acknowledged row. `bottleneck`
    is the load generator's warning about itself, `sharing` the CPU use of the machine, `lost_time` the stalls
    and times of nearly no throughput, with their causes, `unseen` incidents that the servers do not log.
    `slots` is the length of the time line, `transactions` its successful ones, `commits` those in the steady
    window. `watched`: whether a split brain would have been detected. `work` is the result of a load of fixed
    work, `steadiness` that of the throughput of a single step. `response`: what the cluster did although no
    server had died. `rest`: the time under load before any fault. `in_turn`, `deaths`: several of them.
    """

    throughput: Throughput | None
    latency: Latency | None
    availability: Availability | None
    lost: int | None
    phantom: int | None
    duplicate: int | None
    in_doubt: int | None
    stale: int | None
    errors: list[ErrorEntry]
    bottleneck: str
    types: list[TypeMeasure] = field(default_factory=list)
    schedule: Schedule | None = None
    offered: float | None = None
    steps: list[Step] = field(default_factory=list)
    connects: Connects | None = None
    faults: list[FaultMeasures] = field(default_factory=list)
    truth: TrialTruth = field(default_factory=lambda: TrialTruth(None, None))
    watched: bool = True
    split_brains: list[SplitBrain] = field(default_factory=list)
    response: Response | None = None
    rest: Rest | None = None
    in_turn: InTurn | None = None
    deaths: Deaths | None = None
    interruptions: Interruptions = field(default_factory=Interruptions)
    stalls: list[Gap] = field(default_factory=list)
    sharing: Sharing | None = None
    lost_time: list[Stall] = field(default_factory=list)
    unseen: str = ""
    notes: list[str] = field(default_factory=list)
    slots: int = 0
    transactions: int = 0
    commits: int = 0
    work: Work | None = None
    steadiness: Steadiness | None = None

    @property
    def stalls_known(self) -> bool:
        """Return whether stalls were looked for: a step of a low rate is no stall."""
        return self.throughput is not None and len(self.steps) < 2

    @property
    def each_death(self) -> list[FaultMeasures] | None:
        """Return the measures of each death in turn that counts; None if the trial has no deaths in turn.

        Each came after the recovery from the one before, so it is an observation of its own. Several hiccups
        are one course of events.
        """
        found = self.deaths
        return self.faults[: len(found.deaths)] if found is not None and found.apart else None
