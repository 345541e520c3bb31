"""How often the same experiment, repeated, gives the same recommendation: simulated with planted truths.

Run as a program, this file prints the table of docs/explanation/statistics.md.
"""

import math
import random
from collections import Counter
from dataclasses import dataclass, replace

import pytest

from fivenines.analysis.decision.candidates import Candidate
from fivenines.analysis.decision.comparing import Comparer
from fivenines.analysis.decision.decide import decide_among
from fivenines.analysis.decision.judging import _share
from fivenines.analysis.measured import Draws
from fivenines.analysis.measures.condition import parse_requirement
from fivenines.analysis.measures.decide import DecideSettings
from fivenines.analysis.measures.measures import Measure
from fivenines.analysis.statistics.means import Difference, at_confidence, compare, summarise
from fivenines.report.sentences.headline import broken_promises

TRIALS, ROUNDS = 3, 36
AT = ("w", 8, "lan", "kill", "")
LOST = parse_requirement("lost = 0")


@dataclass(frozen=True)
class Truth:
    """What is true of `a`; the truth of `b` is 1, never loses a row, and promises that.

    Attributes:
        faster: ratio of its throughput to that of b.
        outage: ratio of its outages to those of b.
        loses: probability that a failover loses rows.
        may_lose: what its manual says.
    """

    faster: float = 1.0
    outage: float = 1.0
    loses: float = 0.0
    may_lose: str = ""


TRUTHS = {
    "equal": Truth(),
    "2 % faster": Truth(faster=1.02),
    "15 % faster": Truth(faster=1.15),
    "loses rows in 5 % of failovers, by design": Truth(1.1, loses=0.05, may_lose="asynchronous"),
    "loses rows in 20 % of failovers, by design": Truth(1.1, loses=0.2, may_lose="asynchronous"),
    "loses rows in 60 % of failovers, by design": Truth(1.1, loses=0.6, may_lose="asynchronous"),
    "loses rows in 5 % of failovers, against its design": Truth(loses=0.05),
    "loses rows in 20 % of failovers, against its design": Truth(loses=0.2),
    "loses rows in 60 % of failovers, against its design": Truth(loses=0.6),
}


def verdict(truth: Truth, rng: random.Random) -> str:
    """Return the verdict on one simulated quickstart: a, b, inconclusive, or a broken promise."""
    candidates = [_candidate("a", truth, rng), _candidate("b", Truth(), rng)]
    by_name = {one.name: one for one in candidates}
    # Rounds of an interleaved comparison vary by 10 %.
    logs = [rng.gauss(math.log(truth.faster), 0.1) for _ in range(ROUNDS)]

    def compared(measure: Measure) -> Comparer:
        def against(one: str, other: str, level: float) -> Difference:
            if measure.name == "tps":
                return _ratio(logs if one == "a" else [-log for log in logs], level)
            samples = [at_confidence(by_name[name].values[measure.name][AT], level) for name in (one, other)]
            return compare(*samples)

        return Comparer(against, measure.name == "tps")

    decision = decide_among(candidates, DecideSettings(), compared, {})
    if broken_promises(decision):
        return "broken promise"
    return decision.best[0] if len(decision.best) == 1 else "inconclusive"


def _candidate(name: str, truth: Truth, rng: random.Random) -> Candidate:
    # An outage begins at a random phase of a check of 500 ms.
    outages = [truth.outage * (600 + 500 * rng.random()) for _ in range(TRIALS)]
    latencies = [20 * math.exp(rng.gauss(0, 0.2)) for _ in range(TRIALS)]
    draws = [(float(rng.random() < truth.loses), False) for _ in range(TRIALS)]
    hits = sum(hit > 0 for hit, _ in draws)
    judged = _share(LOST, Draws(draws, TRIALS), "")
    if truth.may_lose:
        judged = replace(judged, status="missed", design=truth.may_lose)
    elif hits:
        judged = replace(judged, broken=("0001",))
    values = {
        "tps": {AT: summarise([1000 * truth.faster] * TRIALS)},
        "outage_writes": {AT: summarise(outages)},
        "latency_p99": {AT: summarise(latencies)},
    }
    return Candidate(name, name, [judged], values, TRIALS)


def _ratio(logs: list[float], level: float) -> Difference:
    log = summarise(logs, level)
    mean, low, high = (math.exp(value or 0.0) for value in (log.mean, log.ci_low, log.ci_high))
    a, b = summarise([mean] * 2), summarise([1.0] * 2)
    return Difference(a, b, mean - 1, low - 1, high - 1, len(logs) - 1, mean, low, high, level)


def shares(truth: Truth, runs: int, seed: int = 1) -> dict[str, float]:
    """Return the share of simulated runs with each verdict, the commonest first."""
    rng = random.Random(seed)
    found = Counter(verdict(truth, rng) for _ in range(runs))
    return {word: n / runs for word, n in found.most_common()}


@pytest.mark.parametrize(
    ("truth", "word"),
    [
        ("equal", "inconclusive"),
        ("2 % faster", "inconclusive"),
        ("15 % faster", "a"),
        ("loses rows in 5 % of failovers, by design", "b"),
        ("loses rows in 60 % of failovers, by design", "b"),
    ],
)
def test_the_same_experiment_gives_the_same_verdict_19_times_in_20(truth: str, word: str) -> None:
    assert shares(TRUTHS[truth], 200).get(word, 0.0) >= 0.95


def test_a_broken_promise_is_found_as_often_as_its_trials_show_it() -> None:
    for loses in (0.05, 0.2, 0.6):
        expected = 1 - (1 - loses) ** TRIALS
        assert shares(Truth(loses=loses), 300).get("broken promise", 0.0) == pytest.approx(expected, abs=0.08)


if __name__ == "__main__":
    for text, planted in TRUTHS.items():
        words = (f"{word} {100 * share:.1f} %" for word, share in shares(planted, 4000).items())
        print(f"| {text} | {', '.join(words)} |")
