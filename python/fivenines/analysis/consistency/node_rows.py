"""Verdicts on each node's rows, recomputed from the ledger and the rows of each node.

The stored verdict is that of the version that ran the trial; recomputing applies today's rules to old runs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from fivenines.analysis.consistency.consistency import Operation, check_nodes
from fivenines.base.errors import FiveninesError
from fivenines.results.records import Check
from fivenines.results.store import StoredTrial, query, table_path

_LEDGER = "SELECT trial, id, kind, outcome, client FROM rows WHERE kind = 'write'"
_HELD = "SELECT trial, node, id FROM rows"


def rechecked(trials: Sequence[StoredTrial]) -> list[StoredTrial]:
    """Return the trials with today's verdicts; without a readable table `held` they stay unchanged."""
    with_tables = [trial for trial in trials if trial.record.check and _has_tables(trial)]
    try:
        operations, held = _operations(with_tables), _held(with_tables)
    except FiveninesError:
        # The computation of measures reports the damaged table.
        return list(trials)
    return [
        _rechecked(trial, trial.record.check, operations[trial.folder.name], held[trial.folder.name])
        if trial.folder.name in held and trial.record.check
        else trial
        for trial in trials
    ]


def _has_tables(trial: StoredTrial) -> bool:
    return all(table_path(trial.folder, name).is_file() for name in ("ledger", "held"))


def _rechecked(
    trial: StoredTrial, check: Check, operations: Sequence[Operation], held: Mapping[str, list[int]]
) -> StoredTrial:
    result = {node.node: held.get(node.node, []) if node.reachable else None for node in check.nodes}
    roles = {node.node: node.role for node in check.nodes}
    details = {node.node: node.detail for node in check.nodes}
    fresh = check_nodes(operations, result, roles, check.primary)
    nodes = [node.model_copy(update={"detail": details[node.node]}) for node in fresh.nodes]
    verdict = fresh.model_copy(update={"nodes": nodes})
    return replace(trial, record=trial.record.model_copy(update={"check": verdict}))


def _operations(trials: Sequence[StoredTrial]) -> dict[str, list[Operation]]:
    operations: dict[str, list[Operation]] = {trial.folder.name: [] for trial in trials}
    columns = query(trials, "ledger", _LEDGER)
    names = ("trial", "id", "kind", "outcome", "client")
    for trial, identifier, kind, outcome, client in zip(
        *(columns[name].tolist() for name in names), strict=True
    ):
        operations[trial].append(Operation(identifier, kind, outcome, client))
    return operations


def _held(trials: Sequence[StoredTrial]) -> dict[str, dict[str, list[int]]]:
    result: dict[str, dict[str, list[int]]] = {trial.folder.name: {} for trial in trials}
    columns = query(trials, "held", _HELD)
    for trial, node, identifier in zip(
        *(columns[name].tolist() for name in ("trial", "node", "id")), strict=True
    ):
        result[trial].setdefault(node, []).append(identifier)
    return result
