"""Which machine is which host."""

import pytest

from fivenines.base.errors import UsageError
from fivenines.lab.ssh.inventory import Inventory, LabSettings
from fivenines.lab.ssh.placement import Places

HOSTS = {
    "db1": {"address": "10.0.0.1", "role": "node", "site": "east"},
    "db2": {"address": "10.0.0.2", "role": "node", "site": "west"},
    "gen": {"address": "10.0.0.3", "role": "client"},
    "rest": {"address": "10.0.0.4"},
}


def inventory(**more: object) -> Inventory:
    return Inventory.model_validate({"hosts": HOSTS, **more})


def test_machines_of_a_role_come_first_and_then_those_for_any() -> None:
    in_use: set[str] = set()
    places = Places(inventory().hosts, in_use)
    assert [places.take(host) for host in ("node1", "client", "node2", "manager")] == [
        "db1",
        "gen",
        "db2",
        "rest",
    ]
    with pytest.raises(UsageError, match=r"no machine left for the host node3: .*`role: node`"):
        places.take("node3")
    assert in_use == {"10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4"}
    places.leave()
    assert not in_use


def test_places_hosts_only_in_their_site() -> None:
    places = Places(inventory().hosts, set())
    assert places.take("node1", "west") == "db2"
    with pytest.raises(UsageError, match="in the site west"):
        places.take("node2", "west")


def test_does_not_take_machines_in_use() -> None:
    assert Places(inventory().hosts, {"10.0.0.1"}).take("node1") == "db2"


def test_settings_of_a_machine_override_the_inventory() -> None:
    own = {**HOSTS, "db1": {**HOSTS["db1"], "user": "ann", "port": 2222}}
    found = Inventory.model_validate({"user": "root", "folder": "/srv/nines", "hosts": own})
    assert (found.machine("db1").user, found.machine("db1").port) == ("ann", 2222)
    assert (found.machine("db2").user, found.machine("db2").folder) == ("root", "/srv/nines")
    assert found.sites == ["east", "west"]


@pytest.mark.parametrize(
    ("hosts", "expected"),
    [
        ({"a": {"address": "10.0.0.1"}, "b": {"address": "10.0.0.1"}}, "a and b have the same address"),
        (
            {"a": {"address": "10.0.0.1", "power_off": "off"}},
            "set both `power_off` and `power_on`, or neither",
        ),
    ],
)
def test_reports_contradictions_of_an_inventory(hosts: dict[str, object], expected: str) -> None:
    (problem,) = Inventory.model_validate({"hosts": hosts}).problems()
    assert expected in problem


@pytest.mark.parametrize(
    ("settings", "expected"),
    [({"kind": "ssh"}, "needs an `inventory`"), ({"inventory": "x"}, "`inventory` needs `kind: ssh`")],
)
def test_a_lab_over_ssh_has_an_inventory(settings: dict[str, str], expected: str) -> None:
    (problem,) = LabSettings.model_validate(settings).problems()
    assert expected in problem
