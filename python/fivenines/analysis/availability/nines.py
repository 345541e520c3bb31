"""Availability from assumed failure rates and measured outages.

For one class of faults with the mean time between failures MTBF (service time between two of them,
an assumption) and the mean time to recovery MTTR (measured: the mean total of the interruptions of writes,
not the longest of them alone):

    A = MTBF / (MTBF + MTTR) = 1 / (1 + MTTR / MTBF)

Several classes that happen independently, with rates 1 / MTBF_i, add up:

    A = 1 / (1 + sum(MTTR_i / MTBF_i))

Nines are -log10(1 - A); the downtime is (1 - A) of a year of 365.25 days. The interval is that of the
sum: Student's t with the Welch-Satterthwaite degrees of freedom, each mean with its own variance. It
covers the measured times, not the assumed rates.

Sources: NIST/SEMATECH e-Handbook of Statistical Methods, 8.1.1 (availability of repairable systems)
and 1.3.5.3 (degrees of freedom).
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from fivenines.analysis.availability.fault_results import FaultResult
from fivenines.analysis.cells import CellResult
from fivenines.analysis.statistics.means import Summary, satterthwaite, student_t
from fivenines.base.units import YEAR, parse_duration
from fivenines.results.records import CellKey
from fivenines.results.store import Run

# Availability that the required MTBF is computed for: five nines.
TARGET = 0.99999

# Direction of a bound; empty if the availability is known.
Bound = Literal["", "at most", "at least"]


@dataclass(frozen=True)
class Estimate:
    """A figure with its interval; no interval where too few trials were made."""

    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Availability:
    """Availability of a solution from assumed failure rates and measured outages.

    Attributes:
        key: the cell; of several faults together, with `fault` naming them all.
        fault: the fault, or "all together".
        mttr: the mean time without writes in s, all interruptions of a trial together.
        mtbf: assumed MTBF in s; None without one (and for several classes).
        unavailable: the share of time without service; None without an MTBF. At most 1.
        bound: `at most`: service did not recover in some trial, so this is an upper bound of the
            availability; `at least`: no outage was noticed, so this is a lower bound.
        trials: the number of trials behind it.
    """

    key: CellKey
    fault: str
    mttr: Estimate
    mtbf: float | None
    unavailable: Estimate | None
    bound: Bound
    trials: int

    @property
    def share(self) -> Estimate | None:
        """Return the availability A."""
        return self._falling(lambda unavailable: 1 - unavailable)

    @property
    def nines(self) -> Estimate | None:
        """-log10(1 - A); infinite where no downtime at all is possible."""
        return self._falling(nines)

    @property
    def downtime(self) -> Estimate | None:
        """Return seconds a year."""
        u = self.unavailable
        if u is None:
            return None
        low, high = (None if end is None else end * YEAR for end in (u.low, u.high))
        return Estimate(u.value * YEAR, low, high)

    @property
    def needed_mtbf(self) -> float:
        """Return the least MTBF in s with which the measured mean outage allows five nines."""
        return self.mttr.value * TARGET / (1 - TARGET)

    def _falling(self, of: Callable[[float], float]) -> Estimate | None:
        """Return a falling function of the share without service: the ends of the interval change places."""
        u = self.unavailable
        if u is None:
            return None
        low, high = (None if end is None else of(end) for end in (u.high, u.low))
        return Estimate(of(u.value), low, high)


@dataclass(frozen=True)
class Term:
    """One class of faults: its outage in ms over trials, and the assumed MTBF in s."""

    outage: Summary
    mtbf: float


def nines(unavailable: float) -> float:
    """3.0 for a share of 0.001 without service; infinite for 0."""
    return math.inf if unavailable <= 0 else -math.log10(unavailable)


def unavailable(terms: Sequence[Term]) -> Estimate:
    """Return the share of time without service, with the interval that the outages' means have.

    No interval if one of the outages has none, or is a lower bound.

    Raises:
        ValueError: no terms, or a term without a mean or with an MTBF that is not above 0.
    """
    if not terms or any(term.outage.mean is None or term.mtbf <= 0 for term in terms):
        raise ValueError("every class of faults needs a mean outage and an MTBF above 0")
    load = sum((term.outage.mean or 0.0) / 1000 / term.mtbf for term in terms)
    half = None if any(term.outage.bounds for term in terms) else _half_width(terms)
    if half is None:
        return Estimate(_share(load))
    return Estimate(_share(load), _share(max(0.0, load - half)), _share(load + half))


def assumed_mtbf(run: Run) -> dict[str, float]:
    """Return the MTBF in s of each kind of fault, as the experiment's `availability` has them."""
    section = run.manifest.experiment.get("availability")
    table = section.get("mtbf") if isinstance(section, dict) else None
    return {str(kind): _seconds(value) for kind, value in (table.items() if isinstance(table, dict) else [])}


