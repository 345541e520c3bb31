"""Thresholds on ratios as people write them, and what is no threshold."""

import pytest

from fivenines.requirements.ratios import parse_ratio


def test_what_is_written_is_understood() -> None:
    one = parse_ratio("galera 3: outage_writes p95 <= 110%")
    assert (one.solution, one.measure.name, one.percentile) == ("galera 3", "outage_writes", 0.95)
    assert (one.relation, one.limit, one.below) == ("<=", 1.1, True)
    two = parse_ratio(" tps>=0.95 ")
    assert (two.solution, two.limit, two.below, two.text) == (None, 0.95, False, "tps>=0.95")


def test_of_what_has_no_better_direction_both_sides_are_thresholds() -> None:
    assert parse_ratio("host_cpu >= 0.5").below is False
    assert parse_ratio("counter:Com_commit/transaction <= 110%").below is True


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("tps <= 0.95", "nobody needs that: write >="),
        ("failover >= 1", "nobody needs that: write <="),
        ("lost = 0", "has no ratio"),
        ("hosts <= 1", "has no ratio"),
        ("outage_writes < 10s", "a multiple of the baseline"),
        ("tps", "a multiple of the baseline"),
        ("tpss >= 1", "did you mean 'tps'"),
        ("tps >= 0", "more than 0"),
        ("failover p0 <= 1", "no percentile"),
        ("", "no threshold on a ratio"),
    ],
)
def test_what_is_none_says_what_to_write(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        parse_ratio(text)
