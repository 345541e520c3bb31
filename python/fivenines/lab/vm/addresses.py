"""Add addresses to a virtual machine."""

from fivenines.lab.hosts.addresses import HostAddresses
from fivenines.lab.hosts.commands import HostCommands
from fivenines.lab.hosts.power import HostPower
from fivenines.lab.network import network

_KEEP_ONLY = """
ip -4 -o addr show dev "$1" | while read -r _ _ _ address _; do
  [ "$address" = "$2" ] || ip addr del "$address" dev "$1"
done
"""


class VmAddresses(HostAddresses):
    """The further addresses of a virtual machine.

    Args:
        own: its first address.
        commands: its commands.
        power: its power.
    """

    def __init__(self, own: str, commands: HostCommands, power: HostPower) -> None:
        super().__init__()
        self._own, self._commands, self._power = own, commands, power

    def give(self, extra: str) -> None:
        self._commands.run(["ip", "addr", "add", f"{extra}/24", "dev", network.DEVICE])
        self.extra.append(extra)

    def keep_only_own(self) -> None:
        if self._power.is_on:
            self._commands.run(["sh", "-c", _KEEP_ONLY, "sh", network.DEVICE, f"{self._own}/24"])
