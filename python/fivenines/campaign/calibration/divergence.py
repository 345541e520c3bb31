"""Calibration of the comparison of nodes: plants rows that differ between two nodes.

A standby is promoted, so that both nodes accept writes, and rows are changed on one of them.
"""

from fivenines.analysis.wording import number
from fivenines.base.waiting import wait_until
from fivenines.campaign.calibration.base import ENGINE, CalibrationContext, Calibrator
from fivenines.campaign.calibration.judging import judge_detected
from fivenines.campaign.calibration.running import deployment_of
from fivenines.campaign.calibration.trials import DATA, change
from fivenines.experiment.source import parse_experiment
from fivenines.results.calibration import Line
from fivenines.results.records import Divergence
from fivenines.servers.base import Server
from fivenines.trial.divergence import compare

_EXPERIMENT = """\
name: calibration
trials: 1
solutions: [{{solution: hot-standby, engine: {engine}, synchronous_commit: local, manager: none}}]
workloads: [{{workload: oltp_update_non_index, {data}}}]
connections: [1]
"""

# Statements by node.
_PLANTED = {
    "node1": ("DELETE FROM sbtest1 WHERE id = 5", "UPDATE sbtest1 SET c = 'x' WHERE id = 4711"),
    "node2": (
        "INSERT INTO sbtest1 (id, k, c, pad) VALUES (20000, 1, '', '')",
        "UPDATE sbtest1 SET k = k + 1 WHERE id = 10000",
    ),
}

# Expected result of the comparison.
EXPECTED = (
    "sbtest1: id 5: not on node1",
    "sbtest1: id 4711: other on node2",
    "sbtest1: id 10000: other on node2",
    "sbtest1: id 20000: not on node1",
)


class DivergenceOfNodes(Calibrator):
    """Plants rows that differ between nodes."""

    name = "divergence"
    title = "Nodes that differ"
    order = 3
    seconds = (8.0, 8.0)

    def measure(self, context: CalibrationContext) -> list[Line]:
        context.tell("deploying a primary and a standby")
        experiment = parse_experiment(_EXPERIMENT.format(engine=ENGINE, data=DATA), "calibration")
        with deployment_of(context, experiment) as up:
            up.settle(20.0, without=set())
            context.tell("comparing all tables, before and after rows were changed")
            before = compare(up.solution.nodes, "node1", {})
            _promote(up.solution.nodes[1])
            for name, statements in _PLANTED.items():
                change(up.solution.node(name), *statements)
            after = compare(up.solution.nodes, "node1", {})
        none = Line(
            planted="nothing, on two nodes",
            measured=f"{len(differing_rows(before))} rows differ, of {number(before.rows)}",
            error="none" if not differing_rows(before) else differing_rows(before)[0],
            bounds="none may differ",
            within=not differing_rows(before) and not before.incomplete and before.rows > 0,
            figures={"too_many": len(differing_rows(before))},
        )
        return [none, judge_detected("rows that differ between two nodes", EXPECTED, differing_rows(after))]


def differing_rows(divergence: Divergence) -> list[str]:
    """Return the rows that differ, each as table and difference."""
    return [f"{difference.table}: {key}" for difference in divergence.differences for key in difference.keys]


def _promote(node: Server) -> None:
    node.sql.query("SELECT pg_promote()", timeout=30.0)
    wait_until(
        lambda: "" if node.writable() else "it accepts no writes", 15.0, f"{node.name} was not promoted"
    )
