"""Agreement of load generators: each pair of solutions by each program, and the programs by cell.

A pattern that only one load generator shows may come from that program. So it counts only if all programs
show it, each in separate trials (the rule of Tusa 2016, "AWS Aurora Benchmark"). Verdicts on a pair of
solutions:

agree
    Every program shows a difference (its 95 % interval excludes 0), in the same direction.
disagree
    Every program shows a difference, but not all in the same direction.
open
    At least one program shows no difference: more trials may.

Agreement on the size is judged separately: ratios whose intervals are disjoint differ. Two programs agree
wrongly by chance in 0.125 % of pairs: 5 % for the first, and half of 5 % for the second in the same
direction.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from fivenines.analysis.cells import CellResult
from fivenines.analysis.comparisons import METRICS, SPEED_METRICS, Metric
from fivenines.analysis.statistics.means import Difference, compare
from fivenines.analysis.versus import too_equal
from fivenines.results.records import CellKey
from fivenines.results.store import Run

OURS = "fivenines"

Verdict = Literal["agree", "disagree", "open"]


@dataclass(frozen=True)
class Agreement:
    """Comparison of two solutions under the same workload and connections, by one measure.

    Attributes:
        metric: the measure.
        a, b: the cells, with the name of the workload without a program.
        by: a compared with b, by program.
    """

    metric: Metric
    a: CellKey
    b: CellKey
    by: Mapping[str, Difference]

    @property
    def verdict(self) -> Verdict:
        """Return whether the programs agree on the direction."""
        messages = [_direction(item) for item in self.by.values()]
        if 0 in messages:
            return "open"
        return "agree" if len(set(messages)) == 1 else "disagree"

    @property
    def telling(self) -> list[str]:
        """Return the programs that show a difference."""
        return [name for name, item in self.by.items() if _direction(item)]

    @property
    def sizes_differ(self) -> bool:
        """Return whether the ratio's intervals of any two programs are disjoint."""
        return any(_apart(item, other) for item, other in combinations(self.by.values(), 2))


@dataclass(frozen=True)
class Tools:
    """A cell by two programs: another program (a) against fivenines-core (b), or against the first
    program.
    """

    metric: Metric
    key: CellKey
    program: str
    reference: str
    difference: Difference


def programs_of(run: Run) -> dict[str, tuple[str, str]]:
    """Return the plain name and the program of each workload, by its name in the run's cells."""
    items = run.manifest.experiment.get("workloads")
    result: dict[str, tuple[str, str]] = {}
    for item in items if isinstance(items, list) else []:
        if isinstance(item, dict):
            name = str(item.get("name") or item.get("workload"))
            program = str(item.get("program") or OURS)
            result[name] = (name.removesuffix(f" ({program})") if program != OURS else name, program)
    return result


def agreements(run: Run, cells: Iterable[CellResult]) -> list[Agreement]:
    """Return all pairs of solutions that were measured by two programs or more, by throughput and response
    time.
    """
    result = []
    for plain, members in _together(run, cells).items():
        solutions = list(dict.fromkeys(cell.key.solution for cell, _ in members))
        for metric in _metrics():
            for a, b in combinations(solutions, 2):
                result += _pair(metric, plain, members, a, b)
    return result


def tools(run: Run, cells: Iterable[CellResult]) -> list[Tools]:
    """Return each cell by each further program against the first."""
    result = []
    for plain, members in _together(run, cells).items():
        for solution in dict.fromkeys(cell.key.solution for cell, _ in members):
            own = [(cell, name) for cell, name in members if cell.key.solution == solution]
            (first, reference), *others = sorted(own, key=lambda item: item[1] != OURS)
            for other, program in others:
                for metric in _metrics():
                    left, right = metric.get(other), metric.get(first)
                    if left is not None and right is not None and left.n and right.n:
                        key = plain.model_copy(update={"solution": solution})
                        result.append(Tools(metric, key, program, reference, compare(left, right)))
    return result


_Members = list[tuple[CellResult, str]]


def _together(run: Run, cells: Iterable[CellResult]) -> dict[CellKey, _Members]:
    """Return cells with the same conditions except solution and program, by two programs or more."""
    programs = programs_of(run)
    members: dict[CellKey, _Members] = {}
    for cell in cells:
        if cell.complete and cell.key.workload in programs:
            plain, program = programs[cell.key.workload]
            key = cell.key.model_copy(update={"solution": "", "workload": plain})
            members.setdefault(key, []).append((cell, program))
    return {key: each for key, each in members.items() if len({name for _, name in each}) > 1}


def _metrics() -> Sequence[Metric]:
    return [metric for metric in METRICS if metric.name in SPEED_METRICS]


def _pair(metric: Metric, plain: CellKey, members: _Members, a: str, b: str) -> list[Agreement]:
    """Return two solutions by each program that measured both; none where fewer than two programs did."""
    by: dict[str, Difference] = {}
    for program in dict.fromkeys(name for _, name in members):
        own = {cell.key.solution: cell for cell, name in members if name == program}
        if a not in own or b not in own:
            continue
        left, right = metric.get(own[a]), metric.get(own[b])
        if left is not None and right is not None and left.n and right.n:
            by[program] = compare(left, right)
    left_key, right_key = (plain.model_copy(update={"solution": name}) for name in (a, b))
    return [Agreement(metric, left_key, right_key, by)] if len(by) > 1 else []


def _direction(difference: Difference) -> int:
    """Return 1 if a is shown to be larger, -1 if smaller, and 0 without a shown difference."""
    if too_equal(difference) or not difference.differs or difference.absolute is None:
        return 0
    return 1 if difference.absolute > 0 else -1


def _apart(difference: Difference, other: Difference) -> bool:
    """Return whether two intervals of ratios are disjoint."""
    ends = [difference.ratio_low, difference.ratio_high, other.ratio_low, other.ratio_high]
    if any(end is None for end in ends):
        return False
    low, high, other_low, other_high = (float(end or 0.0) for end in ends)
    return high < other_low or other_high < low
