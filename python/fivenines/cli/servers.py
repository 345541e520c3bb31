"""What commands for servers of a DSN share: the running deployment as the default, and durations."""

from fivenines.base.errors import UsageError
from fivenines.base.units import parse_duration


def dsn_of_deployment(command: str) -> str:
    """Return the DSN of the running deployment.

    Raises:
        UsageError: no deployment is running, or this machine cannot reach it; the message begins with the
            command.
    """
    from fivenines.trial import manual as playground  # noqa: PLC0415  (another server's DSN needs none)

    if not playground.is_up():
        raise UsageError(
            f"{command}: no server is named. Add --dsn URL (or set $FIVENINES_DSN), or deploy a solution "
            "with `fivenines up SOLUTION`"
        )
    login = playground.status().login
    if login is None:
        raise UsageError(f"{command}: this machine cannot connect to the running deployment. Add --dsn URL")
    return login.dsn


def duration(option: str, text: str) -> float:
    """Return an option's duration in seconds.

    Raises:
        UsageError: it is none.
    """
    try:
        return parse_duration(text)
    except ValueError as error:
        raise UsageError(f"{option}: {error}") from None


def above_zero(option: str, text: str, example: str) -> float:
    """Return an option's duration in seconds, which must be above 0; `example`: a duration that is.

    Raises:
        UsageError: it is none, or 0.
    """
    seconds = duration(option, text)
    if seconds <= 0:
        raise UsageError(f"{option} {text}: write a time above 0, as {example}")
    return seconds
