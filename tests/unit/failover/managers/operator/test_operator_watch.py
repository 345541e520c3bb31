"""The operator's loop, its requests to the lab, and its reports about unreachable servers."""

import io
import json
import socket
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fivenines.failover.managers.none import NoManager, NoneSettings
from fivenines.failover.managers.operator import operate
from fivenines.failover.managers.operator.manager import Operator, OperatorSettings
from fivenines.servers.control import Address, Control
from fivenines.servers.mariadb.control import MariadbControl, sequence
from fivenines.servers.postgres.control import PostgresControl


class OverError(Exception):
    """The simulated servers have no further answers."""


class Scripted(Control):
    """Checks answer in this order; replicas have these positions, one mapping for each failover."""

    checks: list[str]
    positions: list[dict[str, int]]
    log: list[str]

    def check(self, address: Address) -> str:
        if not self.checks:
            raise OverError
        self.log.append(f"check {address[0]}")
        return self.checks.pop(0)

    def position(self, address: Address) -> int | None:
        self.log.append(f"ask {address[0]}")
        return self.positions[0].get(address[0])

    def uptime(self, address: Address) -> float | None:
        return 1000.0

    def promote(self, address: Address, others: Sequence[str]) -> None:
        self.log.append(f"promote {address[0]}")

    def repoint(self, address: Address, name: str, primary: Address) -> None:
        assert address[0] == name
        self.log.append(f"repoint {name} to {primary[0]}")

    def demote(self, address: Address) -> int | None:
        raise OverError

    def undo_demote(self, address: Address) -> None:
        raise NotImplementedError

    def repoint_former(self, address: Address, name: str, primary: Address) -> None:
        raise OverError


NODES = ("node1", "node2", "node3", "node4")


def _operator(checks: list[str], positions: list[dict[str, int]], **more: Any) -> operate.Operate:
    Scripted.checks, Scripted.positions, Scripted.log = checks, positions, []
    configuration = {
        "family": "scripted",
        "nodes": {name: [name, 1] for name in NODES},
        "timeout": 0.1,
        "interval": 0.001,
        "misses": 2,
        "fence": False,
        **more,
    }
    return operate.Operate(configuration, "hidden")


@pytest.fixture(autouse=True)
def scripted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(operate.CONTROLS, "scripted", Scripted)


