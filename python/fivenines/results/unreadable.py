"""Count of failed reads of a run's files.

A cache compares the count before and after a computation: a result that lacks an unreadable file must not be
stored as if it were complete.
"""

from fivenines.base.errors import FiveninesError

_times = 0


def times() -> int:
    """Return the number of failed reads in this process."""
    return _times


class UnreadableError(FiveninesError):
    """A file of a run is damaged or cannot be read."""

    def __init__(self, message: str) -> None:
        global _times  # noqa: PLW0603  (a count of the process)
        _times += 1
        super().__init__(message)
