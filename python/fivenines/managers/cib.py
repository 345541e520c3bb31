"""Pacemaker's configuration as XML (the CIB): properties, nodes, the database as a promotable clone.

Source: "Pacemaker Explained" 2.1 (ClusterLabs), and the meta data of ocf:heartbeat:mariadb and IPaddr2.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as Xml

DATABASE = "p_mariadb"
"""The database on one node."""

CLONE = "ms_mariadb"
"""The database on all nodes, promoted on one."""

ADDRESS = "p_address"
"""The address that clients use."""

SWITCH = "p_switch"
"""What ends nodes."""

PROPERTIES = "cib-bootstrap-options"
"""The set of properties that Pacemaker reads first."""


@dataclass(frozen=True)
class Operation:
    """What is done to a resource; `interval` and `timeout` in seconds, 0: not repeated."""

    name: str
    timeout: float
    interval: float = 0.0
    role: str = ""
    on_fail: str = ""
    """What a failure leads to; empty: Pacemaker's own choice for this operation."""


@dataclass(frozen=True)
class Resource:
    """One resource of the class ocf:heartbeat."""

    name: str
    agent: str
    parameters: Mapping[str, str]
    operations: Iterable[Operation]
    meta: Mapping[str, str]


def first_cib(properties: Mapping[str, str], nodes: Mapping[str, str], primary: str) -> str:
    """The CIB that all nodes start with: properties and nodes (address by name), no resource yet.

    The agent finds the addresses for replication in attributes of the nodes, and that of the primary in a
    property of its own.
    """
    cib = Xml.Element("cib", {
        "validate-with": "pacemaker-3.8", "admin_epoch": "0", "epoch": "1", "num_updates": "0",
    })  # fmt: skip
    configuration = Xml.SubElement(cib, "configuration")
    options = Xml.SubElement(configuration, "crm_config")
    _values(options, "cluster_property_set", PROPERTIES, properties)
    known = {f"{DATABASE}_REPL_INFO": nodes[primary]}
    _values(options, "cluster_property_set", "mysql_replication", known)
    listed = Xml.SubElement(configuration, "nodes")
    for number, (name, address) in enumerate(nodes.items(), start=1):
        node = Xml.SubElement(listed, "node", id=str(number), uname=name)
        attributes = {f"{DATABASE}_mysql_master_IP": address}
        _values(node, "instance_attributes", f"nodes-{number}", attributes)
    Xml.SubElement(configuration, "resources")
    Xml.SubElement(configuration, "constraints")
    Xml.SubElement(cib, "status")
    return Xml.tostring(cib, encoding="unicode")


def with_resources(
    database: Resource, address: Resource | None, nodes: Sequence[str], fence_agent: str = ""
) -> str:
    """The part of the configuration that makes Pacemaker run the database, and the address beside it.

    With a fence agent also what it takes to end nodes by it.
    """
    configuration = Xml.Element("configuration")
    if fence_agent:
        options = Xml.SubElement(configuration, "crm_config")
        fencing = {"stonith-enabled": "true", "stonith-action": "off"}
        _values(options, "cluster_property_set", PROPERTIES, fencing)
    resources = Xml.SubElement(configuration, "resources")
    constraints = Xml.SubElement(configuration, "constraints")
    clone = Xml.SubElement(resources, "clone", id=CLONE)
    _primitive(clone, database)
    meta = {
        "promotable": "true", "notify": "true", "interleave": "true", "promoted-max": "1",
        "clone-max": str(len(nodes)),
    }  # fmt: skip
    _values(clone, "meta_attributes", f"{CLONE}-meta", meta)
    if address is not None:
        _primitive(resources, address)
        Xml.SubElement(constraints, "rsc_colocation", {
            "id": "address-with-primary", "score": "INFINITY", "rsc": address.name,
            "with-rsc": CLONE, "with-rsc-role": "Promoted",
        })  # fmt: skip
        Xml.SubElement(constraints, "rsc_order", {
            "id": "promote-then-address", "kind": "Mandatory", "first": CLONE,
            "first-action": "promote", "then": address.name, "then-action": "start",
        })  # fmt: skip
    if fence_agent:
        switch = Xml.SubElement(
            resources, "primitive", {"id": SWITCH, "class": "stonith", "type": fence_agent}
        )
        known = {"pcmk_host_list": " ".join(nodes), "pcmk_host_check": "static-list"}
        _values(switch, "instance_attributes", f"{SWITCH}-parameters", known)
    return Xml.tostring(configuration, encoding="unicode")


def _primitive(parent: Xml.Element, resource: Resource) -> None:
    primitive = Xml.SubElement(parent, "primitive", {
        "id": resource.name, "class": "ocf", "provider": "heartbeat", "type": resource.agent,
    })  # fmt: skip
    _values(primitive, "instance_attributes", f"{resource.name}-parameters", resource.parameters)
    if resource.meta:
        _values(primitive, "meta_attributes", f"{resource.name}-meta", resource.meta)
    operations = Xml.SubElement(primitive, "operations")
    for one in resource.operations:
        described = {
            "id": f"{resource.name}-{one.name}{one.role}", "name": one.name,
            "interval": milliseconds(one.interval), "timeout": milliseconds(one.timeout),
        }  # fmt: skip
        more = {"role": one.role, "on-fail": one.on_fail}
        Xml.SubElement(
            operations, "op", described | {key: text for key, text in more.items() if text}
        )


def _values(parent: Xml.Element, tag: str, name: str, values: Mapping[str, str]) -> None:
    group = Xml.SubElement(parent, tag, id=name)
    for key, value in values.items():
        Xml.SubElement(group, "nvpair", id=f"{name}-{key}", name=key, value=value)


def milliseconds(seconds: float) -> str:
    """A time as Pacemaker reads it."""
    return f"{round(seconds * 1000)}ms"
