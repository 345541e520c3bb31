"""Errors for users: one clear message each, never a traceback.

Exit codes: 2 for a wrong command line or experiment file, 1 for a failure at run time.
"""


class FiveninesError(Exception):
    """A failure; the message says what is wrong, where, and what to do. Exit code 1."""

    exit_code = 1


class UsageError(FiveninesError):
    """The command line or the experiment file is wrong. Exit code 2."""

    exit_code = 2


class NoSpaceError(FiveninesError):
    """A disk is full, so that nothing can continue. Exit code 1."""


def brief(error: BaseException) -> str:
    """Return the message of an error in one line, or else its type."""
    message = " ".join(str(error).split())
    return message[:300] or type(error).__name__
