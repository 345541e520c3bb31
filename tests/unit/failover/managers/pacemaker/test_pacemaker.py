"""Pacemaker's settings: invalid ones, and requirements on the solution."""

from types import SimpleNamespace
from typing import Any

import pytest

from fivenines.base.errors import FiveninesError, UsageError
from fivenines.experiment.source import load_experiment, parse_experiment, solution_from
from fivenines.experiment.validation import checks
from fivenines.failover.managers.pacemaker.pacemaker import Pacemaker
from fivenines.failover.managers.pacemaker.settings import PacemakerSettings
from fivenines.failover.managers.pacemaker.stack import PacemakerStack
from fivenines.lab.processes import ids
from fivenines.trial.deployment.deployed import engines_of

FILE = """\
name: x
trials: 1
workloads: [oltp_read_only]
connections: [1]
solutions:
  - solution: replication
    mode: after_sync
    manager: pacemaker
"""


def replication(**given: Any) -> Any:
    settings = {"mode": "after_sync", "manager": {"kind": "pacemaker"}, **given}
    return solution_from({"solution": "replication", **settings}, "test")


def test_the_nodes_have_a_root_with_both_and_all_user_ids() -> None:
    kind = replication().failover_manager
    assert kind is not None and kind.all_ids and kind.supervises
    assert [one.name for one in engines_of(replication())] == ["mariadb-10.11", "pacemaker-2.1"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"mode": "async"}, "write mode: after_sync$"),
        ({"mode": "after_commit", "durability": "relaxed"}, "write mode: after_sync and durability: strict$"),
        ({"engine": "host-mariadb"}, "choose that engine$"),
        (
            {"manager": {"kind": "pacemaker", "monitor_promoted": "2s", "monitor_unpromoted": "2s"}},
            "one operation",
        ),
        ({"manager": "operator", "access": "virtual-address"}, "the manager operator moves no address"),
    ],
)
def test_what_does_not_fit_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        replication(**given)


def test_a_virtual_address_needs_a_failover_manager() -> None:
    with pytest.raises(UsageError, match="failover is built in, and moves no address"):
        solution_from({"solution": "galera", "access": "virtual-address"}, "test")


def test_it_makes_switchovers_without_a_separate_host() -> None:
    settings = replication(access="virtual-address")
    assert settings.checks.problems_with_switchover() == []
    assert settings.manager.host == ""


def test_a_missing_root_account_is_reported_with_the_line(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "x.yaml"
    file.write_text(FILE)
    monkeypatch.setattr(ids, "problem", lambda: "")
    assert load_experiment(file)[0].solutions[0].traits.nodes == 3
    monkeypatch.setattr(ids, "problem", lambda: "only root may")
    with pytest.raises(UsageError) as refused:
        load_experiment(file)
    assert str(refused.value).startswith(
        f"{file}:8:14: solutions[0].manager: pacemaker changes users, so its lab needs all user ids, "
        "but only root may. Or choose another"
    )
    assert parse_experiment(FILE, "x.yaml"), "on paper it is right"
    assert checks.machine_problem(replication(manager="operator")) == ""


_STATUS = """<pacemaker-result>
<summary><current_dc present="true" with_quorum="{quorum}" name="node1"/></summary>
<nodes>
<node name="node1" online="true" pending="false"/><node name="node2" online="true" pending="true"/>
<node name="node3" online="false" pending="false"/>
</nodes>
<resources><clone>
<resource role="Promoted"><node name="node1"/></resource>
<resource role="Stopped"/>
<resource role="Unpromoted"><node name="node2"/></resource>
</clone></resources>
<failures>
<failure op_key="p_mariadb_start_0" node="node3" exitstatus="error" exitreason="io failed (1236)"/>
</failures>
</pacemaker-result>"""


def _manager(answer: Any) -> Any:
    nodes = []
    for number in (1, 2, 3):
        host = SimpleNamespace(
            name=f"node{number}",
            commands=SimpleNamespace(
                run=lambda *_command, **_options: answer() if callable(answer) else answer
            ),
        )
        nodes.append(SimpleNamespace(name=f"node{number}", host=host))
    solution: Any = SimpleNamespace(nodes=nodes, roles=SimpleNamespace(primary_of_record=nodes[0]))
    made = Pacemaker(PacemakerSettings(kind="pacemaker"), solution)
    made._stack = PacemakerStack([node.host for node in nodes])
    return made


def test_a_node_in_a_wrong_role_is_named_with_its_failures() -> None:
    manager = _manager(_STATUS.format(quorum="true"))
    assert manager._not_adopted() == ("node3 is not unpromoted: p_mariadb_start_0: error, io failed (1236)")


def test_start_waits_until_the_cluster_answers() -> None:
    def refuse() -> str:
        raise FiveninesError("node1: crm_mon failed: not connected")

    assert _manager(refuse)._not_adopted() == "node1: crm_mon failed: not connected"
