"""A custom failover manager: refused settings, and whether a failover is in progress."""

from typing import Any

import pytest

from fivenines.base.errors import UsageError
from fivenines.experiment.source import parse_experiment
from fivenines.failover.managers.program import ProgramManagerSettings
from fivenines.failover.programs.marks import goes_on
from fivenines.servers.cluster.events import ManagerEvent

_PROMOTED = {"says": "new leader (?P<node>.+)", "means": "promoted"}


def settings(**given: Any) -> ProgramManagerSettings:
    least = {"kind": "program", "command": ["sh"], "marks": [_PROMOTED], "ready": {"says": "watching"}}
    return ProgramManagerSettings.model_validate(least | given)


def test_the_required_settings_are_enough() -> None:
    least = settings()
    assert least.problems() == []
    assert (least.supervises, least.switches_over, least.watch_period) == (False, False, 0.0)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"marks": []}, "manager.marks: the new primary would be unknown"),
        (
            {"marks": [{"says": "x", "means": "promoted"}]},
            "manager.marks[0].says: the line must name the promoted node",
        ),
        ({"ready": {}}, "manager.ready: a fault must not come before it watches"),
        ({"ready": {"path": "/health", "says": "x"}}, "manager.ready: path needs port"),
        ({"files": {"a": "{{ nobody }}"}}, "manager.files.a: 'nobody' is undefined"),
        ({"command": ["x", "-p{{ manager.password }}"]}, "manager.command: every user of the machine"),
        ({"root": {"archive": "x.tar"}}, "manager.root: write the absolute path of x.tar"),
        ({"root": {}}, "manager.root: write the path of a folder, {image: …} or {archive: …}"),
        ({"switchover": ["x", "{{"]}, "manager.switchover: line 1: "),
        ({"root": "trees/mine"}, "manager.root: write the absolute path of trees/mine"),
    ],
)
def test_invalid_settings_are_reported_before_a_run(given: dict[str, Any], message: str) -> None:
    assert message in "\n".join(settings(**given).problems())


def test_a_failover_is_in_progress_from_its_decision_to_its_end() -> None:
    second = 10**9

    def events(*kinds: str) -> list[ManagerEvent]:
        return [ManagerEvent(number * second, kind) for number, kind in enumerate(kinds)]

    assert not goes_on([], second)
    assert not goes_on(events("missed", "missed"), 2 * second)
    assert goes_on(events("missed", "decided", "fenced"), 3 * second)
    assert not goes_on(events("decided", "promoted", "repointed"), 3 * second)
    assert not goes_on(events("decided", "failed"), 2 * second)
    # A failover without a logged end does not delay others for ever.
    assert not goes_on(events("decided"), 31 * second)


def test_only_one_may_promote() -> None:
    text = """\
name: two
workloads: [oltp_read_write]
solutions:
  - solution: hot-standby
    access: {{kind: program, command: [sh], write_port: 1, marks: [{{says: "(?P<node>.)", means: promoted}}]}}
    manager: {manager}
"""
    with pytest.raises(UsageError, match=r"write manager: \{kind: none\}"):
        parse_experiment(text.format(manager="{kind: operator}"), "mine.yaml")
    parse_experiment(text.format(manager="{kind: none}"), "mine.yaml")
    rejoining = (
        "{kind: program, command: [sh], rejoins: true, ready: {says: x}, "
        "marks: [{says: '(?P<node>.)', means: promoted}]}"
    )
    with pytest.raises(UsageError, match=r"manager\.rejoins: a former primary of PostgreSQL"):
        plain = text.format(manager=rejoining)
        parse_experiment(plain.replace("    access:", "    name: x #"), "mine.yaml")
