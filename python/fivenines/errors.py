"""The errors that a user meets: one clear message each, never a traceback.

Exit codes: 2 for a mistake in what was asked (usage, experiment file), 1 for a failure while doing it.
"""


class FiveninesError(Exception):
    """Something failed; the message says what, where, and what to do. Exit code 1."""

    exit_code = 1


class UsageError(FiveninesError):
    """The command line or the experiment file asks for something impossible. Exit code 2."""

    exit_code = 2


class NoSpaceError(FiveninesError):
    """A disk is full: nothing can go on until somebody has made room. Exit code 1."""


class RenamedWarning(FutureWarning):
    """An experiment uses a word that has another name now; the message says where, and which."""


def brief(error: BaseException) -> str:
    """The message of an error in one line; its kind where there is no message."""
    said = " ".join(str(error).split())
    return said[:300] or type(error).__name__
