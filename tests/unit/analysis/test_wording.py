"""Whole sentences, as the report prints them."""

import pytest

from fivenines.analysis.statistics.means import compare, summarise
from fivenines.analysis.wording import (
    DURATION,
    SPEED,
    clause,
    count,
    listed,
    mean_with_interval,
    milliseconds,
    number,
    sentence,
    span,
)


def text(a: list[float], b: list[float], words: object = SPEED) -> str:
    assert words in (SPEED, DURATION)
    return sentence("A", "B", compare(summarise(a), summarise(b)), words)


def test_faster() -> None:
    assert text([123, 124, 122], [100, 101, 99]) == ("A is 23 % faster than B (95 % interval 20 to 26 %).")


def test_slower_turns_the_interval_round() -> None:
    assert text([80, 81, 79], [100, 101, 99]) == ("A is 20 % slower than B (95 % interval 18 to 22 %).")


def test_much_faster_is_told_in_times() -> None:
    assert text([520, 510, 530], [100, 101, 99]) == (
        "A is 5.20 times as fast as B (95 % interval 4.93 to 5.48)."
    )


def test_shorter_and_longer() -> None:
    assert "A is 50 % shorter than B" in text([50, 51, 49], [100, 101, 99], DURATION)
    assert "A is 40 % longer than B" in text([140, 141, 139], [100, 101, 99], DURATION)


def test_not_shown_to_differ() -> None:
    assert text([100, 110, 95], [101, 99, 104]) == (
        "A and B are not shown to differ (difference +0.3 %, 95 % interval \N{MINUS SIGN}16 to +17 %)."
    )


def test_absolute_where_per_cent_make_no_sense() -> None:
    words = text([5000, 5010, 4990], [0, 0, 0], DURATION)
    assert words == "A is 5\N{NARROW NO-BREAK SPACE}000 ms longer than B (95 % interval 4" + (
        "\N{NARROW NO-BREAK SPACE}975 to 5\N{NARROW NO-BREAK SPACE}025 ms)."
    )


def test_too_few() -> None:
    assert text([1], [1, 2]) == (
        "A and B cannot be compared: each must have two complete trials (they have 1 and 2)."
    )


def test_a_few_equal_values_are_not_compared() -> None:
    text = sentence("a", "b", compare(summarise([3.0, 3.0]), summarise([2.0, 2.0, 2.0])), SPEED)
    assert text == "a and b cannot be compared: a few values that are all equal prove nothing (2 and 3)."


def test_clauses() -> None:
    assert clause("B", compare(summarise([123, 124, 122]), summarise([100, 101, 99])), SPEED) == (
        "23 % faster than B (20 to 26 %)"
    )
    assert clause("B", compare(summarise([1]), summarise([2])), SPEED) == (
        "not comparable with B (too few trials)"
    )


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0, "0"),
        (0.01234, "0.0123"),
        (4.5678, "4.57"),
        (78.94, "78.9"),
        (99.96, "100"),
        (999.6, "1 000"),
        (1234.5, "1 234"),
        (45678, "45 678"),
        (-3.14159, "-3.14"),
        (float("nan"), "\N{EN DASH}"),
    ],
)
def test_numbers_have_three_digits(value: float, expected: str) -> None:
    shown = number(value).replace("\N{NARROW NO-BREAK SPACE}", " ").replace("\N{MINUS SIGN}", "-")
    assert shown == expected


def test_units() -> None:
    assert [milliseconds(value) for value in (0.87, 12.34, 6123)] == [
        "870 \N{MICRO SIGN}s",
        "12.3 ms",
        "6.12 s",
    ]
    assert span(4100, 4400, milli=True) == "4.10 to 4.40 s"
    assert span(900, 1100, milli=True) == "900 ms to 1.10 s"
    assert mean_with_interval(summarise([10.0, 12.0, 14.0])) == "12 (7 to 17)"
    assert mean_with_interval(summarise([])) == "\N{EN DASH}"


def test_lists_and_counts() -> None:
    assert (listed([]), listed(["a"]), listed(["a", "b", "c"])) == ("", "a", "a, b and c")
    assert (count(1, "trial"), count(2, "trial"), count(2, "box", "boxes")) == (
        "1 trial",
        "2 trials",
        "2 boxes",
    )
