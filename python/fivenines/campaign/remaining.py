"""Estimate of a campaign's remaining time, from finished trials, or the expected duration."""

from collections.abc import Sequence


def seconds_left(
    total: int, done: int, expected: float, durations: Sequence[float], running: float, at_once: int = 1
) -> float | None:
    """Return the seconds until the end.

    Args:
        total: number of trials of the campaign.
        done: finished trials, complete or broken.
        expected: expected seconds of the whole campaign.
        durations: durations of complete trials.
        running: mean time for which current trials have run; 0 without any.
        at_once: number of parallel trials.

    Returns:
        None before the plan is known.
    """
    if not total:
        return None
    each = sum(durations) / len(durations) / at_once if durations else expected / total
    return max(0.0, (total - done) * each - min(running, each))
