"""Pacemaker's configuration as XML."""

from collections.abc import Mapping
from xml.etree import ElementTree as Xml

from fivenines.failover.managers.pacemaker.cib import Operation, Resource, first_cib, with_resources

NODES = {"node1": "10.99.0.11", "node2": "10.99.0.12"}
NAMES = ["node1", "node2", "node3"]
DATABASE = Resource(
    "p_mariadb",
    "mariadb",
    {"binary": "/usr/sbin/mariadbd"},
    [
        Operation("start", 60.0),
        Operation("monitor", 10.0, 2.5, "Promoted"),
        Operation("monitor", 10.0, 3.0, "Unpromoted"),
    ],
    {"migration-threshold": "1"},
)
ADDRESS = Resource("p_address", "IPaddr2", {"ip": "10.99.0.250"}, [Operation("start", 20.0)], {})


def _values(parent: Xml.Element | None) -> Mapping[str, str]:
    assert parent is not None
    return {str(one.get("name")): str(one.get("value")) for one in parent.iter("nvpair")}


def test_the_first_cib_has_nodes_and_primary_and_no_resource() -> None:
    cib = Xml.fromstring(first_cib({"stonith-enabled": "false"}, NODES, "node2"))
    assert _values(cib.find(".//crm_config")) == {
        "stonith-enabled": "false",
        "p_mariadb_REPL_INFO": "10.99.0.12",
    }
    nodes = list(cib.iterfind("configuration/nodes/node"))
    assert [(one.get("id"), one.get("uname")) for one in nodes] == [("1", "node1"), ("2", "node2")]
    assert _values(nodes[0]) == {"p_mariadb_mysql_master_IP": "10.99.0.11"}
    resources = cib.find("configuration/resources")
    assert resources is not None and len(resources) == 0


def test_the_database_is_a_promotable_clone() -> None:
    part = Xml.fromstring(with_resources(DATABASE, [], NAMES))
    clone = part.find("resources/clone")
    assert clone is not None
    meta = _values(clone.find("meta_attributes"))
    assert (meta["promotable"], meta["notify"], meta["clone-max"]) == ("true", "true", "3")
    operations = [
        (one.get("name"), one.get("interval"), one.get("timeout"), one.get("role"))
        for one in clone.iter("op")
    ]
    assert operations == [
        ("start", "0ms", "60000ms", None),
        ("monitor", "2500ms", "10000ms", "Promoted"),
        ("monitor", "3000ms", "10000ms", "Unpromoted"),
    ]
    assert part.find("resources/primitive") is None
    constraints = part.find("constraints")
    assert constraints is not None and len(constraints) == 0


def test_the_address_follows_the_promoted_node() -> None:
    part = Xml.fromstring(with_resources(DATABASE, [ADDRESS], NAMES))
    together, order = part.find("constraints/rsc_colocation"), part.find("constraints/rsc_order")
    assert together is not None and order is not None
    assert (together.get("rsc"), together.get("with-rsc")) == ("p_address", "ms_mariadb")
    assert together.get("with-rsc-role") == "Promoted"
    assert (order.get("first-action"), order.get("then")) == ("promote", "p_address")


def test_a_fence_agent_may_end_every_node() -> None:
    part = Xml.fromstring(with_resources(DATABASE, [], NAMES, "fence_x"))
    assert _values(part.find("crm_config")) == {"stonith-enabled": "true", "stonith-action": "off"}
    switch = part.find("resources/primitive[@class='stonith']")
    assert switch is not None and switch.get("type") == "fence_x"
    assert _values(switch)["pcmk_host_list"] == "node1 node2 node3"
    without = Xml.fromstring(with_resources(DATABASE, [], NAMES))
    assert without.find("crm_config") is None


def test_ids_are_unique() -> None:
    for text in (
        with_resources(DATABASE, [ADDRESS], NAMES, "fence_x"),
        first_cib({"a": "b"}, NODES, "node1"),
    ):
        found = [one.get("id") for one in Xml.fromstring(text).iter() if one.get("id")]
        assert len(found) == len(set(found))
