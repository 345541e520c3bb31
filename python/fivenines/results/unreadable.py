"""How often something of a run could not be read.

Who keeps what was made of files compares the number before and after: what lacks a file that could not be
read just then must not be kept in the place of the whole.
"""

from fivenines.errors import FiveninesError

_times = 0


def times() -> int:
    """Return how often, in this process so far."""
    return _times


class UnreadableError(FiveninesError):
    """A file of a run cannot be read: it is damaged, or something stood in the way."""

    def __init__(self, message: str) -> None:
        global _times  # noqa: PLW0603  (a count of the process)
        _times += 1
        super().__init__(message)
