"""Compare the interval of a ratio by blocks with that by separate trials, in the same time on this machine.

    .venv/bin/python tests/bench/interleaved_narrowness.py [--repeats N] [--out DIR]

A solution is compared with itself, so the true ratio is 1: an interval without it is a false alarm. Each
repeat is a campaign by trials (`--trials` per side) and one by blocks (`--blocks` of `--rounds` rounds),
which take about the same time; the remaining difference is corrected by the square root of the time.
"""

import argparse
import json
import math
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from fivenines.analysis.cells import analyse
from fivenines.analysis.performance.interleaved import THROUGHPUT, interleaved_results
from fivenines.analysis.statistics.means import compare
from fivenines.campaign.campaign import run_campaign
from fivenines.experiment.interleaved_plan import blocks
from fivenines.experiment.plan import plan
from fivenines.experiment.source import parse_experiment
from fivenines.results.store import open_run
from fivenines.trial.progress import silent

SAME = """\
name: narrowness
seed: {seed}
solutions:
  - {{solution: hot-standby, name: a, engine: postgres-18, standbys: 1, synchronous_commit: local}}
  - {{solution: hot-standby, name: b, engine: postgres-18, standbys: 1, synchronous_commit: local}}
workloads: [{{workload: oltp_read_write, table_size: 50000, distribution: uniform}}]
ledger: {{rate: 0}}
"""
TRIALS = "trials: {trials}\ntiming: {{warmup: 2s, steady: {steady:g}s}}\n"
BLOCK = (
    "design: interleaved\ninterleaved: {{blocks: {blocks}, rounds: {rounds}, window: 500ms, skip: 150ms}}\n"
    "timing: {{warmup: 1s}}\n"
)


@dataclass(frozen=True)
class Found:
    """Record the ratio of a solution to itself, with its interval and its duration in seconds."""

    ratio: float
    low: float
    high: float
    seconds: float

    @property
    def width(self) -> float:
        """Return half the interval on the logarithmic scale; an unknown end counts as a factor of 10."""
        return math.log(self.high / self.low) / 2

    @property
    def alarm(self) -> bool:
        return not self.low <= 1 <= self.high


def by_trials(folder: Path, seed: int, trials: int, steady: float) -> Found:
    """Return Welch's and Fieller's interval from separate trials."""
    seconds = _campaign(folder, SAME.format(seed=seed) + TRIALS.format(trials=trials, steady=steady))
    a, b = sorted(analyse(open_run(folder)), key=lambda cell: cell.key.solution)
    difference = compare(a.tps, b.tps)
    ratio = difference.ratio or 1.0
    low, high = difference.ratio_low, difference.ratio_high
    known = low is not None and high is not None and low > 0
    return Found(ratio, *((low, high) if known else (ratio / 10, ratio * 10)), seconds)  # type: ignore[arg-type]


def by_interleaving(folder: Path, seed: int, many: int, rounds: int) -> Found:
    """Return the interval from adjacent windows."""
    seconds = _campaign(folder, SAME.format(seed=seed) + BLOCK.format(blocks=many, rounds=rounds))
    (result,) = interleaved_results(open_run(folder))
    ratio = result.pairs[0].ratios[THROUGHPUT]
    assert ratio.low is not None and ratio.high is not None
    return Found(ratio.ratio, ratio.low, ratio.high, seconds)


def _campaign(folder: Path, text: str) -> float:
    experiment = parse_experiment(text, "narrowness.yaml")
    begun = time.monotonic()
    run_campaign(experiment, text, [*blocks(experiment), *plan(experiment)], folder, False, silent)
    return time.monotonic() - begun


def _line(name: str, one: Found) -> str:
    alarm = "  FALSE ALARM" if one.alarm else ""
    return (
        f"{name:7} {one.ratio:.3f} ({one.low:.3f} to {one.high:.3f})  +-{100 * one.width:.1f} %"
        f"  {one.seconds:.0f} s{alarm}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--trials", type=int, default=5, help="of each side, in one repeat")
    parser.add_argument("--steady", type=float, default=6.0, help="measured seconds of a trial")
    parser.add_argument("--blocks", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--out", type=Path, help="keep the runs here")
    given = parser.parse_args()
    trials, blocks = [], []
    with TemporaryDirectory() as scratch:
        out = given.out or Path(scratch)
        for seed in range(1, given.repeats + 1):
            trials.append(by_trials(out / f"trials-{seed}", seed, given.trials, given.steady))
            blocks.append(by_interleaving(out / f"block-{seed}", seed, given.blocks, given.rounds))
            print(_line("trials", trials[-1]), _line("interleaved", blocks[-1]), sep="\n", flush=True)
    # An interval narrows with the square root of its measuring time.
    at_equal_time = [
        one.width / (two.width * math.sqrt(two.seconds / one.seconds))
        for one, two in zip(trials, blocks, strict=True)
    ]
    print(
        json.dumps(
            {
                "repeats": given.repeats,
                "narrower_at_equal_time": round(median(at_equal_time), 2),
                "half_width_trials": round(median(one.width for one in trials), 4),
                "half_width_interleaved": round(median(one.width for one in blocks), 4),
                "seconds_trials": round(median(one.seconds for one in trials)),
                "seconds_interleaved": round(median(one.seconds for one in blocks)),
                "false_alarms_trials": sum(one.alarm for one in trials),
                "false_alarms_interleaved": sum(one.alarm for one in blocks),
            }
        )
    )


if __name__ == "__main__":
    main()
