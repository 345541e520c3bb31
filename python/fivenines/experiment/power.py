"""Before a run: how large a difference the planned trials and rounds can tell, in lines for a person."""

from dataclasses import dataclass

from fivenines.analysis import power
from fivenines.analysis.calibration import spreads
from fivenines.analysis.wording import count, listed, number, percent
from fivenines.experiment.interleaved_plan import groups
from fivenines.experiment.plan import tried
from fivenines.experiment.spec import Experiment
from fivenines.results.calibration import Calibration

# Assumed: the throughput of trials of one solution on a shared machine spreads by this share of its
# mean.
#
# Seen on two shared cores: 0.14 to 0.25 between trials of 5 to 10 s.
TRIALS = 0.20

# Assumed: the ratio of neighbouring windows of one solution spreads by this much.
#
# Seen on two cores of which nobody else took any: 0.07 between windows of 0.5 s; beside other work
# more.
ROUNDS = 0.10

_SHARES = (0.2, 0.1, 0.05)


@dataclass(frozen=True)
class Spread:
    """How much repetitions are taken to differ, as shares, and who says so."""

    trials: float = TRIALS
    rounds: float = ROUNDS
    source: str = "assumed; the report has what was seen"


def seen_spread(calibration: Calibration | None) -> Spread | None:
    """How much one solution differs from itself, by this machine's calibration; None: nobody looked."""
    seen = spreads(calibration)
    return Spread(*seen, source="as `fivenines calibrate` saw on this machine") if seen else None


def power_lines(experiment: Experiment, spread: Spread | None = None) -> list[str]:
    """What the plan can tell of throughput; [] where nothing is compared."""
    if len(experiment.solutions) < 2:
        return []
    known = spread or Spread()
    if experiment.design == "interleaved":
        return _by_rounds(experiment, known) if groups(experiment) else []
    return _by_trials(experiment, known) if tried(experiment) else []


def _by_trials(experiment: Experiment, spread: Spread) -> list[str]:
    n, cov = experiment.trials.at_most, spread.trials
    smallest = power.detectable_by_two(cov, n)
    wanted = [_for(share, power.trials_for(share, cov), "trial") for share in _SHARES]
    unit = f"trials of one solution differ by {percent(100 * cov)} %"
    most = "at most " if experiment.trials.until else ""
    side = f"{most}{count(n, 'trial')} a side"
    return [_told(side, smallest), f"{_wanted(wanted, unit, spread)}; `design: interleaved` needs far fewer"]


def _by_rounds(experiment: Experiment, spread: Spread) -> list[str]:
    n, sd = experiment.interleaved.blocks * experiment.interleaved.rounds, spread.rounds
    smallest = power.detectable_by_pairs(sd, n)
    wanted = [_for(share, power.pairs_for(share, sd), "round") for share in _SHARES]
    unit = f"ratios of rounds differ by {percent(100 * sd)} %"
    return [_told(count(n, "round"), smallest), _wanted(wanted, unit, spread)]


def _told(repetitions: str, smallest: float | None) -> str:
    if smallest is None:
        return f"power: {repetitions} tells no difference in throughput"
    return (
        f"power: {repetitions} tell a difference in throughput from {_share(smallest)} on (with a chance of "
        f"{100 * power.POWER:.0f} %)"
    )


def _wanted(wanted: list[str], unit: str, spread: Spread) -> str:
    return f"  {listed(wanted)}, where {unit} ({spread.source})"


def _for(share: float, n: int | None, unit: str) -> str:
    wanted = f"more than {number(power.MOST)} {unit}s" if n is None else count(n, unit)
    return f"{100 * share:.0f} % takes {wanted}"


def _share(share: float) -> str:
    return f"{percent(100 * share)} %" if share < 1 else f"a factor of {number(1 + share)}"
