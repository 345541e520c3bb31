"""The place of a host in a lab on this machine: its namespaces, and its port in the lab's network."""

from typing import NoReturn, Protocol

from fivenines.base.errors import FiveninesError


class HostNamespaces(Protocol):
    """The namespaces of a host."""

    @property
    def pid(self) -> int:
        """Return the PID of the host's first process, as seen from outside.

        Raises:
            FiveninesError: the host has no first process on this machine.
        """

    def end(self) -> None:
        """End the namespaces and all processes in them."""


class HostPort(Protocol):
    """The port of a host in the network of a lab on this machine."""

    def ear(self, lab: int) -> tuple[int, str]:
        """Return where to capture frames that reach the host: PID of the network namespace, and device.

        Raises:
            FiveninesError: the host has no port on this machine.
        """

    def knocking(self, frame: bytes, seconds: float) -> list[str]:
        """Return the command line that sends a frame from the host repeatedly, for `seconds`.

        Raises:
            FiveninesError: the host has no port on this machine.
        """


class LabPort(HostPort, Protocol):
    """A port that a lab on this machine can connect to its network."""

    def plug_in(self, lab: int, index: int, site: int, bandwidth: int | None) -> None:
        """Connect the host to its site's bridge, see `network.plug_in`.

        Raises:
            FiveninesError: this kind of host cannot have a limited bandwidth.
        """


class Elsewhere:
    """The missing namespaces and port of a host that no lab on this machine contains.

    Args:
        reason: why the host has none; the message of every error.
    """

    def __init__(self, reason: str) -> None:
        self._reason = reason

    @property
    def pid(self) -> int:
        """Raise: the host has no first process here.

        Raises:
            FiveninesError: always.
        """
        self._refuse()

    def ear(self, lab: int) -> tuple[int, str]:
        """Raise: the host has no port here.

        Raises:
            FiveninesError: always.
        """
        self._refuse()

    def knocking(self, frame: bytes, seconds: float) -> list[str]:
        """Raise: the host has no port here.

        Raises:
            FiveninesError: always.
        """
        self._refuse()

    def end(self) -> None:
        """Do nothing: the caller that starts a process of this host ends it."""

    def _refuse(self) -> NoReturn:
        raise FiveninesError(self._reason)
