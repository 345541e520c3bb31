"""The comparison of two programs finds statements, errors and times that differ."""

from collections import Counter
from dataclasses import replace

import pytest
from compare import judged
from lab_scripts import Compared, Reported, of_sysbench

CALM = Reported(frozenset(), 0, 1.0)
WORK = Counter({"Com_select": 20})
SAME = Compared((Counter(), Counter()), (WORK, WORK), (CALM, CALM))


def _ours(**what: object) -> Compared:
    return replace(SAME, reported=(CALM, replace(CALM, **what)))  # type: ignore[arg-type]


def test_equal_solutions_are_reported_as_equal() -> None:
    assert judged(SAME, sleeps=True) == "same"
    # The time of a script that does not sleep is not compared.
    assert judged(_ours(seconds=0.1), sleeps=False) == "same"


def test_errors_that_a_script_catches_are_no_failed_events() -> None:
    ignored = replace(SAME, reported=(replace(CALM, errors=19), CALM))
    assert judged(ignored, sleeps=False, catches=True) == "same"
    assert judged(ignored, sleeps=False).startswith("failures differ: sysbench 19, fivenines 0")
    assert judged(_ours(errors=1), sleeps=False, catches=True).startswith("failures differ")


@pytest.mark.parametrize(
    ("compared", "says"),
    [
        (_ours(seconds=0.1), "time differs: sysbench 1.00 s, fivenines 0.10 s"),
        (_ours(seconds=9.0), "time differs"),
        (_ours(errors=3), "failures differ: sysbench 0, fivenines 3"),
        (replace(SAME, ran=(WORK, Counter())), "run differs"),
        (
            replace(SAME, reported=(replace(CALM, codes=frozenset({"1062"})), CALM)),
            "errors differ: sysbench 1062, fivenines none",
        ),
    ],
)
def test_each_difference_is_named(compared: Compared, says: str) -> None:
    assert judged(compared, sleeps=True).startswith(says)


def test_sysbenchs_output_is_read() -> None:
    ended = of_sysbench("FATAL: SQL error, errno = 1062, state = '23000': Duplicate entry '1'")
    assert ended.codes == {"1062"}
    text = "    ignored errors:   7      (3.50 per sec.)\n    total time:        2.0021s\n"
    assert of_sysbench(text) == Reported(frozenset(), 7, 2.0021)
