"""Convert times between the clocks of a host and ours."""

import time


class HostClock:
    """The clocks of a host on this machine, which are ours."""

    def our_moment(self, its_ns: int) -> int:
        """Convert the host's CLOCK_MONOTONIC to ours, in nanoseconds."""
        return its_ns

    def its_moment(self, our_ns: int) -> int:
        """Convert our CLOCK_MONOTONIC to the host's, in nanoseconds."""
        return our_ns

    def day_ahead_ns(self) -> int:
        """Return the host's wall clock, as in its logs, minus our CLOCK_MONOTONIC, in nanoseconds."""
        return time.time_ns() - time.monotonic_ns()
