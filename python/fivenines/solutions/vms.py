"""What the virtual machines of a solution's nodes are like, where nobody says it."""

from collections.abc import Mapping

from fivenines.errors import FiveninesError
from fivenines.lab.vm import Machine
from fivenines.servers.base import Server, Value
from fivenines.servers.mariadb.server import Mariadb
from fivenines.servers.mysql_family.server import POOL
from fivenines.software.base import Engine, Family
from fivenines.software.store import engine
from fivenines.software.uml_kernel import UmlKernel

KERNEL = UmlKernel.name

_MEMORY: dict[Family, int] = {"mysql": 768 * 2**20}
"""MySQL 9.7 with its performance schema and a pool of 128 MB takes half of this."""

_OF_OTHERS = 448 * 2**20

BEARS: dict[Family, float] = {"postgresql": 0.25}
"""Seconds between two fresh connections: PostgreSQL starts a process for each, which takes a virtual machine 40 ms."""

BEARS_OTHERS = 0.05


def for_vms(node: Server, given: Mapping[str, Value]) -> dict[str, Value]:
    """Settings that a server needs in a virtual machine, beside those that are given to it."""
    if not isinstance(node, Mariadb):
        return {}
    # it would reserve 8 TB of addresses, which such a kernel has not
    return {"innodb_buffer_pool_size_max": given.get("innodb_buffer_pool_size", POOL)}


def vm_machine(memory: int | None, of: Engine, data: int, *, mounted: bool = True) -> Machine:
    """The machine of a node with this engine and so many bytes of data.

    Raises:
        FiveninesError: its kernel was not pulled.
    """
    kernel = engine(KERNEL)
    assert isinstance(kernel, UmlKernel)
    if not kernel.status().installed:
        raise FiveninesError(f"virtual machines need a kernel: run `fivenines engines pull {KERNEL}`")
    return Machine(
        memory=memory or _MEMORY.get(of.family, _OF_OTHERS),
        # logs of the server, and what the load adds; the image is sparse
        disk=2 * data + 2 * 2**30,
        kernel=kernel.tree,
        mounted=mounted,
    )
