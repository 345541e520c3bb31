"""Statistical power of a plan: the smallest difference in throughput that it can detect."""

from dataclasses import dataclass

from fivenines.analysis.calibration import spreads
from fivenines.analysis.statistics import power
from fivenines.analysis.wording import count, listed, number, percent
from fivenines.experiment.interleaved_plan import groups
from fivenines.experiment.plan import tried
from fivenines.experiment.spec import Experiment
from fivenines.results.calibration import Calibration

# Assumed coefficient of variation of throughput between trials of one solution on a shared machine.
# Measured on two shared cores: 0.14 to 0.25 between trials of 5 to 10 s.
TRIALS = 0.20

# Assumed standard deviation of the ratio of neighbouring windows of one solution.
# Measured on two otherwise idle cores: 0.07 between windows of 0.5 s; more on a busy machine.
ROUNDS = 0.10

_SHARES = (0.2, 0.1, 0.05)


@dataclass(frozen=True)
class Spread:
    """The variation between repetitions, as shares, and its source."""

    trials: float = TRIALS
    rounds: float = ROUNDS
    source: str = "assumed; the report has the measured value"


def seen_spread(calibration: Calibration | None) -> Spread | None:
    """Return the variation of one solution, from this machine's calibration; None without one."""
    seen = spreads(calibration)
    return Spread(*seen, source="measured by `fivenines calibrate` on this machine") if seen else None


def power_lines(experiment: Experiment, spread: Spread | None = None) -> list[str]:
    """Describe the detectable differences in throughput; empty if nothing is compared."""
    if len(experiment.solutions) < 2:
        return []
    known = spread or Spread()
    if experiment.design == "interleaved":
        return _by_rounds(experiment, known) if groups(experiment) else []
    return _by_trials(experiment, known) if tried(experiment) else []


def _by_trials(experiment: Experiment, spread: Spread) -> list[str]:
    n, cov = experiment.trials.at_most, spread.trials
    smallest = power.detectable_by_two(cov, n)
    needed = [_for(share, power.trials_for(share, cov), "trial") for share in _SHARES]
    unit = f"trials of one solution vary by {percent(100 * cov)} %"
    most = "at most " if experiment.trials.until else ""
    side = f"{most}{count(n, 'trial')} per solution"
    return [
        _detects(side, smallest),
        f"{_needs(needed, unit, spread)}; `design: interleaved` needs far fewer",
    ]


def _by_rounds(experiment: Experiment, spread: Spread) -> list[str]:
    n, sd = experiment.interleaved.blocks * experiment.interleaved.rounds, spread.rounds
    smallest = power.detectable_by_pairs(sd, n)
    needed = [_for(share, power.pairs_for(share, sd), "round") for share in _SHARES]
    unit = f"ratios of rounds vary by {percent(100 * sd)} %"
    return [_detects(count(n, "round"), smallest), _needs(needed, unit, spread)]


def _detects(repetitions: str, smallest: float | None) -> str:
    if smallest is None:
        return f"power: {repetitions} cannot detect a difference in throughput"
    return (
        f"power: {repetitions} can detect differences in throughput of {_share(smallest)} or more (with "
        f"{100 * power.POWER:.0f} % probability)"
    )


def _needs(needed: list[str], unit: str, spread: Spread) -> str:
    return f"  {listed(needed)}, if {unit} ({spread.source})"


def _for(share: float, n: int | None, unit: str) -> str:
    needed = f"more than {number(power.MOST)} {unit}s" if n is None else count(n, unit)
    return f"{100 * share:.0f} % takes {needed}"


def _share(share: float) -> str:
    return f"{percent(100 * share)} %" if share < 1 else f"a factor of {number(1 + share)}"
