"""The daemons of a cluster: online nodes, failures, and whether enough of them run."""

from types import SimpleNamespace
from typing import Any

import pytest

from fivenines.base.errors import FiveninesError
from fivenines.failover.managers.pacemaker import crm_mon
from fivenines.failover.managers.pacemaker.stack import PacemakerStack, idle, properties

_STATUS = """<pacemaker-result>
<summary><current_dc present="true" with_quorum="{quorum}" name="node1"/></summary>
<nodes>
<node name="node1" online="true" pending="false"/><node name="node2" online="true" pending="true"/>
<node name="node3" online="false" pending="false"/>
</nodes>
<resources><group id="g">
<resource id="p_files" role="Started"><node name="node1"/></resource>
<resource id="p_server" role="Stopped"/>
<resource id="p_address" role="Starting"><node name="node1"/></resource>
</group></resources>
<failures>
<failure op_key="p_x_start_0" node="node3" exitstatus="error" exitreason="io failed (1236)"/>
</failures>
</pacemaker-result>"""


def _refuse() -> str:
    raise FiveninesError("node1: crm_mon failed: not connected")


def _stack(answer: Any, nodes: int = 3) -> Any:
    hosts: list[Any] = [
        SimpleNamespace(
            name=f"node{number}",
            address=f"10.99.0.{number}",
            commands=SimpleNamespace(
                run=lambda *_command, **_options: answer() if callable(answer) else answer
            ),
        )
        for number in range(1, nodes + 1)
    ]
    return PacemakerStack(hosts)


def _host(stack: PacemakerStack, name: str = "node1") -> Any:
    return stack.hosts[name]


@pytest.mark.parametrize(("quorum", "online"), [("true", {"node1"}), ("false", set())])
def test_only_settled_nodes_are_online(quorum: str, online: set[str]) -> None:
    stack = _stack(_STATUS.format(quorum=quorum))
    assert stack.online(_host(stack)) == online


def test_failures_belong_to_their_node() -> None:
    stack = _stack(_STATUS.format(quorum="true"))
    assert stack.failures(_host(stack)) == ""
    assert stack.failures(_host(stack, "node3")) == "p_x_start_0: error, io failed (1236)"


def test_a_node_without_an_answer_knows_no_other() -> None:
    stack = _stack(_refuse)
    assert stack.online(_host(stack)) == set() and stack.failures(_host(stack)) == ""
    assert stack.refusal(_host(stack), ["crm_resource"]) == "node1: crm_mon failed: not connected"


@pytest.mark.parametrize(
    ("states", "at_rest"),
    [
        (("S_NOT_DC", "S_IDLE"), True),
        (("S_IDLE", "S_NOT_DC"), True),
        (("S_NOT_DC", "S_TRANSITION_ENGINE"), False),
        (("S_POLICY_ENGINE", "S_NOT_DC"), False),
        (("S_NOT_DC", "S_NOT_DC"), False),
    ],
)
def test_a_cluster_is_idle_if_its_leading_controller_says_so(states: tuple[str, ...], at_rest: bool) -> None:
    answers = iter(f"Controller on node{number} in state {one}: ok" for number, one in enumerate(states, 1))
    assert idle(_stack(lambda: next(answers), nodes=2).hosts.values()) is at_rest


def test_a_cluster_that_tells_no_state_is_not_idle() -> None:
    assert not idle(_stack(_refuse).hosts.values())


def test_started_resources_are_listed_by_name() -> None:
    stack = _stack(_STATUS.format(quorum="true"))
    assert crm_mon.running(stack.status(_host(stack))) == {"p_files": "node1"}


@pytest.mark.parametrize(
    ("alive", "enough"), [((True, True, False), True), ((True, False, False), False), ((True, False), True)]
)
def test_a_majority_of_daemons(alive: tuple[bool, ...], enough: bool) -> None:
    stack = _stack("", len(alive))
    stack.daemons = {
        f"node{number}": [SimpleNamespace(alive=True), SimpleNamespace(alive=one)]
        for number, one in enumerate(alive, start=1)
    }
    assert stack.majority() is enough and stack.alive
    assert [stack.runs(host) for host in stack.hosts.values()] == list(alive)


def test_a_stack_that_never_started_does_not_run() -> None:
    stack = _stack("")
    assert not stack.runs(_host(stack)) and not stack.alive
    stack.end(_host(stack))


def test_a_daemon_that_ended_is_reported_with_its_log(tmp_path: Any) -> None:
    stack = _stack(_STATUS.format(quorum="true"))
    for host in stack.hosts.values():
        host.node = tmp_path
    (tmp_path / "log").mkdir()
    (tmp_path / "log" / "pacemaker.log").write_text("no permission\n")
    stack.daemons = {"node1": [SimpleNamespace(alive=False, log_tail=lambda _lines: "ended")]}
    with pytest.raises(FiveninesError, match=r"^node1: a daemon of the cluster ended:\nended\nno perm"):
        stack.not_formed_reason()
    stack.daemons = {}
    assert stack.not_formed_reason() == "node2, node3 not online"


def test_further_properties_override_the_common_ones() -> None:
    found = properties(no_quorum_policy="ignore", more={"start-failure-is-fatal": "false"})
    assert found["no-quorum-policy"] == "ignore" and found["start-failure-is-fatal"] == "false"
    assert found["stonith-enabled"] == "false"
