"""Before a run: how large a difference the planned trials and rounds can tell, in lines for a person."""

from dataclasses import dataclass

from fivenines.analysis import power
from fivenines.analysis.wording import count, listed, number, percent
from fivenines.experiment.duet_plan import groups
from fivenines.experiment.plan import tried
from fivenines.experiment.spec import Experiment

TRIALS = 0.20
"""Assumed: the throughput of trials of one solution on a shared machine spreads by this share of its mean.

Seen on two shared cores: 0.14 to 0.25 between trials of 5 to 10 s.
"""

ROUNDS = 0.10
"""Assumed: the ratio of neighbouring windows of one solution spreads by this much.

Seen on two cores of which nobody else took any: 0.07 between windows of 0.5 s; beside other work more.
"""

_SHARES = (0.2, 0.1, 0.05)


@dataclass(frozen=True)
class Spread:
    """How much repetitions are taken to differ, and who says so."""

    trials: float = TRIALS
    rounds: float = ROUNDS
    source: str = "assumed, as nothing was measured here yet: the report has what was seen"


def power_lines(experiment: Experiment, spread: Spread | None = None) -> list[str]:
    """What the plan can tell of throughput; [] with one solution, as nothing is compared then."""
    if len(experiment.solutions) < 2:
        return []
    known = spread or Spread()
    if experiment.design == "duet":
        return [_by_rounds(experiment, known)] if groups(experiment) else []
    return [_by_trials(experiment, known)] if tried(experiment) else []


def _by_trials(experiment: Experiment, spread: Spread) -> str:
    n = experiment.trials
    smallest = power.detectable_by_two(spread.trials, n)
    wanted = [_for(share, power.trials_for(share, spread.trials), "trial") for share in _SHARES]
    head = (
        f"{count(n, 'trial')} a side tell a difference in throughput from {_share(smallest)} on"
        if smallest is not None
        else "one trial a side tells no difference"
    )
    return (
        f"{head}; {listed(wanted)} (chance {100 * power.POWER:.0f} %; trials of one solution taken to "
        f"differ by {percent(100 * spread.trials)} %: {spread.source}). design: duet tells smaller ones in "
        "the same time"
    )


def _by_rounds(experiment: Experiment, spread: Spread) -> str:
    rounds = experiment.duet.blocks * experiment.duet.rounds
    smallest = power.detectable_by_pairs(spread.rounds, rounds)
    wanted = [_for(share, power.pairs_for(share, spread.rounds), "round") for share in _SHARES]
    return (
        f"{count(rounds, 'round')} tell a difference in throughput from {_share(smallest)} on; "
        f"{listed(wanted)} (chance {100 * power.POWER:.0f} %; ratios of rounds taken to differ by "
        f"{percent(100 * spread.rounds)} %: {spread.source})"
    )


def _for(share: float, n: int | None, unit: str) -> str:
    wanted = f"more than {number(power.MOST)} {unit}s" if n is None else count(n, unit)
    return f"{percent(100 * share)} % takes {wanted}"


def _share(share: float | None) -> str:
    if share is None:
        return "nowhere"
    return f"{percent(100 * share)} %" if share < 1 else f"a factor of {number(1 + share)}"
