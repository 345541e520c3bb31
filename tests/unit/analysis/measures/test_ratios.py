"""Parse thresholds on ratios; errors say what to write instead."""

import pytest

from fivenines.analysis.measures.ratios import parse_ratio


def test_parse_thresholds() -> None:
    one = parse_ratio("galera 3: outage_writes p95 <= 110%")
    assert (one.solution, one.measure.name, one.percentile) == ("galera 3", "outage_writes", 0.95)
    assert (one.relation, one.limit, one.below) == ("<=", 1.1, True)
    two = parse_ratio(" tps>=0.95 ")
    assert (two.solution, two.limit, two.below, two.text) == (None, 0.95, False, "tps>=0.95")


def test_a_measure_without_a_better_direction_has_limits_on_both_sides() -> None:
    assert parse_ratio("host_cpu >= 0.5").below is False
    assert parse_ratio("counter:Com_commit/transaction <= 110%").below is True


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tps <= 0.95", "more of tps is better: write >="),
        ("failover >= 1", "less of failover is better: write <="),
        ("lost = 0", "has no ratio"),
        ("hosts <= 1", "has no ratio"),
        ("outage_writes < 10s", "a multiple of the baseline"),
        ("tps", "a multiple of the baseline"),
        ("tpss >= 1", "did you mean 'tps'"),
        ("tps >= 0", "more than 0"),
        ("failover p0 <= 1", "no percentile"),
        ("", "not a threshold on a ratio"),
    ],
)
def test_an_invalid_threshold_is_refused_with_advice(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_ratio(text)
