"""Models of hiccups: how often they occur and how long they last."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.analysis.availability.hiccups import parse_hiccups
from fivenines.base.lengths import parse_lengths
from fivenines.base.units import YEAR


@pytest.mark.parametrize(
    ("text", "per_year", "middle"),
    [
        ("freeze 4/month lognormal 2s..8s", 48.0, 4.0),
        ("partition 1/week uniform 1s..5s", YEAR / 604_800, 3.0),
        ("freeze 10 per year exponential 3s", 10.0, 3 * math.log(2)),
        ("freeze 2/day fixed 1500ms", 2 * YEAR / 86_400, 1.5),
        ("freeze 0.5/hour uniform 0.5s..1.5s", YEAR / 7200, 1.0),
    ],
)
def test_rates_and_lengths(text: str, per_year: float, middle: float) -> None:
    model = parse_hiccups(text)
    assert model.per_year == pytest.approx(per_year)
    assert np.median(model.lengths) == pytest.approx(middle, rel=0.01)
    assert set(model.rates(5, np.random.default_rng(1))) == {model.per_year}


def test_the_two_values_of_a_lognormal_distribution_contain_nine_tenths() -> None:
    lengths = parse_hiccups("freeze 1/day lognormal 2s..8s").lengths
    assert np.mean((lengths >= 2) & (lengths <= 8)) == pytest.approx(0.9, abs=0.002)
    assert np.mean(lengths < 2) == pytest.approx(0.05, abs=0.002)


@given(low=st.floats(0.01, 100), ratio=st.floats(1.001, 100), shape=st.sampled_from(["uniform", "lognormal"]))
def test_lengths_are_positive_and_ascending(low: float, ratio: float, shape: str) -> None:
    model = parse_hiccups(f"freeze 1/day {shape} {low:.6f}s..{low * ratio:.6f}s")
    assert model.lengths[0] > 0 and (np.diff(model.lengths) >= 0).all()
    shortest, longest = model.range()
    assert 0 < shortest < longest


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("freez 4/month fixed 2s", "did you mean 'freeze'?"),
        ("kill 4/month fixed 2s", "'kill' is not a fault that kills no server"),
        ("freeze 4/mon fixed 2s", "'mon' is not a period: write one of hour, day, week, month, year"),
        ("freeze 4/month fixed 2s..3s", "write fixed 3s"),
        ("freeze 4/month lognormal 2s", "write lognormal 2s..8s"),
        ("freeze 4/month lognorm 2s..3s", "did you mean 'lognormal'?"),
        ("freeze 4/month fixed 2", "write a number and a unit"),
        ("freeze 4/month fixed 0", "above 0"),
        ("freeze 4/month uniform 8s..2s", "write the shorter length first"),
        ("freeze 0/day fixed 1s", "the rate must be above 0"),
        ("freeze often", "is not a model of hiccups"),
        ("freeze from missing.csv", "missing.csv: No such file or directory"),
    ],
)
def test_wrong_models_are_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        parse_hiccups(text)
    assert message in str(caught.value)


def test_a_file_gives_lengths_and_rate(tmp_path: Path) -> None:
    file = tmp_path / "my stalls.csv"
    file.write_text(
        "host, Start ,length\n"
        "a,2026-11-01T00:00:00Z,2.5\n\n"
        "a,2026-11-11T00:00:00Z,500ms\n"
        "b,2026-11-21T00:00:00Z,1m\n"
    )
    model = parse_hiccups(f"freeze from {file}")
    assert list(model.lengths) == [0.5, 2.5, 60.0]
    # Two intervals in 20 days; the first and the last stall are the ends of that time.
    assert (model.events, model.seconds) == (2, 20 * 86_400)
    over = parse_hiccups(f"freeze from {file} over 90d")
    assert (over.events, over.seconds) == (3, 90 * 86_400)
    assert over.per_year == pytest.approx(3 * YEAR / (90 * 86_400))


def test_the_rate_of_a_file_is_uncertain(tmp_path: Path) -> None:
    file = tmp_path / "stalls.csv"
    file.write_text("start,length\n" + "".join(f"{day * 86_400},3\n" for day in range(11)))
    rates = parse_hiccups(f"freeze from {file}").rates(20_000, np.random.default_rng(1))
    low, high = np.quantile(rates, (0.025, 0.975))
    # The interval of a Poisson rate with 10 events in 10 days, by Jeffreys: 5.1 to 17.7.
    assert low / YEAR * 864_000 == pytest.approx(5.14, rel=0.05)
    assert high / YEAR * 864_000 == pytest.approx(17.7, rel=0.05)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "stalls.csv:1: the columns start and length are missing"),
        ("begin,length\n1,2\n2,2\n", "stalls.csv:1: the columns start and length are missing"),
        ("start,length\n1,abc\n", "stalls.csv:2: 'abc' is not a length"),
        ("start,length\n1,-2\n", "stalls.csv:2: '-2' is not a length"),
        ("start,length\n1,nan\n", "stalls.csv:2: 'nan' is not a length"),
        ("start,length\n1,2\nyesterday,2\n", "stalls.csv:3: 'yesterday' is not a moment"),
        ("start,length\n1,2\n2\n", "stalls.csv:3: 1 values, but 2 columns"),
        ("start;length\n1;2,5\n", "separate with commas"),
        ("start,length\n1764421200000,2500\n", "stalls.csv:2: 1764421200000 seconds are beyond"),
        ("start,length\n1,2\n", "it has 1 stalls; write at least 2"),
        ("start,length\n1,2\n1,2\n", "all stalls start at the same moment"),
    ],
)
def test_errors_in_a_file_have_its_line(content: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "stalls.csv"
    file.write_text(content)
    with pytest.raises(ValueError) as caught:
        parse_hiccups(f"freeze from {file}")
    assert message in str(caught.value)


def test_a_file_longer_than_its_time_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "stalls.csv"
    file.write_text("start,length\n0,2\n864000,2\n")
    with pytest.raises(ValueError) as caught:
        parse_hiccups(f"freeze from {file} over 9d")
    assert "its stalls span 10d, more than `over`" in str(caught.value)


def test_an_experiment_repeats_the_lengths_of_a_model(tmp_path: Path) -> None:
    assert parse_hiccups("freeze 4/month lognormal 2s..8s").shape == "lognormal 2s..8s"
    file = tmp_path / "stalls.csv"
    file.write_text("start,length\n0,1.5\n9,7\n90,2\n")
    assert parse_hiccups(f"freeze from {file}").shape == "one of 1.5s, 2s, 7s"
    # Of 2,000 stalls the longest remain: they decide about failovers.
    rows = "".join(f"{n},{n / 100}\n" for n in range(1, 2001))
    file.write_text(f"start,length\n{rows}")
    shape = parse_lengths(parse_hiccups(f"freeze from {file}").shape)
    assert len(shape.seconds) == 1000 and shape.longest == pytest.approx(20.0, abs=0.02)
    assert np.mean(shape.seconds) == pytest.approx(10.0, rel=0.01)
    file.write_text("start,length\n0,0.0001\n9,7\n")
    assert parse_lengths(parse_hiccups(f"freeze from {file}").shape).seconds[0] == 0.001
