"""Durations, sizes and rates: reading, writing, and the way from one to the other and back."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from fivenines.base import units


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("500ms", 0.5),
        ("10s", 10.0),
        ("1m30s", 90.0),
        ("1h 5m", 3900.0),
        ("90d", 7_776_000.0),
        ("1d12h", 129_600.0),
        ("2min", 120.0),
        (" 250 us ", 250e-6),
        ("0", 0.0),
        ("0.0", 0.0),
        ("1.5S", 1.5),
    ],
)
def test_durations_are_read(text: str, seconds: float) -> None:
    assert units.parse_duration(text) == pytest.approx(seconds, rel=1e-12)


@pytest.mark.parametrize(
    "text", ["", "5", "s", "5 parsecs", "-5s", "5s 3", "x5s", "1e3s", "٣s", "9" * 400 + "s"]
)
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a duration") as refused:
        units.parse_duration(text)
    assert str(refused.value) == (
        f"{text!r} is not a duration: write a number and a unit, as 500ms, 10s, 1m30s"
    )


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0s"),
        (0.5, "500ms"),
        (1.0, "1s"),
        (60.0, "1m"),
        (90.0, "90s"),
        (7200.0, "2h"),
        (7_776_000.0, "90d"),
        (0.00025, "250us"),
        (0.0326, "32.6ms"),
        (1.5, "1500ms"),
    ],
)
def test_durations_are_written_short(seconds: float, text: str) -> None:
    assert units.parse_duration(units.format_duration(seconds)) == seconds
    assert len(units.format_duration(seconds)) <= len(text)


@given(st.floats(min_value=0, max_value=1e12, allow_nan=False))
def test_durations_survive_the_way_to_text_and_back(seconds: float) -> None:
    assert units.parse_duration(units.format_duration(seconds)) == seconds


@given(st.integers(min_value=0, max_value=2**60))
def test_sizes_survive_the_way_to_text_and_back(size: int) -> None:
    assert units.parse_size(units.format_size(size)) == size


@given(st.integers(min_value=1, max_value=2**50))
def test_rates_survive_the_way_to_text_and_back(rate: int) -> None:
    assert units.parse_rate(units.format_rate(rate)) == rate


@given(st.text(max_size=12))
def test_any_text_is_read_or_refused_with_a_value_error(text: str) -> None:
    for parse in (units.parse_duration, units.parse_size, units.parse_rate):
        try:
            number = parse(text)
        except ValueError as refused:
            assert repr(text) in str(refused)
        else:
            assert number >= 0
            assert math.isfinite(number)


def test_sizes_and_rates_know_both_kinds_of_units() -> None:
    assert units.parse_size("64MiB") == 64 * 2**20
    assert units.parse_size("2GB") == 2 * 10**9
    assert units.parse_rate("100Mbit/s") == 10**8
    assert units.parse_rate("57kbps".replace("kb", "kbit")) == 57_000


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("1 Gbps", 10**9),
        ("10Mbps", 10**7),
        ("56kbps", 56_000),
        ("1.5Mb/s", 1_500_000),
        ("100MB/s", 8 * 10**8),
    ],
)
def test_rates_tell_bits_from_bytes_by_their_case(text: str, rate: int) -> None:
    assert units.parse_rate(text) == rate


@pytest.mark.parametrize("text", ["10mbps", "10gbps", "125MB", "10MB", "10"])
def test_rates_that_may_mean_bits_or_bytes_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a rate"):
        units.parse_rate(text)


def test_fractions_may_be_percentages() -> None:
    fraction = TypeAdapter(units.Fraction)
    assert fraction.validate_python("0.5%") == 0.005
    assert fraction.validate_python("100 %") == 1.0
    assert fraction.validate_python(0.25) == 0.25
    for wrong in ("0.5", "101%", "-1%", "half", 1.5, -0.1, "1e2%"):
        with pytest.raises(ValidationError):
            fraction.validate_python(wrong)


def test_a_bare_1_in_a_file_is_not_taken_for_all_of_it() -> None:
    fraction, in_file = TypeAdapter[float](units.Fraction), {units.FROM_FILE: True}
    for ambiguous in (1, 1.0):
        with pytest.raises(ValidationError, match="write 100%, or 1%"):
            fraction.validate_python(ambiguous, context=in_file)
        assert fraction.validate_python(ambiguous) == 1, "as a run stores it"
    assert fraction.validate_python("100%", context=in_file) == 1
    assert fraction.validate_python("1%", context=in_file) == 0.01


def test_a_wrong_rate_is_quoted_as_it_was_written() -> None:
    with pytest.raises(ValueError, match="is not a rate") as refused:
        units.parse_rate("10 parsec/s")
    assert str(refused.value) == (
        "'10 parsec/s' is not a rate: write a number and a unit, as 57kbit/s, 100Mbit/s"
    )


@pytest.mark.parametrize("value", [3, 3.0, True])
def test_a_number_in_a_file_needs_a_unit(value: float) -> None:
    duration: TypeAdapter[float] = TypeAdapter(units.Duration)
    with pytest.raises(ValidationError, match="has no unit"):
        duration.validate_python(value, context={units.FROM_FILE: True})
    assert duration.validate_python(0, context={units.FROM_FILE: True}) == 0
    assert duration.validate_python(3.0) == 3.0  # in code, seconds are seconds


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.4, "0 s"), (89, "89 s"), (170, "3 min"), (4800, "80 min"), (6000, "1 h 40 min"), (76_400, "21 h")],
)
def test_times_for_people_are_rounded(seconds: float, text: str) -> None:
    assert units.about(seconds) == text
