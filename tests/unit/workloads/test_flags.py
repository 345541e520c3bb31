"""Settings as flags."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.settings import Settings
from fivenines.workloads.flags import flag_text, flags_of, words


class Some(Settings):
    """Settings of each kind."""

    data_length: int = 10
    think_times: bool = False
    share: float = 0.5
    limit: int | None = None
    mix: str = "-1,2"


def test_a_setting_is_a_flag_with_its_prefix() -> None:
    flags = flags_of(Some(), ["data_length", "think_times", "share", "limit", "mix"], "x-")
    assert words(flags) == [
        "--x-data-length=10", "--x-think-times=false", "--x-share=0.5", "--x-mix=-1,2",
    ]  # fmt: skip


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=0, max_value=1e12))
def test_a_number_is_written_without_loss_that_counts_and_without_exponent(value: float) -> None:
    text = flag_text(value)
    assert "e" not in text
    assert math.isclose(float(text), value, rel_tol=1e-9, abs_tol=1e-14)


@pytest.mark.parametrize(
    ("value", "text"), [(True, "true"), (False, "false"), (0.0, "0"), (3, "3")]
)
def test_plain_values(value: object, text: str) -> None:
    assert flag_text(value) == text
