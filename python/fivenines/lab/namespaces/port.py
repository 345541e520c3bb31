"""Connect a host to the network of the lab that it is in."""

from fivenines.base.core import core_binary
from fivenines.lab.hosts.place import HostNamespaces
from fivenines.lab.network import network


class NamespacePort:
    """The port of a host that is namespaces: a veth pair between the host and its site's bridge.

    Args:
        name: name of the host.
        namespaces: the namespaces of the host.
    """

    def __init__(self, name: str, namespaces: HostNamespaces) -> None:
        self._name, self._namespaces = name, namespaces

    def plug_in(self, lab: int, index: int, site: int, bandwidth: int | None) -> None:
        """Connect the host to its site's bridge, see `network.plug_in`."""
        network.plug_in(lab, self._namespaces.pid, self._name, index, site, bandwidth)

    def ear(self, lab: int) -> tuple[int, str]:
        """Return where to capture frames that reach the host: PID of the network namespace, and device."""
        return self._namespaces.pid, network.DEVICE

    def knocking(self, frame: bytes, seconds: float) -> list[str]:
        """Return the command line that sends a frame from the host repeatedly, for `seconds`."""
        knock = [str(core_binary()), "vm", "knock", "--device", network.DEVICE]
        into = network.into(self._namespaces.pid)
        return [*into, *knock, "--frame", frame.hex(), "--seconds", f"{seconds:g}"]
