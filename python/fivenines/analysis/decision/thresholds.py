"""Thresholds judged by a finished run: passed, failed or inconclusive, each with its evidence."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from fivenines.analysis.cells import CellResult
from fivenines.analysis.decision.candidates import candidate
from fivenines.analysis.decision.judging import Judgement, Status
from fivenines.analysis.measures.decide import DecideSettings
from fivenines.analysis.measures.thresholds import ThresholdSettings
from fivenines.analysis.resources.cost import Prices

Outcome = Literal["passed", "failed", "inconclusive"]

OUTCOMES: dict[Status, Outcome] = {"met": "passed", "missed": "failed", "inconclusive": "inconclusive"}


@dataclass(frozen=True)
class ThresholdResult:
    """A threshold of one solution under one workload, number of connections and network."""

    solution: str
    workload: str
    connections: int
    network: str
    judgement: Judgement

    @property
    def outcome(self) -> Outcome:
        """Return the outcome: intervals show passed or failed; otherwise it is inconclusive."""
        return OUTCOMES[self.judgement.status]


def judge_thresholds(
    cells: Iterable[CellResult],
    thresholds: Sequence[ThresholdSettings],
    prices: Prices | None = None,
    every: Sequence[CellResult] = (),
    mtbf: Mapping[str, float] | None = None,
) -> list[ThresholdResult]:
    """Judge each threshold for each solution that it applies to, in each condition of the run."""
    done = [cell for cell in cells if cell.complete]
    conditions: dict[tuple[str, int, str], list[CellResult]] = {}
    for cell in done:
        key = cell.key
        conditions.setdefault((key.workload, key.connections, key.network), []).append(cell)
    result = []
    for (workload, connections, network), members in conditions.items():
        for name in dict.fromkeys(cell.key.solution for cell in members):
            names = {None, name, *(c.best.sweep for c in members if c.best and c.key.solution == name)}
            own = [threshold.requirement for threshold in thresholds if threshold.solution in names]
            settings = DecideSettings(requirements=own)
            judged = candidate(name, members, settings, prices, every, mtbf).judgements
            result += [ThresholdResult(name, workload, connections, network, item) for item in judged]
    return result
