"""Where clients find a virtual address."""

from types import SimpleNamespace
from typing import Any

import pytest

from fivenines.access import virtual_address
from fivenines.access.virtual_address import VirtualAddress, VirtualAddressSettings
from fivenines.cluster.endpoints import Endpoints


def _layer() -> VirtualAddress:
    host = SimpleNamespace(pid=12)
    behind: Any = SimpleNamespace(
        nodes=[SimpleNamespace(name="node1", port=3306, host=host)],
        endpoints=lambda: Endpoints(
            ("10.99.0.11:3306",), ("10.99.0.12:3306",), "writable", "first"
        ),
    )
    return VirtualAddress(VirtualAddressSettings(kind="virtual-address"), behind)


def test_clients_write_to_the_address_and_read_from_the_nodes() -> None:
    found = _layer().endpoints()
    assert found.write == ("10.99.0.250:3306",)
    assert found.read == ("10.99.0.12:3306",)
    assert (found.find, found.spread) == ("any", "first")


def test_the_first_node_gets_it(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Any] = []
    monkeypatch.setattr(
        virtual_address.network, "give_address", lambda *arguments: given.append(arguments)
    )
    _layer().start()
    assert given == [(12, "10.99.0.250")]
