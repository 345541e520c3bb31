"""Comparison of a solution with itself (A/A): the noise of this machine, and false alarms.

There are two kinds of noise. Between neighbouring windows of one load on one server: windows are assigned to
sides A and B at random, eight by eight, and compared by the statistics for two solutions. `design:
interleaved` has this noise. Between fresh servers, each with a separate load, as between trials of an
experiment: this noise hides differences between solutions that run one after the other.

A dozen comparisons detect frequent false alarms. They cannot distinguish 5 % from 15 %; tests of the
statistics with a thousand simulated campaigns do (tests/unit/analysis/test_coverage.py).
"""

import csv
import math
import random
from collections.abc import Sequence
from pathlib import Path

from fivenines.analysis.calibration import ROUND_SPREAD, TRIAL_SPREAD
from fivenines.analysis.statistics.means import Summary, compare, student_t, summarise
from fivenines.base.errors import FiveninesError
from fivenines.campaign.calibration.base import CalibrationContext, Calibrator
from fivenines.campaign.calibration.judging import judge_alarms, judge_noise
from fivenines.campaign.calibration.running import alone
from fivenines.campaign.calibration.trials import DATA
from fivenines.results.calibration import Line
from fivenines.results.layout import SLOT_MS

_WINDOW_MS = 400
# Windows per side in a comparison of windows.
_SIDE = 4

# Trials per side for which the noise between fresh servers is reported.
_TRIALS_OF_A_SIDE = 5

_WARM_UP = 1.0
_COMPARISONS = (12, 4)
# Values in full, and when short.
_SERVERS = (6, 3)

# Measured seconds of each fresh server.
_ONE_LOAD = 2.0

_WORKLOAD = f"workload: oltp_read_write, {DATA}"


class SameAgainstSame(Calibrator):
    """Plants no difference."""

    name = "same"
    title = "One solution against itself"
    order = 6
    seconds = (75.0, 30.0)

    def measure(self, context: CalibrationContext) -> list[Line]:
        number = _COMPARISONS[context.short]
        seconds = number * 2 * _SIDE * _WINDOW_MS / 1000
        context.tell(f"{number} comparisons of windows, {seconds:.0f} s of load")
        windows = _load(context, seconds, "windows")
        alarms, compared = false_alarms(windows, random.Random(context.seed))
        servers = []
        for item in range(_SERVERS[context.short]):
            context.tell(f"fresh server {item + 1} of {_SERVERS[context.short]}")
            servers.append(sum(_load(context, _ONE_LOAD, f"server{item}")))
        return [_of_windows(windows), judge_alarms(alarms, compared), _of_servers(servers)]


def false_alarms(windows: Sequence[float], chance: random.Random) -> tuple[int, int]:
    """Assign neighbouring windows to two sides and compare them; return shown differences and comparisons."""
    alarms = compared = 0
    for start in range(0, len(windows) - 2 * _SIDE + 1, 2 * _SIDE):
        dealt = list(windows[start : start + 2 * _SIDE])
        chance.shuffle(dealt)
        alarms += compare(summarise(dealt[:_SIDE]), summarise(dealt[_SIDE:])).differs
        compared += 1
    return alarms, compared


def noise_share(summary: Summary, side: int) -> float:
    """Return half of the 95 % interval of a difference between two sides of `side` values, as a share of the
    mean.
    """
    return student_t(2 * side - 2) * (summary.cov or 0.0) * math.sqrt(2 / side)


def neighbour_sd(windows: Sequence[float]) -> float:
    """Return the standard deviation of the logarithm of the ratio of two neighbouring windows.

    Each window is in one pair; pairs in which the load made no progress are left out.
    """
    pairs = zip(windows[::2], windows[1::2], strict=False)
    return summarise([math.log(a / b) for a, b in pairs if a and b]).sd or 0.0


def _of_windows(windows: Sequence[float]) -> Line:
    summary = _summary(windows)
    message = f"neighbouring windows of {_WINDOW_MS} ms, {_SIDE} of a side"
    half = noise_share(summary, _SIDE)
    ratio = {ROUND_SPREAD: round(neighbour_sd(windows), 5)}
    return judge_noise(message, f"{summary.n} windows", summary.cov or 0.0, half, **ratio)


def _of_servers(speeds: Sequence[float]) -> Line:
    summary = _summary(speeds)
    message = f"fresh servers, {_TRIALS_OF_A_SIDE} of a side"
    half, cov = noise_share(summary, _TRIALS_OF_A_SIDE), summary.cov or 0.0
    return judge_noise(message, f"{summary.n} servers", cov, half, **{TRIAL_SPREAD: round(cov, 5)})


def _summary(values: Sequence[float]) -> Summary:
    summary = summarise(values)
    if summary.cov is None:
        raise FiveninesError("no transaction of the load succeeded")
    return summary


def _load(context: CalibrationContext, seconds: float, name: str) -> list[float]:
    """Return the transactions of each window of a load on a fresh server, without the warm-up."""
    with alone(context, workload=_WORKLOAD) as item:
        out = context.folder / name
        item.load(_WARM_UP + seconds + _WINDOW_MS / 1000, out, context.seed)
        return windows_of(out / "timeline.csv", round(seconds * 1000))


def windows_of(timeline: Path, length_ms: int) -> list[float]:
    """Return the successful transactions of the load in each window after the warm-up."""
    first = round(_WARM_UP * 1000)
    result = [0.0] * (length_ms // _WINDOW_MS)
    with timeline.open(newline="") as stream:
        for row in csv.DictReader(stream):
            window = (int(row["slot_ms"]) - first) // _WINDOW_MS
            if row["source"] == "load" and 0 <= window < len(result):
                result[window] += int(row["transactions_ok"])
    assert _WINDOW_MS % SLOT_MS == 0
    return result
