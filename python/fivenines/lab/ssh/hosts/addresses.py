"""The addresses of a host on another machine, whose network is the machine's own."""

from fivenines.lab.hosts.addresses import HostAddresses
from fivenines.lab.ssh.hosts.service import HostService


class SshAddresses(HostAddresses):
    """Gives the machine further addresses, which programs on the host have no right to do.

    Args:
        service: the host there.
        own: the machine's own address.
    """

    by_request = True

    def __init__(self, service: HostService, own: str) -> None:
        super().__init__()
        self._service, self._own = service, own

    def give(self, extra: str) -> None:
        # Registered first: an address that stays on the machine would be a second one in its network.
        self._service.undo(extra, self._command("take", extra))
        self.extra = list(dict.fromkeys([*self.extra, extra]))
        self._service.connection.need(self._command("give", extra))

    def take(self, extra: str) -> None:
        self._service.connection.need(self._command("take", extra))
        self._service.undo(extra, [])
        self.extra = [one for one in self.extra if one != extra]

    def keep_only_own(self) -> None:
        for extra in list(self.extra):
            self.take(extra)

    def _command(self, what: str, extra: str) -> list[str]:
        return [self._service.core, "remote", "address", what, f"--address={extra}", f"--own={self._own}"]
