"""Endpoints of a virtual address."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from fivenines.failover.proxies.virtual_address import VirtualAddress, VirtualAddressSettings
from fivenines.servers.cluster.endpoints import Endpoints


def _layer(give: Callable[[str], None] = print) -> VirtualAddress:
    host = SimpleNamespace(addresses=SimpleNamespace(give=give))
    behind: Any = SimpleNamespace(
        lab=SimpleNamespace(virtual_address="10.99.0.250"),
        nodes=[SimpleNamespace(name="node1", port=3306, host=host)],
        endpoints=lambda: Endpoints(("10.99.0.11:3306",), ("10.99.0.12:3306",), "writable", "first"),
    )
    return VirtualAddress(VirtualAddressSettings(kind="virtual-address"), behind)


def test_clients_write_to_the_address_and_read_from_the_nodes() -> None:
    found = _layer().endpoints()
    assert found.write == ("10.99.0.250:3306",)
    assert found.read == ("10.99.0.12:3306",)
    assert (found.find, found.spread) == ("any", "first")


def test_the_first_node_gets_the_address() -> None:
    given: list[str] = []
    _layer(given.append).start()
    assert given == ["10.99.0.250"]