def _events(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def _watch(operator: operate.Operate, capsys: pytest.CaptureFixture[str]) -> list[str]:
    with pytest.raises(OverError):
        operator.watch()
    events = _events(capsys)
    moments = [event["monotonic_ns"] for event in events]
    assert moments == sorted(moments)
    return [f"{event['kind']} {event['node']}" for event in events]


def test_only_misses_in_a_row_count(capsys: pytest.CaptureFixture[str]) -> None:
    operator = _operator(["gone", "", "gone", "", ""], [])
    assert _watch(operator, capsys) == ["watching node1", "missed node1", "missed node1"]
    assert operator.primary == "node1"


def test_after_the_allowed_misses_the_new_primary_is_watched(capsys: pytest.CaptureFixture[str]) -> None:
    operator = _operator(["gone", "gone", "", "gone"], [{"node2": 3, "node3": 4}])
    assert _watch(operator, capsys) == [
        "watching node1",
        "missed node1",
        "missed node1",
        "decided node1",
        "promoted node3",
        "repointed node2",
        "missed node3",
    ]
    assert Scripted.log[-2:] == ["check node3", "check node3"]


def test_a_failover_without_reachable_replicas_is_repeated(capsys: pytest.CaptureFixture[str]) -> None:
    operator = _operator(["gone"] * 4, [{}])
    events = _watch(operator, capsys)
    assert events.count("failed node1") == events.count("decided node1") == 3
    assert operator.primary == "node1"
    assert not [step for step in Scripted.log if step.startswith(("promote", "repoint"))]


def test_a_primary_that_answers_before_a_promotion_stays(capsys: pytest.CaptureFixture[str]) -> None:
    operator = _operator(["gone", "gone", "", ""], [{}])
    assert _watch(operator, capsys)[-1] == "failed node1"
    assert operator.primary == "node1"


def test_the_wait_after_a_total_failure_ends_when_the_primary_works_again(
    capsys: pytest.CaptureFixture[str],
) -> None:
    operator = _operator(["gone", "gone", "gone", ""], [{}], total_failure_wait=30)
    assert _watch(operator, capsys) == [
        "watching node1",
        *["missed node1"] * 2,
        "decided node1",
        "waiting node1",
        "missed node1",
        "waited node1",
    ]
    assert operator.primary == "node1"


def test_failed_checks_are_counted_in_events(capsys: pytest.CaptureFixture[str]) -> None:
    operator = _operator(["refused", "timed out"], [{"node2": 1}], misses=3)
    with pytest.raises(OverError):
        operator.watch()
    details = [event["detail"] for event in _events(capsys) if event["kind"] == "missed"]
    assert details == ["1 of 3: refused", "2 of 3: timed out"]


class Lab(io.StringIO):
    """The lab's end of the conversation: records when it is read."""

    def readline(self, size: int | None = -1) -> str:  # type: ignore[override]
        Scripted.log.append("lab fences")
        return "fenced\n"


@pytest.mark.parametrize("positions", [{"node2": 1, "node3": 2}, {}])
def test_the_old_primary_is_fenced_before_anything_else(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, positions: dict[str, int]
) -> None:
    monkeypatch.setattr("sys.stdin", Lab())
    operator = _operator([], [positions], fence=True)
    assert operator.fail_over() == bool(positions)
    assert Scripted.log[0] == "lab fences"
    kinds = [event["kind"] for event in _events(capsys)]
    assert kinds[:3] == ["decided", "fence", "fenced"]


def test_without_fencing_there_is_no_request_to_the_lab(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", Lab())
    assert _operator([], [{"node2": 1}]).fail_over()
    assert "lab fences" not in Scripted.log


@settings(max_examples=50)
@given(st.dictionaries(st.sampled_from(NODES[1:]), st.integers(0, 2**62)), st.integers(0, 2**62))
def test_the_most_advanced_answering_replica_is_promoted(positions: dict[str, int], zombie: int) -> None:
    operator = _operator([], [{"node1": zombie, **positions}])
    assert operator.fail_over() == bool(positions)
    assert "ask node1" not in Scripted.log
    promoted = [step.split()[1] for step in Scripted.log if step.startswith("promote")]
    repointed = [step for step in Scripted.log if step.startswith("repoint")]
    if not positions:
        assert promoted == repointed == []
        return
    (chosen,) = promoted
    assert positions[chosen] == max(positions.values())
    assert operator.primary == chosen
    others = set(positions) - {chosen}
    assert sorted(repointed) == sorted(f"repoint {name} to {chosen}" for name in others)
    assert Scripted.log.index(f"promote {chosen}") < min(
        (Scripted.log.index(step) for step in repointed), default=10**9
    )


def test_a_former_primary_can_be_chosen_the_next_time() -> None:
    operator = _operator([], [{"node2": 1}])
    assert operator.fail_over()
    Scripted.positions = [{"node1": 5, "node3": 4}]
    assert operator.fail_over()
    assert operator.primary == "node1"


numbers = st.integers(0, 2**32 - 1)
gtids = st.tuples(numbers, numbers, st.integers(0, 2**63))


@settings(max_examples=50)
@given(st.lists(gtids))
def test_the_sequence_is_the_highest_of_all_domains(found: list[tuple[int, int, int]]) -> None:
    text = ",".join("-".join(map(str, gtid)) for gtid in found)
    assert sequence(text) == max((gtid[2] for gtid in found), default=0)


@settings(max_examples=50)
@given(gtids, st.integers(1, 2**40), numbers)
def test_positions_compare_by_sequence_for_any_server_id(
    gtid: tuple[int, int, int], more: int, server: int
) -> None:
    domain, first, number = gtid
    assert sequence(f"{domain}-{server}-{number + more}") > sequence(f"{domain}-{first}-{number}")


@pytest.mark.parametrize("kind", [MariadbControl, PostgresControl])
def test_an_unreachable_server_is_reported_and_has_no_position(kind: type[Control]) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        address = listener.getsockname()  # bound and not listening: refused
        reason = kind(1.0, "hidden").check(address)
        assert "refused" in reason
        assert len(reason.splitlines()) == 1
        assert kind(1.0, "hidden").position(address) is None


def _solution(family: str = "mariadb", **facts: object) -> Any:
    nodes = [
        SimpleNamespace(name=name, port=3306, host=SimpleNamespace(address=f"10.99.0.{number}"))
        for number, name in enumerate(NODES, start=11)
    ]
    engine = SimpleNamespace(family=family)
    return SimpleNamespace(
        nodes=nodes,
        roles=SimpleNamespace(primary_of_record=nodes[0]),
        engine=engine,
        manager_facts=lambda: facts,
    )


@pytest.mark.parametrize("family", ["mariadb", "postgresql"])
def test_the_operator_reads_its_configuration(family: str) -> None:
    settings = OperatorSettings(interval=0.5, timeout=2.0, misses=4, fence=False)
    manager = Operator(settings, _solution(family, synchronous=True))
    read = operate.Operate(json.loads(json.dumps(manager._configuration())), "hidden")
    assert isinstance(read.control, MariadbControl if family == "mariadb" else PostgresControl)
    assert read.nodes["node2"] == ("10.99.0.12", 3306)
    assert read.primary == "node1"
    assert (read.interval, read.control.timeout, read.misses_allowed) == (0.5, 2.0, 4)
    assert (read.fences, read.synchronous, read.patience) == (False, True, 60.0)
    first_up = Operator(OperatorSettings(total_failure="first-up"), _solution(family))
    assert operate.Operate(json.loads(json.dumps(first_up._configuration())), "hidden").patience is None


def test_without_a_manager_there_is_no_promotion() -> None:
    manager = NoManager(NoneSettings(), _solution())
    manager.start()
    assert (manager.promotes, manager.events()) == (False, [])
    manager.stop()
    assert Operator.promotes