def availabilities(cells: Sequence[CellResult], assumed: Mapping[str, float]) -> list[Availability]:
    """Return an availability for each fault of each cell, then for all faults of a solution together.

    Cells that differ only in the fault are combined if they have one fault per trial and an MTBF. Deaths in
    turn are one fault; they are left out where the same fault hit clusters of its own.
    """
    result: list[Availability] = []
    groups: dict[CellKey, list[tuple[CellResult, FaultResult, float]]] = {}
    for cell in cells:
        for fault in cell.faults:
            if fault.writes.total.mean is None:
                continue
            mtbf = fault.mtbf or assumed.get(fault.kind)
            result.append(_single(cell, fault, mtbf))
            if mtbf and len(cell.faults) == 1:
                group = cell.key.without_fault
                groups.setdefault(group, []).append((cell, fault, mtbf))
    distinct = [_distinct(members) for members in groups.values()]
    together = [_together(members) for members in distinct if len(members) > 1]
    return [*result, *together]


def _distinct(
    members: Sequence[tuple[CellResult, FaultResult, float]],
) -> list[tuple[CellResult, FaultResult, float]]:
    """Leave out deaths in turn of a fault that is there by itself, too: it has one rate."""
    alone = {fault.label for _, fault, _ in members if not fault.in_turn}
    return [one for one in members if not one[1].in_turn or one[1].label not in alone]


def _single(cell: CellResult, fault: FaultResult, mtbf: float | None) -> Availability:
    outage = fault.writes.total
    label = fault.called if len(cell.faults) == 1 else f"{fault.number}: {fault.called}"
    mttr = Estimate(*(_in_seconds(v) for v in (outage.mean, outage.ci_low, outage.ci_high)))
    share = unavailable([Term(outage, mtbf)]) if mtbf else None
    return Availability(cell.key, label, mttr, mtbf, share, _bound([fault]), fault.trials)


def _together(members: Sequence[tuple[CellResult, FaultResult, float]]) -> Availability:
    """Combine all classes of faults of a solution: the MTTR is the mean over failures, weighted by rate."""
    terms = [Term(fault.writes.total, mtbf) for _, fault, mtbf in members]
    share = unavailable(terms)
    rate = sum(1 / term.mtbf for term in terms)
    mttr = sum((term.outage.mean or 0.0) / 1000 / term.mtbf for term in terms) / rate
    faults = [fault for _, fault, _ in members]
    key = members[0][0].key.model_copy(update={"fault": "all together"})
    return Availability(
        key,
        "all together",
        Estimate(mttr),
        1 / rate,
        share,
        _bound(faults),
        sum(fault.trials for fault in faults),
    )


def _bound(faults: Sequence[FaultResult]) -> Bound:
    if any(fault.writes.not_recovered for fault in faults):
        return "at most"
    return "" if any(fault.writes.noticed for fault in faults) else "at least"


def _half_width(terms: Sequence[Term]) -> float | None:
    """Return half of the interval of sum(MTTR / MTBF)."""
    parts = []
    for term in terms:
        if term.outage.sd is None:
            return None
        variance = (term.outage.sd / 1000 / term.mtbf) ** 2 / term.outage.n
        parts.append((variance, term.outage.n))
    t = student_t(satterthwaite(parts), terms[0].outage.level)
    return t * math.sqrt(sum(part for part, _ in parts))


def _share(load: float) -> float:
    """Return the share without service of a load of outage per service time."""
    return load / (1 + load)


def _in_seconds(ms: float | None) -> Any:
    return None if ms is None else max(0.0, ms) / 1000


def _seconds(value: object) -> float:
    return parse_duration(value) if isinstance(value, str) else float(str(value))
