"""How long a campaign still takes: what trials took so far, else what was expected."""

from collections.abc import Sequence


def seconds_left(
    total: int, done: int, expected: float, durations: Sequence[float], running: float, at_once: int = 1
) -> float | None:
    """Return seconds until the end.

    Args:
        total: trials to be done, all together.
        done: those that are over, for good or ill.
        expected: seconds that all together were expected to take.
        durations: of those that were complete.
        running: for how long the trials under way run, on average; 0 if none does.
        at_once: so many run side by side.

    Returns:
        None before it is known what is to be done.
    """
    if not total:
        return None
    each = sum(durations) / len(durations) / at_once if durations else expected / total
    return max(0.0, (total - done) * each - min(running, each))
