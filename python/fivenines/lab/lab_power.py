"""Switch hosts of a lab off and on."""

from collections.abc import Iterable

from fivenines.base.errors import FiveninesError


class LabPower:
    """The missing power of hosts that are no machines of their own: it refuses every use.

    Attributes:
        available: whether hosts are machines that `off` and `on` can switch.
    """

    available = False

    def off(self, names: Iterable[str]) -> bool:
        """Switch hosts off at once; return whether all are off.

        Raises:
            FiveninesError: the hosts cannot be switched off.
        """
        raise FiveninesError(_REFUSED)

    def on(self, names: Iterable[str]) -> None:
        """Switch hosts on; return when they can start programs.

        Raises:
            FiveninesError: the hosts cannot be switched off, or one did not start.
        """
        raise FiveninesError(_REFUSED)


_REFUSED = "these hosts are not machines that can be switched off"
