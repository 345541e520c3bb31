"""Convert times between the clocks of a host on another machine and ours."""

import time

from fivenines.base.errors import FiveninesError
from fivenines.lab.hosts.clock import HostClock
from fivenines.lab.ssh.clock import Clock
from fivenines.lab.ssh.hosts.service import HostService


class SshClock(HostClock):
    """The clocks of a host on another machine, whose offsets from ours are measured."""

    def __init__(self, service: HostService) -> None:
        self._service = service

    @property
    def measured(self) -> Clock:
        """Return the measured offsets of its clocks.

        Raises:
            FiveninesError: the host has not started.
        """
        if self._service.clock is None:
            raise FiveninesError(f"host {self._service.name} is not running")
        return self._service.clock

    def our_moment(self, its_ns: int) -> int:
        return self.measured.ours(its_ns)

    def its_moment(self, our_ns: int) -> int:
        return self.measured.theirs(our_ns)

    def day_ahead_ns(self) -> int:
        return self.measured.near(time.monotonic_ns()).day
