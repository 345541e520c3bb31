"""Defaults for the virtual machines of a solution's nodes."""

from collections.abc import Mapping

from fivenines.lab.vm.machine import Machine
from fivenines.servers.base import Server, Value
from fivenines.servers.mariadb.server import Mariadb
from fivenines.servers.mysql_family.setup import POOL
from fivenines.software.base import Engine, Family
from fivenines.software.engines.uml_kernel import UmlKernel
from fivenines.software.store import engine

KERNEL = UmlKernel.name

# MySQL 9.7 with its performance schema and a pool of 128 MB uses half of this.
_MEMORY: dict[Family, int] = {"mysql": 768 * 2**20}

_OF_OTHERS = 448 * 2**20

# Seconds between new connections: PostgreSQL starts a process for each, which takes a virtual machine 40 ms.
BEARS: dict[Family, float] = {"postgresql": 0.25}

BEARS_OTHERS = 0.05


def for_vms(node: Server, given: Mapping[str, Value]) -> dict[str, Value]:
    """Return settings that a server needs in a virtual machine, in addition to `given`."""
    if not isinstance(node, Mariadb):
        return {}
    # Its default reserves 8 TB of addresses, which such a kernel does not have.
    return {"innodb_buffer_pool_size_max": given.get("innodb_buffer_pool_size", POOL)}


def vm_machine(memory: int | None, of: Engine, data: int, *, mounted: bool = True) -> Machine:
    """Return the virtual machine of a node with this engine and `data` bytes of data."""
    kernel = engine(KERNEL)
    assert isinstance(kernel, UmlKernel)
    return Machine(
        memory=memory or _MEMORY.get(of.family, _OF_OTHERS),
        # Logs of the server, and data that the load adds; the image is sparse.
        disk=2 * data + 2 * 2**30,
        kernel=kernel.tree,
        mounted=mounted,
    )
