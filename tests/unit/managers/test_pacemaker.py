"""Pacemaker's settings: what makes no sense, and what a solution must be like."""

from typing import Any

import pytest

from fivenines.errors import UsageError
from fivenines.experiment import checks
from fivenines.experiment.source import load_experiment, parse_experiment, solution_from
from fivenines.lab import ids
from fivenines.solutions.deployed import engines_of, manager_kind

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
    wanted = {"mode": "after_sync", "manager": {"kind": "pacemaker"}, **given}
    return solution_from({"solution": "replication", **wanted}, "test")


def test_the_nodes_have_a_root_with_both_and_all_user_ids() -> None:
    kind = manager_kind(replication())
    assert kind is not None and kind.all_ids and kind.supervises
    assert [one.name for one in engines_of(replication())] == ["mariadb-10.11", "pacemaker-2.1"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"mode": "async"}, "write mode: after_sync$"),
        ({"mode": "after_commit", "durability": "relaxed"},
         "write mode: after_sync and durability: strict$"),
        ({"engine": "host-mariadb"}, "choose that engine$"),
        ({"manager": {"kind": "pacemaker", "monitor_promoted": "2s", "monitor_unpromoted": "2s"}},
         "one operation"),
        ({"manager": "operator", "access": "virtual-address"}, "the manager operator moves no address"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        replication(**given)


def test_a_virtual_address_needs_a_failover_manager() -> None:
    with pytest.raises(UsageError, match="failover is built in, and moves no address"):
        solution_from({"solution": "galera", "access": "virtual-address"}, "test")


def test_it_makes_switchovers_without_a_host_of_its_own() -> None:
    settings = replication(access="virtual-address")
    assert settings.switchover_problem() == ""
    assert settings.manager.host == ""


def test_who_is_not_root_is_told_with_the_line(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "x.yaml"
    file.write_text(FILE)
    monkeypatch.setattr(ids, "problem", lambda: "")
    assert load_experiment(file)[0].solutions[0].nodes == 3
    monkeypatch.setattr(ids, "problem", lambda: "only root may")
    with pytest.raises(UsageError) as refused:
        load_experiment(file)
    assert str(refused.value).startswith(
        f"{file}:8:14: solutions[0].manager: pacemaker changes users, so its lab needs all user ids, "
        "and only root may. Or choose another"
    )
    assert parse_experiment(FILE, "x.yaml"), "on paper it is right"
    assert checks.machine_problem(replication(manager="operator")) == ""
