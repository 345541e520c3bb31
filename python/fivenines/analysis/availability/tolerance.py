"""Tolerated hiccups: the length of a fault at which the cluster fails over in half of the trials.

The outcome of a trial is whether a failover was needless (see `needless`), and its length is the one that was
measured. A trial whose cause is not known, or in which a server died, is no outcome.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from fivenines.analysis.availability.needless import Kind, Response
from fivenines.analysis.cells import CellResult
from fivenines.analysis.measures.trials import TrialsSettings
from fivenines.analysis.statistics.psychometric import Outcome
from fivenines.analysis.statistics.threshold import Design, Drift, Threshold, drift, estimate
from fivenines.results.records import CellKey, Manifest


@dataclass(frozen=True)
class Tolerance:
    """What a cell tolerates; lengths in seconds.

    Attributes:
        cell: the cell whose fault has a search.
        design: range and precision of the search.
        outcomes: lengths and failovers, in the order of the trials.
        kinds: number of trials by response.
        not_counted: complete trials without an outcome.
        threshold: length with a 50 % chance of a failover.
        drift: change from the first to the second half of the trials; None: too few trials.
    """

    cell: CellResult
    design: Design
    outcomes: tuple[Outcome, ...]
    kinds: Mapping[Kind, int]
    not_counted: int
    threshold: Threshold
    drift: Drift | None


def designs(manifest: Manifest) -> dict[CellKey, Design]:
    """Return the design of each cell with a search."""
    trials = TrialsSettings.model_validate(manifest.experiment.get("trials", 1))
    return {
        item.cell: Design(item.search[0], item.search[1], trials.at_most)
        for item in manifest.plan
        if item.search is not None
    }


def outcomes(responses: Sequence[Response | None]) -> list[Outcome]:
    """Return the outcomes of trials, in their order."""
    return [
        Outcome(response.hiccup_ms / 1000, response.needless)
        for response in responses
        if response is not None and response.counts and response.hiccup_ms
    ]


def tolerances(cells: Sequence[CellResult], manifest: Manifest) -> Iterator[Tolerance]:
    """Yield what each cell with a search tolerates, in the order of the cells."""
    every = designs(manifest)
    for cell in cells:
        if (design := every.get(cell.key)) is not None and cell.complete:
            responses = [trial.response for trial in cell.trials]
            found = outcomes(responses)
            kinds = Counter(one.kind for one in responses if one is not None and one.counts)
            yield Tolerance(
                cell,
                design,
                tuple(found),
                kinds,
                cell.complete - len(found),
                estimate(found, design),
                drift(found, design),
            )
