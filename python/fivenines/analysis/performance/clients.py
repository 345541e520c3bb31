"""Measures of each of several clients of a trial.

A trial's figures are of all clients together (sums of rates, merged histograms of response times), see
`trial.load.merged_load`. The same code computes a client's figures from the client's tables.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from fivenines.analysis.measured import summary_of
from fivenines.analysis.measures.measures import MEASURES
from fivenines.analysis.statistics.means import Summary
from fivenines.analysis.trials import TrialMeasures, measure_all
from fivenines.base.errors import FiveninesError
from fivenines.results import layout
from fivenines.results.load_summary import LoadSummary
from fivenines.results.records import ClientRecord, Windows
from fivenines.results.store import StoredTrial

# Measures of a single client; all others are of the cluster, or of all clients together.
OF_A_CLIENT = tuple(name for name, measure in MEASURES.items() if measure.of_client)


@dataclass(frozen=True)
class ClientResult:
    """A client in the trials of a cell: its record, its measures by name, and those of each trial."""

    client: ClientRecord
    measures: dict[str, Summary]
    trials: list[TrialMeasures]


def view(trial: StoredTrial, name: str) -> StoredTrial:
    """Return a trial with the tables and load of one client, without verdicts, as these are of all clients.

    Raises:
        FiveninesError: the trial has no such client.
    """
    record = trial.record
    result = next((client for client in record.clients if client.name == name), None)
    if result is None:
        known = ", ".join(client.name for client in record.clients) or "one client alone"
        raise FiveninesError(f"trial {record.id} has no client {name!r}; it has {known}")
    own: dict[str, object] = {
        "load": result.load,
        "clients": [],
        "check": None,
        "divergence": None,
        "isolation": [],
        "invariants": [],
        "windows": _own_windows(record.windows, result.load),
    }
    folder = layout.client_folder(trial.folder, name)
    return StoredTrial(folder, record.model_copy(update=own), whole=trial.folder)


def _own_windows(windows: Windows | None, load: LoadSummary) -> Windows | None:
    """Return the trial's windows until this client completed its work: later silence is no outage."""
    work = load.requested
    if windows is None or work is None or work.to_s is None or not load.completed:
        return windows
    done = work.to_s * 1000
    return windows.model_copy(
        update={
            "warmup_end": min(windows.warmup_end, done),
            "steady_end": min(windows.steady_end, done),
            "end": min(windows.end, done),
        }
    )


def client_measures(trial: StoredTrial, name: str) -> TrialMeasures:
    """Return the measures of one client in a trial; measures of the whole trial are None.

    Raises:
        FiveninesError: the trial has no such client.
    """
    return measure_all([view(trial, name)])[0]


def client_results(trials: Iterable[TrialMeasures]) -> list[ClientResult]:
    """Return each client over the trials of a cell, in the order of the experiment; [] for a single
    client.
    """
    result: dict[str, tuple[ClientRecord, list[TrialMeasures]]] = {}
    for trial in trials:
        for client in trial.record.clients:
            own = client_measures(trial.stored, client.name)
            result.setdefault(client.name, (client, []))[1].append(own)
    return [
        ClientResult(client, {name: summary_of(name, own) for name in OF_A_CLIENT}, own)
        for client, own in result.values()
    ]
