"""Dead zones: severities of a fault at which no manager fails over and few transactions are served.

Two severities are searched for together, with the same trials:

starved
    Fewer than half of the steady rate is served during the fault.
failover
    The cluster fails over (see `needless`).

Both are thresholds of a rising chance, found by the search of `statistics.threshold` on a logarithmic scale.
The trials alternate between them. Between the two the cluster is neither available nor replaced: a *dead
zone*. It is reported where the interval of the first threshold ends below that of the second one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fivenines.analysis.availability.needless import Response
from fivenines.analysis.cells import CellResult
from fivenines.analysis.measures.trials import TrialsSettings
from fivenines.analysis.statistics.psychometric import Outcome
from fivenines.analysis.statistics.threshold import Design, Threshold, estimate, next_length
from fivenines.results.records import CellKey, Manifest, PlannedSeverity

# Share of the steady rate below which a cluster counts as starved.
STARVED = 0.5

# Target for half the width of both intervals, as a share of the severity.
PRECISION = 0.2


@dataclass(frozen=True)
class Try:
    """A trial: value of the setting, share of the steady rate that was served, and whether it failed over."""

    value: float
    served: float | None
    failover: bool


@dataclass(frozen=True)
class Zone:
    """A dead zone: its beginning, and its end (None: the largest value that was tried), by the medians."""

    begin: float
    end: float | None


@dataclass(frozen=True)
class Severity:
    """What a cell does at rising severity of a fault; values in seconds or as shares.

    Attributes:
        cell: the cell.
        planned: setting and range of the search.
        tries: its trials in order.
        starved: value from which fewer than half of the transactions are served.
        failover: value from which the cluster fails over.
        not_counted: complete trials that say nothing.
    """

    cell: CellResult
    planned: PlannedSeverity
    tries: tuple[Try, ...]
    starved: Threshold
    failover: Threshold
    not_counted: int

    @property
    def zone(self) -> Zone | None:
        """Return the dead zone; None: none was shown."""
        begin = _begin(self.starved, self.planned)
        if begin is None:
            return None
        reached = self.starved.high if self.starved.high is not None else begin
        if self.failover.state == "bracketed":
            low, middle = self.failover.low, self.failover.median
            return Zone(begin, middle) if low is not None and middle is not None and reached < low else None
        calm = self.failover.state == "never" and (self.failover.low or 0.0) > reached
        return Zone(begin, None) if calm else None


def plans(manifest: Manifest) -> dict[CellKey, tuple[PlannedSeverity, Design]]:
    """Return the search of each cell with a severity, with its design."""
    trials = TrialsSettings.model_validate(manifest.experiment.get("trials", 1))
    return {
        item.cell: (item.severity, design(item.severity, trials.at_most))
        for item in manifest.plan
        if item.severity is not None
    }


def design(planned: PlannedSeverity, at_most: int) -> Design:
    """Return the design of a search over a severity."""
    return Design(planned.at_least, planned.at_most, at_most, 0.0, PRECISION, 0.0)


def tried(value: float | None, response: Response | None) -> Try | None:
    """Return what a trial says; None: nothing."""
    if value is None or response is None or not response.counts:
        return None
    return Try(value, response.served, response.needless)


def next_value(tries: Sequence[Try], of: Design) -> float | None:
    """Return the value of the next trial; None: both thresholds are known, or all trials are made."""
    if len(tries) >= of.at_most:
        return None
    candidates = [next_length(_starved(tries), of), next_length(_failovers(tries), of)]
    # In turn, as each trial tells something of both.
    turn = len(tries) % 2
    first, second = candidates[turn], candidates[1 - turn]
    return second if first is None else first


def severities(cells: Sequence[CellResult], manifest: Manifest) -> Iterator[Severity]:
    """Yield the severity of each cell that searches for one, in the order of the cells."""
    every = plans(manifest)
    for cell in cells:
        if cell.key not in every or not cell.complete:
            continue
        planned, own = every[cell.key]
        found = [tried(trial.record.severity, trial.response) for trial in cell.trials]
        tries = tuple(item for item in found if item is not None)
        yield Severity(
            cell,
            planned,
            tries,
            estimate(_starved(tries), own),
            estimate(_failovers(tries), own),
            len(found) - len(tries),
        )


def _starved(tries: Sequence[Try]) -> list[Outcome]:
    return [Outcome(item.value, item.served < STARVED) for item in tries if item.served is not None]


def _failovers(tries: Sequence[Try]) -> list[Outcome]:
    return [Outcome(item.value, item.failover) for item in tries]


def _begin(starved: Threshold, planned: PlannedSeverity) -> float | None:
    """Return the value from which few transactions are served; None: not known."""
    if starved.state == "bracketed":
        return starved.median
    return planned.at_least if starved.state == "always" else None
