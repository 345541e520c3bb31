"""`inject`: what it asks of the playground, and what it shows."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from fivenines.cli import inject
from fivenines.cli.inject import wanted_fault
from fivenines.errors import UsageError

RECORD = {
    "kind": "kill", "node": "node1", "nodes": ["node1"], "role": "primary", "verified": True,
    "detail": "SIGKILL", "ended_verified": True, "ended_detail": "", "rejoined": True,
    "rejoin_detail": "",
}  # fmt: skip


class Injected:
    def __init__(self, over: bool, events: list[Any], **record: Any) -> None:
        self.over, self.events, self.records = over, events, [{**RECORD, **record}]


def _event(t: float, kind: str) -> dict[str, Any]:
    return {"t": t, "kind": kind, "node": "node1", "detail": "so"}


@pytest.fixture
def playground(
    pretend: Callable[..., ModuleType], monkeypatch: pytest.MonkeyPatch
) -> dict[str, Any]:
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
        "fivenines.playground",
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
        "kill of node1: node1 back",
    ]


def test_ctrl_c_ends_the_fault_and_waits_for_the_nodes(fivenines: Any, playground: Any) -> None:
    struck = _event(80, "fault")
    playground["answers"] = [
        Injected(False, [struck]), KeyboardInterrupt, Injected(True, [struck])
    ]  # fmt: skip
    answer = fivenines("inject", "freeze")
    assert answer.code == 0
    assert playground["asked"][1:] == ["heal"]
    assert answer.out.count("fault") == 1


@pytest.mark.parametrize(
    ("record", "words"),
    [
        ({"verified": False}, "not seen to take effect: SIGKILL"),
        ({"ended_verified": False, "ended_detail": "it goes on"}, "not seen to end: it goes on"),
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


def test_healing_from_elsewhere(fivenines: Any, playground: Any) -> None:
    playground["answers"] = [Injected(True, [])]
    assert fivenines("inject", "--heal").code == 0
    playground["healed"] = []
    answer = fivenines("inject", "--heal")
    assert (answer.code, "no fault is at work" in answer.err) == (2, True)


def test_the_list_has_every_fault_and_what_it_does(fivenines: Any) -> None:
    answer = fivenines("inject", "--list")
    assert answer.code == 0
    assert "stalled-replica" in answer.out
    assert "power loss of a whole host" in answer.out
    assert "nothing is broken" not in answer.out


def test_a_fault_by_hand_lasts_until_it_is_ended() -> None:
    assert (wanted_fault("freeze", None, [], None).lasts or 0) > 86400
    assert wanted_fault("freeze", None, ["duration=2s"], None).lasts == 2.0
    assert wanted_fault("freeze", None, [], "7s").lasts == 7.0
    # what cannot stay for ever has its usual end
    assert wanted_fault("long-transaction", None, [], None).lasts == 5.0
    cut = wanted_fault("partition", "replica", ["peers=[node1]", "direction=in"], None)
    assert (cut.peers, cut.direction) == (["node1"], "in")  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("kil", None, [], None), "did you mean 'kill'"),
        (("kill", "majorty", [], None), "found 'majorty'"),
        (("kill", None, ["duration=1s"], None), "unknown key 'duration'"),
        (("degrade", None, [], None), "it degrades nothing"),
        (("sequence", None, ["steps=[{fault: kill}]"], "3s"), "no duration of its own"),
    ],
)
def test_mistakes_are_told(arguments: tuple[Any, ...], words: str) -> None:
    with pytest.raises(UsageError) as refused:
        wanted_fault(*arguments)
    assert words in str(refused.value)


def test_which_fault_is_meant_must_be_said(fivenines: Any) -> None:
    answer = fivenines("inject")
    assert (answer.code, "which fault?" in answer.err) == (2, True)
