"""Deaths in turn on one cluster: each waits for the recovery from the one before, and is judged alone."""

from pathlib import Path

from lab_support import run_trial, timing

from fivenines.analysis.cells import cell_result
from fivenines.analysis.measured import draws_of

SOLUTION = (
    "solutions: [{solution: hot-standby, engine: postgres-18, "
    "manager: {kind: operator, interval: 500ms, misses: 2}}]\n"
)
THREE = (
    "faults: [{fault: repeat, of: {fault: kill, restart_after: 500ms}, times: 3, every: 1s, "
    "await_recovery: true}]\n"
)


def test_each_death_meets_a_cluster_that_has_recovered(tmp_path: Path) -> None:
    outcome = run_trial(tmp_path, SOLUTION + THREE + timing())
    first, second, third = outcome.record.faults
    # The primary dies each time, so roles change.
    assert [one.node for one in (first, second, third)] == ["node1", "node2", "node1"]
    assert first.rejoined_at is not None and first.rejoined_at < second.at
    assert second.rejoined_at is not None and second.rejoined_at < third.at
    measures = outcome.measures()
    found = measures.deaths
    assert found is not None and found.planned == 3, outcome.record.faults
    assert [one.number for one in found.deaths] == [1, 2, 3], found
    assert all(one.back and one.outage_ms for one in found.deaths), found
    assert sum(one.lost or 0 for one in found.deaths) == measures.lost, found
    # A decision counts each of them, and tables have them as one fault.
    lost = draws_of("lost", [measures])
    assert (len(lost.values), lost.trials, lost.unit) == (3, 1, "death"), lost
    (fault,) = cell_result(outcome.record.cell, 1, 0, [measures]).faults
    assert (fault.called, fault.times, fault.trials) == ("kill primary, in turn", 3, 1)
