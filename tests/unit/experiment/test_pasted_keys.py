"""Keys that users paste from files of other tools: the message names the key here."""

from pathlib import Path

import pytest

from fivenines.base.errors import UsageError
from fivenines.experiment import inventory
from fivenines.experiment.source import solution_from

MARIADB: dict[str, object] = {"solution": "replication", "engine": "mariadb-10.11", "mode": "after_sync"}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"solution": "patroni", "synchronous_mode": "quorum"},
            "write `mode: synchronous`; quorum commit is not",
        ),
        ({"solution": "patroni", "synchronous_mode_strict": True}, "write `mode: strict_synchronous`"),
        ({"solution": "patroni", "bootstrap": {"dcs": {"ttl": 30}}}, "as keys of the solution, with units"),
        ({"solution": "patroni", "postgresql": {"parameters": {}}}, "write its `parameters` under `server:`"),
        ({"solution": "patroni", "version": "4"}, "found '4', a text: write it without quotes"),
        ({"solution": "galera", "access": {"kind": "haproxy", "inter": "2s"}}, "write `interval`"),
        ({"solution": "galera", "access": {"kind": "haproxy", "on-marked-down": "x"}}, "`shutdown_sessions`"),
        ({**MARIADB, "manager": {"kind": "pacemaker", "stonith-enabled": True}}, "write `fence: true`"),
        ({**MARIADB, "manager": {"kind": "mha", "candidate_master": 1}}, "write `candidates: [node2]`"),
    ],
)
def test_keys_of_other_tools(given: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError) as refused:
        solution_from(given, "x")
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("all:\n  hosts: {db1: {ansible_host: 10.0.0.1}}\n", "an inventory of Ansible is not read"),
        ("hosts:\n  db1: {address: 10.0.0.1, ansible_user: me}\n", "write `user`"),
    ],
)
def test_an_inventory_of_ansible(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "hosts.yml"
    file.write_text(text)
    with pytest.raises(UsageError) as refused:
        inventory.read(file)
    assert message in str(refused.value)
