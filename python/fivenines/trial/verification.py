"""Verification of a trial's data: the ledger, the workload's invariants, and differences between nodes."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from fivenines.analysis.availability.served import seconds_of, why_not
from fivenines.analysis.consistency.consistency import Operation, check_nodes
from fivenines.base.errors import FiveninesError, brief
from fivenines.load.invariants import check_after, count_before, unknown
from fivenines.load.workloads.invariant import Check as Rule
from fivenines.load.workloads.settings import WorkloadSettings
from fivenines.results import store
from fivenines.results.load_summary import LoadSummary
from fivenines.results.records import Check, Divergence, InvariantCheck
from fivenines.trial.deployment.deployed import Deployed
from fivenines.trial.divergence import diverged
from fivenines.trial.executed import keep_executed
from fivenines.trial.state import Loaded


def counted_before(workload: WorkloadSettings, deployed: Deployed) -> dict[str, int]:
    """Return the counts that a workload's invariants compare with those after the load."""
    primary = deployed.solution.roles.certain_primary()
    return count_before(primary.sql.open_data, workload.invariants()) if primary else {}


def invariants(
    rules: Sequence[Rule], deployed: Deployed, before: dict[str, int], load: LoadSummary
) -> list[InvariantCheck]:
    """Check the invariants on the primary; unknown if no node accepts writes."""
    primary = deployed.solution.roles.certain_primary()
    if primary is None:
        return unknown(rules, "no node accepts writes after the trial")
    return check_after(primary.sql.open_data, primary.driver, rules, before, load)


def ledger(deployed: Deployed, part: Path, missing: Mapping[str, str], load: LoadSummary) -> Check | None:
    """Check the ledger's rows on each node; None if the load has written none.

    Args:
        deployed: the deployment, after it has settled.
        part: the trial's folder, which also gets the rows of each node.
        missing: the nodes that did not come back, and why.
        load: the load, for the moments of its writes.
    """
    solution = deployed.solution
    if not store.table_path(part, "ledger").exists():
        return None
    result: dict[str, list[int] | None] = {}
    details: dict[str, str] = {}
    primary = solution.roles.certain_primary()
    for node in solution.serving:
        result[node.name] = None
        if node.name in missing:
            details[node.name] = missing[node.name]
            continue
        try:
            # Read the position before the rows: rows that arrive in between would look lost.
            details[node.name] = solution.membership.not_joined_reason(
                node
            ) or solution.membership.lag_reason(node)
            rows = node.sql.ledger_rows()
            result[node.name] = [identifier for identifier, _ in rows]
            # An external server has another clock.
            if primary is node and not (solution.settings.external or deployed.lab.clocks.differ):
                keep_executed(part, rows, load)
        except Exception as error:
            details[node.name] = brief(error)
    store.write_table(part, "held", [(name, item) for name, ids in result.items() for item in ids or ()])
    check = check_nodes(_operations(part), result, solution.roles.by_name(), primary.name if primary else "")
    nodes = [
        judged.model_copy(update={"detail": details[judged.node]}) if details[judged.node] else judged
        for judged in check.nodes
    ]
    return check.model_copy(update={"nodes": nodes})


def differences(deployed: Deployed, missing: Mapping[str, str]) -> Divergence | None:
    """Compare the tables of all nodes; None for a single node, or without anything to compare."""
    if len(deployed.solution.nodes) < 2 or not deployed.solution.compared:
        return None
    excluded = dict.fromkeys(missing, "still broken, or not restarted")
    return deployed.solution.compare_copies(excluded) or diverged(deployed.solution, excluded)


def require_service(part: Path, loaded: Loaded) -> None:
    """Check that the load was served in its steady window.

    Raises:
        FiveninesError: it was not; the message has the server's error.
    """
    windows = loaded.windows
    seconds = seconds_of(store.table_path(part, "timeline"))
    if why := why_not(seconds, loaded.load, windows.warmup_end, windows.steady_end):
        raise FiveninesError(why)


def _operations(part: Path) -> list[Operation]:
    with store.reader() as connection:
        rows = connection.execute(
            "SELECT id, kind, outcome, client FROM read_parquet(?)", [str(store.table_path(part, "ledger"))]
        ).fetchall()
    return [Operation(*row) for row in rows]
