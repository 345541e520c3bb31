"""A trial's record with the check of one node."""

from fivenines.results.records import CellKey, Check, NodeCheck, TrialRecord


def record(lost_ids: list[int]) -> TrialRecord:
    """Return the record of a trial in which these rows are missing on the primary."""
    key = CellKey(solution="s", workload="w", connections=1, network="lan", fault="none")
    node = NodeCheck(node="node1", role="primary", reachable=True, lost_ids=lost_ids)
    return TrialRecord(
        id="0001",
        cell=key,
        number=1,
        seed=1,
        status="complete",
        started="",
        seconds=1,
        check=Check(acknowledged=1, failed=0, in_doubt=0, primary="node1", nodes=[node]),
    )
