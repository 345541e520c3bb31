"""Test changes of members' states: each is written once, and states without a reporter are unknown."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from fivenines.experiment.sections.observe import ObserveSettings
from fivenines.trial.observers.member_states import MemberStateObserver


def _observer(folder: Path) -> MemberStateObserver:
    deployed: Any = SimpleNamespace(solution=SimpleNamespace(parts=[]))
    observer = MemberStateObserver(deployed, folder, ObserveSettings())
    assert not observer.wanted
    observer.start(0)
    # two that tell, the first one first
    observer._reported.update({"management1": {}, "management2": {}})
    return observer


def _rows(folder: Path) -> list[list[str]]:
    header, *rows = (folder / "members.csv").read_text().splitlines()
    assert header == "t_us,node,state"
    return [row.split(",") for row in rows]


def test_only_changes_are_written(tmp_path: Path) -> None:
    observer = _observer(tmp_path)
    observer.hear("management1", {"data1": "started", "data2": "started"}, 10)
    observer.hear("management2", {"data1": "started", "data2": "not connected"}, 20)
    observer.hear("management1", {"data1": "started", "data2": "starting 1"}, 30)
    observer.stop()
    assert _rows(tmp_path) == [
        ["10", "data1", "started"],
        ["10", "data2", "started"],
        ["30", "data2", "starting 1"],
    ]


def test_where_the_first_does_not_answer_the_next_is_believed(tmp_path: Path) -> None:
    observer = _observer(tmp_path)
    observer.hear("management1", {"data1": "started"}, 10)
    observer.hear("management2", {"data1": "not connected"}, 20)
    observer.hear("management1", {}, 30)
    observer.hear("management2", {}, 40)
    observer.stop()
    assert [row[::2] for row in _rows(tmp_path)] == [
        ["10", "started"],
        ["30", "not connected"],
        ["40", "not known"],
    ]
