"""The true best stays in the set, and candidates shown to be worse are excluded."""

import random
from collections.abc import Mapping, Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from fivenines.analysis.decision.best_set import best_set
from fivenines.analysis.statistics.means import Difference, compare, summarise


def _against(samples: Mapping[str, Sequence[float]], bounds: dict[str, int] | None = None):  # type: ignore[no-untyped-def]
    def against(a: str, b: str, level: float) -> Difference:
        one, other = (summarise(samples[name], level, (bounds or {}).get(name, 0)) for name in (a, b))
        return compare(one, other)

    return against


def test_who_is_far_behind_is_out_and_by_whom() -> None:
    samples = {"quick": [100, 101, 102], "slow": [50, 51, 52], "close": [99, 103, 101]}
    result = best_set(list(samples), _against(samples), more=True)
    assert result.kept == ["quick", "close"]
    assert list(result.out) == ["slow"] and result.out["slow"][0] in ("quick", "close")


def test_of_times_the_shorter_is_better() -> None:
    samples = {"long": [50, 51, 52], "short": [10, 11, 12]}
    assert best_set(list(samples), _against(samples), more=False).kept == ["short"]


def test_a_single_trial_tells_nothing() -> None:
    samples = {"a": [1.0], "b": [1000.0]}
    assert best_set(list(samples), _against(samples), more=True).kept == ["a", "b"]


def test_a_lower_bound_of_an_outage_can_lose_and_never_win() -> None:
    samples = {"never back": [9000.0, 9001, 9002], "back": [4000.0, 4001, 4002]}
    bounds = {"never back": 3}
    result = best_set(list(samples), _against(samples, bounds), more=False)
    assert result.kept == ["back"]
    turned = {"never back": [4000.0, 4001, 4002], "back": [9000.0, 9001, 9002]}
    result = best_set(list(turned), _against(turned, bounds), more=False)
    assert result.kept == ["never back", "back"]


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 6), st.integers(2, 8))
def test_the_truly_best_is_kept_about_as_often_as_promised(seed: int, k: int, n: int) -> None:
    rng = random.Random(seed)
    kept = 0
    for _ in range(60):
        # all are equally good, so that any of them may be called the best: the hardest case
        samples = {str(i): [rng.gauss(100, 5) for _ in range(n)] for i in range(k)}
        kept += "0" in best_set(list(samples), _against(samples), more=True).kept
    # 95 % are promised; below 50 of 60 has a chance of 1 in 10,000
    assert kept >= 50
