"""Pacemaker's configuration as XML (the CIB): properties, nodes, a promotable clone and its followers.

Source: "Pacemaker Explained" 2.1 (ClusterLabs), and the meta data of ocf:heartbeat:mariadb and IPaddr2.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as Xml

# The database on one node.
DATABASE = "p_mariadb"

# The database on all nodes, promoted on one.
CLONE = "ms_mariadb"

# Several resources that start one after another where the clone is promoted.
GROUP = "g_followers"

# The address that clients use.
ADDRESS = "p_address"

# The fence device.
SWITCH = "p_switch"

# The set of properties that Pacemaker reads first.
PROPERTIES = "cib-bootstrap-options"


@dataclass(frozen=True)
class Operation:
    """An operation on a resource; `interval` and `timeout` in seconds, 0: not repeated."""

    name: str
    timeout: float
    interval: float = 0.0
    role: str = ""
    # What a failure leads to; empty: Pacemaker's default for this operation.
    on_fail: str = ""


@dataclass(frozen=True)
class Resource:
    """A resource of the class ocf."""

    name: str
    agent: str
    parameters: Mapping[str, str]
    operations: Iterable[Operation]
    meta: Mapping[str, str]
    provider: str = "heartbeat"


def first_cib(properties: Mapping[str, str], nodes: Mapping[str, str], primary: str = "") -> str:
    """Return the CIB that all nodes start with: properties and nodes (address by name), no resources.

    With a primary, MariaDB's agent finds the addresses for replication in attributes of the nodes, and the
    address of the primary in a separate property.
    """
    cib = Xml.Element(
        "cib", {"validate-with": "pacemaker-3.8", "admin_epoch": "0", "epoch": "1", "num_updates": "0"}
    )
    configuration = Xml.SubElement(cib, "configuration")
    options = Xml.SubElement(configuration, "crm_config")
    _values(options, "cluster_property_set", PROPERTIES, properties)
    if primary:
        known = {f"{DATABASE}_REPL_INFO": nodes[primary]}
        _values(options, "cluster_property_set", "mysql_replication", known)
    listed = Xml.SubElement(configuration, "nodes")
    for number, (name, address) in enumerate(nodes.items(), start=1):
        node = Xml.SubElement(listed, "node", id=str(number), uname=name)
        if primary:
            attributes = {f"{DATABASE}_mysql_master_IP": address}
            _values(node, "instance_attributes", f"nodes-{number}", attributes)
    Xml.SubElement(configuration, "resources")
    Xml.SubElement(configuration, "constraints")
    Xml.SubElement(cib, "status")
    return _text(cib)


def with_resources(
    cloned: Resource,
    followers: Sequence[Resource],
    nodes: Sequence[str],
    fence_agent: str = "",
    *,
    clone: str = CLONE,
    prefer: str = "",
    never: str = "",
    stickiness: int = 0,
) -> str:
    """Return the configuration of a promotable clone and of the resources that follow it.

    Args:
        cloned: runs on all nodes, and is promoted on one.
        followers: run where it is promoted, started one after another.
        nodes: their names.
        fence_agent: ends nodes; empty: no fencing.
        clone: name of the clone.
        never: a further node that only votes.
        prefer: the node that is promoted by default.
        stickiness: the score with which resources stay where they are.
    """
    configuration = Xml.Element("configuration")
    if fence_agent:
        options = Xml.SubElement(configuration, "crm_config")
        fencing = {"stonith-enabled": "true", "stonith-action": "off"}
        _values(options, "cluster_property_set", PROPERTIES, fencing)
    if stickiness:
        defaults = Xml.SubElement(configuration, "rsc_defaults")
        stays = {"resource-stickiness": str(stickiness)}
        _values(defaults, "meta_attributes", "rsc-defaults", stays)
    resources = Xml.SubElement(configuration, "resources")
    constraints = Xml.SubElement(configuration, "constraints")
    holder = Xml.SubElement(resources, "clone", id=clone)
    _primitive(holder, cloned)
    meta = {
        "promotable": "true",
        "notify": "true",
        "interleave": "true",
        "promoted-max": "1",
        "clone-max": str(len(nodes)),
    }
    _values(holder, "meta_attributes", f"{clone}-meta", meta)
    if followers:
        _follow(resources, constraints, followers, clone)
    if prefer:
        _prefer(constraints, clone, prefer)
    if never:
        for name in (clone, *(each.name for each in followers)):
            _never(constraints, name, never)
    if fence_agent:
        switch = Xml.SubElement(
            resources, "primitive", {"id": SWITCH, "class": "stonith", "type": fence_agent}
        )
        known = {"pcmk_host_list": " ".join(nodes), "pcmk_host_check": "static-list"}
        _values(switch, "instance_attributes", f"{SWITCH}-parameters", known)
    return _text(configuration)


def _follow(
    resources: Xml.Element, constraints: Xml.Element, followers: Sequence[Resource], clone: str
) -> None:
    if len(followers) == 1:
        parent, name = resources, followers[0].name
    else:
        parent, name = Xml.SubElement(resources, "group", id=GROUP), GROUP
    for follower in followers:
        _primitive(parent, follower)
    Xml.SubElement(
        constraints,
        "rsc_colocation",
        {
            "id": f"{name}-with-promoted",
            "score": "INFINITY",
            "rsc": name,
            "with-rsc": clone,
            "with-rsc-role": "Promoted",
        },
    )
    Xml.SubElement(
        constraints,
        "rsc_order",
        {
            "id": f"promote-then-{name}",
            "kind": "Mandatory",
            "first": clone,
            "first-action": "promote",
            "then": name,
            "then-action": "start",
        },
    )


def _prefer(constraints: Xml.Element, clone: str, node: str) -> None:
    location = Xml.SubElement(constraints, "rsc_location", {"id": f"{clone}-begins", "rsc": clone})
    rule = Xml.SubElement(location, "rule", {"id": f"{clone}-begins-rule", "score": "1", "role": "Promoted"})
    Xml.SubElement(
        rule,
        "expression",
        {"id": f"{clone}-begins-node", "attribute": "#uname", "operation": "eq", "value": node},
    )


def _never(constraints: Xml.Element, resource: str, node: str) -> None:
    # The monitor must not look for it there, either.
    Xml.SubElement(
        constraints,
        "rsc_location",
        {
            "id": f"{resource}-never",
            "rsc": resource,
            "node": node,
            "score": "-INFINITY",
            "resource-discovery": "never",
        },
    )


def _primitive(parent: Xml.Element, resource: Resource) -> None:
    primitive = Xml.SubElement(
        parent,
        "primitive",
        {"id": resource.name, "class": "ocf", "provider": resource.provider, "type": resource.agent},
    )
    _values(primitive, "instance_attributes", f"{resource.name}-parameters", resource.parameters)
    if resource.meta:
        _values(primitive, "meta_attributes", f"{resource.name}-meta", resource.meta)
    operations = Xml.SubElement(primitive, "operations")
    for operation in resource.operations:
        described = {
            "id": f"{resource.name}-{operation.name}{operation.role}",
            "name": operation.name,
            "interval": milliseconds(operation.interval),
            "timeout": milliseconds(operation.timeout),
        }
        more = {"role": operation.role, "on-fail": operation.on_fail}
        Xml.SubElement(operations, "op", described | {key: text for key, text in more.items() if text})


def _values(parent: Xml.Element, tag: str, name: str, values: Mapping[str, str]) -> None:
    group = Xml.SubElement(parent, tag, id=name)
    for key, value in values.items():
        Xml.SubElement(group, "nvpair", id=f"{name}-{key}", name=key, value=value)


def _text(element: Xml.Element) -> str:
    """Return an element and what it contains, a line for each: users read it, too."""
    Xml.indent(element)
    return Xml.tostring(element, encoding="unicode") + "\n"


def milliseconds(seconds: float) -> str:
    """Format a time for Pacemaker."""
    return f"{round(seconds * 1000)}ms"
