"""The clocks of all hosts of a lab."""

from fivenines.results.basics import ClockRecord


class LabClocks:
    """The clocks of hosts on this machine, which are ours.

    Attributes:
        differ: whether hosts have separate clocks.
    """

    differ = False

    def records(self) -> dict[str, ClockRecord]:
        """Return the offsets of the hosts' clocks from ours, if they have separate clocks."""
        return {}
