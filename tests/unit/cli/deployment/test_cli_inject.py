"""`inject`: what it asks of the playground, and what it shows."""

import sys
from collections.abc import Callable
from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest

from fivenines.base.errors import UsageError
from fivenines.cli.deployment import clients, inject
from fivenines.cli.deployment.inject import fault_of
from fivenines.trial.manual.state import Clients, Rows

RECORD = {
    "kind": "kill",
    "node": "node1",
    "nodes": ["node1"],
    "role": "primary",
    "verified": True,
    "detail": "SIGKILL",
    "ended_verified": True,
    "ended_detail": "",
    "rejoined": True,
    "rejoin_detail": "",
}


class Injected:
    def __init__(self, over: bool, events: list[Any], moment: int | None = None, **record: Any) -> None:
        self.over, self.events, self.records = over, events, [{**RECORD, **record}]
        self.moment = moment


def _event(t: float, kind: str) -> dict[str, Any]:
    return {"t": t, "kind": kind, "node": "node1", "detail": "so"}


@pytest.fixture
def playground(pretend: Callable[..., ModuleType], monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A playground: `asked` is what it was asked, `answers` what it says of the fault."""
    state: dict[str, Any] = {"asked": [], "answers": [], "healed": [0]}
    monkeypatch.setattr(inject, "_LOOK", 0.0)

    def injected(number: int) -> Any:
        assert number == 0
        answer = state["answers"].pop(0)
        if isinstance(answer, type):
            raise answer
        return answer

    pretend(
        "fivenines.trial.manual",
        inject=lambda fault: state["asked"].append(fault) or 0,
        injected=injected,
        heal=lambda: state["asked"].append("heal") or state["healed"],
    )
    return state


def test_events_are_shown_once_and_then_the_end(fivenines: Any, playground: Any) -> None:
    struck, back = _event(80, "fault"), _event(5740, "rejoined")
    playground["answers"] = [Injected(False, [struck]), Injected(True, [struck, back])]
    answer = fivenines("inject", "kill", "--target", "replica", "--for", "3s")
    assert answer.code == 0
    (asked,) = playground["asked"]
    assert (asked["fault"], asked["target"], asked["restart_after"]) == ("kill", "replica", "3s")
    assert answer.out.splitlines() == [
        "    0.08 s  fault        node1 so",
        "    5.74 s  rejoined     node1 so",
        "kill of node1: node1 rejoined",
    ]


def test_ctrl_c_ends_the_fault_and_waits_for_the_nodes(fivenines: Any, playground: Any) -> None:
    struck = _event(80, "fault")
    playground["answers"] = [Injected(False, [struck]), KeyboardInterrupt, Injected(True, [struck])]
    answer = fivenines("inject", "freeze")
    assert answer.code == 0
    assert playground["asked"][1:] == ["heal"]
    assert answer.out.count("fault") == 1


@pytest.mark.parametrize(
    ("record", "words"),
    [
        ({"verified": False}, "no effect was observed: SIGKILL"),
        ({"ended_verified": False, "ended_detail": "it goes on"}, "its end was not observed: it goes on"),
        ({"rejoined": False, "rejoin_detail": "node1 is frozen"}, "node1 is frozen"),
    ],
)
def test_what_went_wrong_is_an_error(
    fivenines: Any, playground: Any, record: dict[str, Any], words: str
) -> None:
    playground["answers"] = [Injected(True, [], **record)]
    answer = fivenines("inject", "kill")
    assert answer.code == 1
    assert words in " ".join(answer.err.split())


AWAY = Clients(observed=1.0, noticed=True, outage=0.9, back=False, times=1)
BACK = Clients(observed=6.0, noticed=True, outage=1.31, back=True, times=1, returned=1.4, calm=4.6)


@pytest.fixture
def load(playground: Any, monkeypatch: pytest.MonkeyPatch) -> list[Clients]:
    """Answers about the clients of a load: one for each look, the last one also with their rows."""
    answers: list[Clients] = []
    monkeypatch.setattr(clients, "_LOOK", 0.0)

    def seen(moment: int, check: bool = False) -> Clients:
        assert moment == 77
        return answers[0] if len(answers) == 1 or check else answers.pop(0)

    sys.modules["fivenines.trial.manual"].clients = seen  # type: ignore[attr-defined]
    return answers


def test_what_clients_saw_is_reported_once_writes_are_back(
    fivenines: Any, playground: Any, load: list[Clients]
) -> None:
    playground["answers"] = [Injected(True, [], moment=77)]
    rows = Rows(3512, 2, 0, "node2")
    load += [AWAY, replace(BACK, calm=0.5), replace(BACK, rows=rows)]
    answer = fivenines("inject", "kill")
    assert answer.code == 0
    assert answer.out.splitlines() == [
        "kill of node1: node1 rejoined",
        "clients: writes unavailable for 1.31 s; available again after 1.40 s",
        "rows: none of 3,512 acknowledged rows is lost on node2; 2 in doubt",
    ]


def test_clients_are_reported_even_if_a_node_stays_unavailable(
    fivenines: Any, playground: Any, load: list[Clients]
) -> None:
    playground["answers"] = [Injected(True, [], moment=77, rejoined=False, rejoin_detail="frozen")]
    load += [replace(BACK, rows=Rows(10, 0, 3, "node2"))]
    answer = fivenines("inject", "kill")
    assert answer.code == 1 and "frozen" in answer.err
    assert "3 of 10 acknowledged rows are LOST on node2" in answer.out


def test_a_load_that_does_not_come_back_is_reported(
    fivenines: Any, playground: Any, load: list[Clients], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clients, "PATIENCE", 0.0)
    playground["answers"] = [Injected(True, [], moment=77)]
    load += [replace(AWAY, outage=61.2, rows=Rows(9, 0, None, "", "no node is writable"))]
    output = fivenines("inject", "kill").out
    assert "clients: writes unavailable for 61.20 s, not yet recovered" in output
    assert "inconclusive: no node is writable" in output


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (Clients(unknown="the load had just started"), "unknown: the load had just"),
        (Clients(back=True, outage=0.034), "no outage; the longest gap between two writes was 0.03"),
        (
            replace(BACK, times=2),
            "writes unavailable for 1.31 s (longest of 2 outages); available again after 1.40 s",
        ),
    ],
)
def test_what_clients_saw_in_words(found: Clients, words: str) -> None:
    assert words in clients.sentence(found)


def test_healing_from_elsewhere(fivenines: Any, playground: Any) -> None:
    playground["answers"] = [Injected(True, [])]
    assert fivenines("inject", "--heal").code == 0
    playground["healed"] = []
    answer = fivenines("inject", "--heal")
    assert (answer.code, "no fault is active" in answer.err) == (2, True)


def test_the_list_has_every_fault_and_what_it_does(fivenines: Any) -> None:
    answer = fivenines("inject", "--list")
    assert answer.code == 0
    assert "stalled-replica" in answer.out
    assert "kill all processes of a host; its page cache survives" in answer.out
    assert "nothing is broken" not in answer.out


def test_a_fault_by_hand_lasts_until_it_is_ended() -> None:
    assert (fault_of("freeze", None, [], None).lasts or 0) > 86400
    assert fault_of("freeze", None, ["duration=2s"], None).lasts == 2.0
    assert fault_of("freeze", None, [], "7s").lasts == 7.0
    # what cannot stay for ever has its usual end
    assert fault_of("long-transaction", None, [], None).lasts == 5.0
    cut = fault_of("partition", "replica", ["peers=[node1]", "direction=in"], None)
    assert (cut.peers, cut.direction) == (["node1"], "in")  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("kil", None, [], None), "did you mean 'kill'"),
        (("kill", "majorty", [], None), "found 'majorty'"),
        (("kill", None, ["duration=1s"], None), "unknown key 'duration'"),
        (("degrade", None, [], None), "it has no effect"),
        (("sequence", None, ["steps=[{fault: kill}]"], "3s"), "has no duration"),
    ],
)
def test_mistakes_are_reported(arguments: tuple[Any, ...], words: str) -> None:
    with pytest.raises(UsageError) as refused:
        fault_of(*arguments)
    assert words in str(refused.value)


def test_the_fault_must_be_named(fivenines: Any) -> None:
    answer = fivenines("inject")
    assert (answer.code, "name a fault" in answer.err) == (2, True)
