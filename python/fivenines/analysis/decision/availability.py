"""Availability of a solution in a decision: outages of all measured faults, at assumed failure rates.

met           the whole 95 % interval is within the limit, every fault recovered, each fault with an assumed
              rate was measured, and each measured fault has one
missed        the whole interval is beyond the limit: what was not measured would only add to it
inconclusive  otherwise
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fivenines.analysis.availability.nines import Bound, Estimate, availabilities
from fivenines.analysis.cells import CellResult
from fivenines.analysis.decision.judging import Judgement, Status, worst
from fivenines.analysis.measures.condition import Requirement


@dataclass(frozen=True)
class Availability:
    """A solution's availability under one workload, number of connections and network.

    Attributes:
        share: the availability; None without a fault of known rate and outage.
        bound: its direction, where it is a bound.
        trials: number of trials behind it.
        missing: what it leaves out: faults with a rate and no measured outage, or with an outage and no rate.
    """

    share: Estimate | None
    bound: Bound
    trials: int
    missing: tuple[str, ...]


def judge_availability(
    requirement: Requirement, cells: Sequence[CellResult], mtbf: Mapping[str, float]
) -> Judgement:
    """Judge an availability, for example of five nines.

    Args:
        requirement: a lower limit of the availability, as a fraction.
        cells: all cells of one solution.
        mtbf: assumed seconds between two faults of a kind.
    """
    groups: dict[tuple[str, int, str, str], list[CellResult]] = {}
    for cell in cells:
        if cell.faulted:
            key = cell.key
            groups.setdefault((key.workload, key.connections, key.network, cell.run), []).append(cell)
    if not groups:
        return Judgement(requirement, "inconclusive", missing=tuple(f"no outage by {kind}" for kind in mtbf))
    return worst([_judged(requirement, _of(members, mtbf)) for members in groups.values()])


def _of(cells: Sequence[CellResult], mtbf: Mapping[str, float]) -> Availability:
    known = availabilities(cells, mtbf)
    single = [one for one in known if one.fault != "all together"]
    whole = known if len(single) == 1 else [one for one in known if one.fault == "all together"]
    kinds = {fault.kind for cell in cells for fault in cell.faults}
    without = sorted({fault.kind for cell in cells for fault in cell.faults if not fault.mtbf} - set(mtbf))
    missing = [f"no outage by {kind}" for kind in mtbf if kind not in kinds]
    missing += [f"no MTBF of {kind}" for kind in without]
    if len(single) > 1 and not whole:
        # Several faults in each trial: which of them caused the outage is unknown.
        missing.append("no trials with a single fault")
    found = whole[0] if whole else None
    if found is None or found.share is None:
        return Availability(None, "", sum(one.trials for one in single), tuple(missing))
    return Availability(found.share, found.bound, found.trials, tuple(missing))


def _judged(requirement: Requirement, found: Availability) -> Judgement:
    share, limit = found.share, requirement.limit
    status: Status = "inconclusive"
    if share is not None:
        complete = not found.missing and found.bound != "at most"
        if complete and share.low is not None and share.low >= limit:
            status = "met"
        elif share.high is not None and share.high < limit:
            status = "missed"
    return Judgement(
        requirement, status, found.trials, estimate=share, limit_of=found.bound, missing=found.missing
    )
