"""Rules removed from security groups are written to a file, and restored."""

import json
from pathlib import Path
from typing import Any

import pytest

from fivenines.base import paths
from fivenines.base.errors import FiveninesError
from fivenines.solutions.aurora.aws import cuts
from fivenines.solutions.aurora.aws.api import Access

RULE = {"IpProtocol": "tcp", "FromPort": 3306, "ToPort": 3306, "IpRanges": [{"CidrIp": "10.0.0.0/8"}]}


class Groups:
    """Security groups by name."""

    access = Access()
    region = "eu-central-1"

    def __init__(self, stuck: str = "") -> None:
        self.there: dict[str, list[dict[str, Any]]] = {"sg-1": [RULE], "sg-2": [RULE], "sg-3": []}
        self.stuck = stuck

    def rules(self, group: str, _port: int) -> list[dict[str, Any]]:
        return list(self.there[group])

    def revoke(self, group: str, rules: list[dict[str, Any]]) -> None:
        if group == self.stuck:
            raise FiveninesError("may not")
        assert list(paths.cache().glob("aws/*.json")), "it must be written down before"
        self.there[group] = [one for one in self.there[group] if one not in rules]

    def give_back(self, group: str, rules: list[dict[str, Any]]) -> None:
        self.there[group] += [one for one in rules if one not in self.there[group]]


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FIVENINES_CACHE", str(tmp_path))


def test_rules_are_removed_and_restored() -> None:
    api = Groups()
    made = cuts.cut(api, ("sg-1", "sg-2", "sg-3"), 3306)  # type: ignore[arg-type]
    assert api.there == {"sg-1": [], "sg-2": [], "sg-3": []}
    assert list(cuts.unhealed()) == []  # this process is alive, and will
    cuts.heal(api, made)  # type: ignore[arg-type]
    assert api.there == {"sg-1": [RULE], "sg-2": [RULE], "sg-3": []}
    assert not made.file.exists()


def test_an_incomplete_cut_is_undone() -> None:
    api = Groups(stuck="sg-2")
    with pytest.raises(FiveninesError, match="may not"):
        cuts.cut(api, ("sg-1", "sg-2"), 3306)  # type: ignore[arg-type]
    assert api.there["sg-1"] == [RULE] and not list(paths.cache().glob("aws/*.json"))


def test_a_cluster_without_admitting_rules_cannot_be_cut_off() -> None:
    with pytest.raises(FiveninesError, match="no rule of sg-3 admits port 3306"):
        cuts.cut(Groups(), ("sg-3",), 3306)  # type: ignore[arg-type]


def test_rules_removed_by_a_killed_run_are_listed() -> None:
    api = Groups()
    made = cuts.cut(api, ("sg-1",), 3306)  # type: ignore[arg-type]
    content = json.loads(made.file.read_text())
    made.file.write_text(json.dumps({**content, "pid": 2**22 + 1}))
    (one,) = cuts.unhealed()
    assert one.access == Access("eu-central-1") and one.rules == {"sg-1": [RULE]}
    cuts.heal(api, one)  # type: ignore[arg-type]
    assert api.there["sg-1"] == [RULE] and list(cuts.unhealed()) == []


def test_rules_for_more_than_the_port_are_not_removed() -> None:
    api = Groups()
    for wide in ({"IpProtocol": "-1"}, {**RULE, "FromPort": 0, "ToPort": 65535}):
        api.there["sg-1"] = [wide]
        with pytest.raises(FiveninesError, match="a rule of sg-1 admits more than port 3306"):
            cuts.cut(api, ("sg-1",), 3306)  # type: ignore[arg-type]
        assert api.there["sg-1"] == [wide] and not list(paths.cache().glob("aws/*"))


def test_a_reused_process_id_hides_no_cut() -> None:
    made = cuts.cut(Groups(), ("sg-1",), 3306)  # type: ignore[arg-type]
    content = json.loads(made.file.read_text())
    made.file.write_text(json.dumps({**content, "born": "another boot 1"}))
    assert [one.rules for one in cuts.unhealed()] == [{"sg-1": [RULE]}]
