"""What the virtual machines of a solution's nodes are like, where nobody says it."""

from fivenines.errors import FiveninesError
from fivenines.lab.guest import Machine
from fivenines.software.base import Engine, Family
from fivenines.software.store import engine
from fivenines.software.uml_kernel import UmlKernel

KERNEL = UmlKernel.name

_MEMORY: dict[Family, int] = {"mysql": 768 * 2**20}
"""MySQL 9.7 with its performance schema and a pool of 128 MB takes half of this."""

_OF_OTHERS = 448 * 2**20

LEAST = 256 * 2**20
"""Bytes of memory with which a kernel and a server can be started at all."""


def guest_machine(memory: int | None, of: Engine, data: int, *, mounted: bool = True) -> Machine:
    """The machine of a node with this engine and so many bytes of data.

    Raises:
        FiveninesError: its kernel was not pulled.
    """
    kernel = engine(KERNEL)
    assert isinstance(kernel, UmlKernel)
    if not kernel.status().installed:
        raise FiveninesError(f"guests need a kernel: run `fivenines engines pull {KERNEL}`")
    return Machine(
        memory=memory or _MEMORY.get(of.family, _OF_OTHERS),
        # logs of the server, and what the load adds; the image is sparse
        disk=2 * data + 2 * 2**30,
        kernel=kernel.tree,
        mounted=mounted,
    )
