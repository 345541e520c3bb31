"""Parse the cluster status of `crm_mon --output-as=xml` (Pacemaker 2.1, its schema crm_mon.rng)."""

from xml.etree import ElementTree as Xml


def online(status: Xml.Element) -> set[str]:
    """Return the nodes that are online; none without a leader or a quorum."""
    leader = status.find("summary/current_dc")
    if leader is None or (leader.get("present"), leader.get("with_quorum")) != ("true", "true"):
        return set()
    return {
        str(node.get("name"))
        for node in status.iterfind("nodes/node")
        if (node.get("online"), node.get("pending")) == ("true", "false")
    }


def places(status: Xml.Element) -> set[tuple[str, str]]:
    """Return where resources run and in which role, as (node, role)."""
    return {
        (str(place.get("name")), str(resource.get("role")))
        for resource in status.iter("resource")
        for place in resource.iterfind("node")
    }


def running(status: Xml.Element) -> dict[str, str]:
    """Return the node on which each resource has started, by resource name, without clones."""
    return {
        str(resource.get("id")): str(place.get("name"))
        for resource in status.iter("resource")
        for place in resource.iterfind("node")
        if resource.get("role") == "Started"
    }


def failures(status: Xml.Element, node: str) -> str:
    """Return the failed operations on a node that were not cleared, in words."""
    return "; ".join(
        f"{failure.get('op_key')}: {failure.get('exitstatus')}, {failure.get('exitreason')}"
        for failure in status.iterfind("failures/failure")
        if failure.get("node") == node
    )
