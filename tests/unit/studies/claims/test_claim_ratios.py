"""Tests that compare two sides: greater, same and order, on all sides of their borders."""

from typing import Any

import pytest
from planted_figures import Planted, atom, drawn, judge, printed, spread, trials, two

from fivenines.studies.claims.figures import Sample

GREATER: dict[str, Any] = {"measure": "tps", "a": "a", "b": "b"}
SAME: dict[str, Any] = {"measure": "tps", "a": "a", "b": "b", "within": "10%"}


def ratio(of: float, cov: float = 0.05, n: int = 10) -> Planted:
    return two(spread(100 * of, cov, n), spread(100, cov, n))


# --- greater ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("of", "status"), [(1.3, "holds"), (1.02, "inconclusive"), (0.8, "contradicted")])
def test_greater_by_the_side_of_1_on_which_the_interval_is(of: float, status: str) -> None:
    assert atom(ratio(of), greater=GREATER).status == status


@pytest.mark.parametrize(("of", "status"), [(1.7, "holds"), (1.5, "inconclusive"), (1.3, "contradicted")])
def test_greater_by_a_factor(of: float, status: str) -> None:
    assert atom(ratio(of), greater=GREATER | {"by": 1.5}).status == status


def test_greater_says_the_ratio_its_interval_and_what_was_claimed() -> None:
    result = atom(ratio(1.42), greater=GREATER | {"by": 1.1})
    assert result.sentence == "a is 1.42 times b (1.35 to 1.49); at least 1.1 was claimed."
    assert result.span is not None and result.span.at_least == 1.1
    assert result.holding < 0.05 < result.against


def test_the_limit_itself_is_where_a_verdict_turns() -> None:
    low = atom(ratio(1.3), greater=GREATER).span
    assert low is not None and low.low is not None
    assert atom(ratio(1.3), greater=GREATER | {"by": low.low - 1e-6}).status == "holds"
    assert atom(ratio(1.3), greater=GREATER | {"by": low.low + 1e-6}).why == "width"


def test_where_b_may_be_zero_there_is_no_ratio_and_greater_is_told_all_the_same() -> None:
    result = atom(two(spread(100, 0.1), printed(10, 1.0, 3.0)), greater=GREATER)
    assert result.status == "holds" and result.sentence.startswith("a is 100 and b is 1.00;")
    zero = atom(two(spread(100, 0.1), printed(10, 0.0, 0.0)), greater=GREATER)
    assert zero.status == "holds" and zero.sentence.startswith("a is 100 and b is 0;")


@pytest.mark.parametrize(
    ("sample", "why"),
    [
        (trials([130.0]), "trials"),
        (printed(30, 130.0), "trials"),
        (trials([130.0] * 4, limited="the client was busy in 4 of 4 trials"), "client"),
        (trials([130.0, 131.0], failing="more than 1 % of transactions failed"), "errors"),
        (Sample(missing="no trial is complete"), "missing"),
        (Sample(unavailable="a cloud account"), "unavailable"),
    ],
)
def test_nothing_is_told_by_too_little_or_by_the_client(sample: Sample, why: str) -> None:
    for figures in (two(sample, spread(100, 0.01)), two(spread(100, 0.01), sample)):
        result = atom(figures, greater=GREATER)
        assert (result.status, result.why) == ("inconclusive", why)
        assert result.reason.lower() in result.sentence.lower()
        if sample.summary.n == 1:
            assert "has 1 trial; an interval requires two" in result.reason
        assert atom(figures, same=SAME).why == atom(figures, order=order()).why == why


def test_a_few_equal_values_prove_nothing_and_five_do() -> None:
    few = two(trials([2.0] * 4), trials([1.0] * 4))
    assert atom(few, greater=GREATER).why == "equal"
    assert atom(few, same=SAME).why == "equal"
    many = two(trials([2.0] * 5), trials([1.0] * 5))
    assert atom(many, greater=GREATER).status == "holds"


def test_an_exact_number_is_judged_as_it_stands() -> None:
    three, two_hosts = (Sample(printed(1, number).summary, exact=True) for number in (3.0, 2.0))
    assert atom(two(three, two_hosts), greater=GREATER).status == "holds"
    assert atom(two(two_hosts, three), greater=GREATER).status == "contradicted"


# --- lower bounds: "longer" can be shown, "shorter" never -------------------------------------------

SHORT = trials([7000.0, 7100.0, 7050.0, 6900.0, 7030.0])
LONG = trials([9000.0, 9100.0, 9050.0, 9200.0, 8900.0], bounds=(1, 3))


def outages(a: Sample, b: Sample) -> Planted:
    return two(a, b, "outage_writes")


def test_an_outage_that_did_not_end_is_longer() -> None:
    test = GREATER | {"measure": "outage_writes"}
    assert atom(outages(LONG, SHORT), greater=test).status == "holds"
    assert atom(outages(SHORT, LONG), greater=test).status == "contradicted"


def test_an_outage_that_did_not_end_is_never_shorter() -> None:
    never_back = trials([value.value for value in SHORT.values], bounds=(0,))
    ended = trials([value.value for value in LONG.values])
    test = GREATER | {"measure": "outage_writes"}
    for figures, by in ((outages(ended, never_back), 1), (outages(never_back, ended), 2)):
        result = atom(figures, greater=test | {"by": by})
        assert (result.status, result.why) == ("inconclusive", "bounds")
        assert "not back in 1 of 5 trials" in result.sentence
    alike = atom(outages(never_back, SHORT), same=SAME | {"measure": "outage_writes"})
    assert (alike.status, alike.why) == ("inconclusive", "bounds")


def test_a_bound_is_not_shown_as_a_value() -> None:
    result = atom(outages(LONG, SHORT), greater=GREATER | {"measure": "outage_writes"})
    assert result.span is not None and result.span.estimate is None and result.span.high is None
    assert result.sentence.startswith("a is at least 1.2")
    alone = atom(
        outages(trials([9000.0], bounds=(0,)), SHORT), greater=GREATER | {"measure": "outage_writes"}
    )
    assert "a is at least 9.00 s" in alone.sentence


def test_two_that_did_not_end_tell_nothing() -> None:
    both = outages(LONG, trials([70.0, 71.0, 72.0], bounds=(0,)))
    assert atom(both, greater=GREATER | {"measure": "outage_writes"}).why == "bounds"


# --- same ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("of", "cov", "status"),
    [
        (1.0, 0.05, "holds"),
        (1.02, 0.05, "holds"),
        (1.09, 0.05, "inconclusive"),
        (1.0, 0.5, "inconclusive"),
        (1.3, 0.05, "contradicted"),
        (0.75, 0.05, "contradicted"),
    ],
)
def test_same_only_if_the_whole_interval_is_within_the_margin(of: float, cov: float, status: str) -> None:
    assert atom(ratio(of, cov), same=SAME).status == status


def test_no_difference_found_is_not_the_same() -> None:
    wide = ratio(1.0, 0.5)
    assert atom(wide, greater=GREATER).status == "inconclusive"
    assert atom(wide, same=SAME).why == "width"


def test_same_is_the_same_whichever_is_named_first() -> None:
    for of in (0.8, 0.905, 0.95, 1.0, 1.05, 1.095, 1.2):
        result = ratio(of, 0.06)
        turned = SAME | {"a": "b", "b": "a"}
        assert atom(result, same=SAME).status == atom(result, same=turned).status


def test_same_of_a_list_is_of_each_with_each() -> None:
    figures = Planted({("tps", name, ""): drawn(index, 100, 2, 20) for index, name in enumerate("abc")})
    result = judge(figures, same={"measure": "tps", "a": ["a", "b", "c"]})
    assert len(result.atoms) == 3 and result.outcome == "holds"


def test_same_of_nothing_at_all_is_the_same() -> None:
    assert atom(two(trials([0.0] * 6), trials([0.0] * 6)), same=SAME).status == "holds"


# --- order -----------------------------------------------------------------------------------------


def order(**more: Any) -> dict[str, Any]:
    return {"measure": "tps", "of": ["a", "b"], **more}


@pytest.mark.parametrize(
    ("of", "relation", "status"),
    [
        (1.2, ">=", "holds"),
        (1.0, ">=", "holds"),
        (0.96, ">=", "inconclusive"),
        (0.8, ">=", "contradicted"),
        (1.2, "<=", "contradicted"),
        (1.0, "<=", "holds"),
        (0.8, "<=", "holds"),
        (1.0, ">", "inconclusive"),
        (1.2, ">", "holds"),
        (1.2, "<", "contradicted"),
        (0.8, "<", "holds"),
    ],
)
def test_order_with_its_margin_and_strictly(of: float, relation: str, status: str) -> None:
    assert atom(ratio(of, 0.03), order=order() | {"is": relation}).status == status


def test_order_is_of_neighbours() -> None:
    figures = Planted(
        {("tps", name, ""): spread(mean, 0.03) for name, mean in (("a", 100), ("b", 99), ("c", 50))}
    )
    result = judge(figures, order=order(of=["a", "b", "c"]))
    assert result.outcome == "holds" and len(result.atoms) == 2
    assert judge(figures, order=order(of=["c", "b", "a"])).outcome == "does not hold"


def test_an_order_with_another_margin() -> None:
    assert atom(ratio(0.85, 0.03), order=order(margin="25%")).status == "holds"


# --- ratios of ratios ------------------------------------------------------------------------------


def gains(write: float, read: float, cov: float = 0.04) -> Planted:
    means = {
        ("relaxed", "w"): 100 * write,
        ("strict", "w"): 100.0,
        ("relaxed", "r"): 500 * read,
        ("strict", "r"): 500.0,
    }
    return Planted(
        {("tps", name, mix): spread(mean, cov, 20) for (name, mix), mean in means.items()}, axis="workload"
    )


MORE_FOR_WRITES = {
    "measure": "tps",
    "a": {"solution": "relaxed", "over": "strict", "workload": "w"},
    "b": {"solution": "relaxed", "over": "strict", "workload": "r"},
}


@pytest.mark.parametrize(
    ("write", "read", "status"),
    [(1.4, 1.2, "holds"), (1.21, 1.2, "inconclusive"), (1.2, 1.4, "contradicted")],
)
def test_a_gain_against_another_gain(write: float, read: float, status: str) -> None:
    result = atom(gains(write, read), greater=MORE_FOR_WRITES)
    assert result.status == status
    assert result.sentence.startswith("relaxed / strict (w) is ")
    assert len(result.figures) == 4


def test_what_both_sides_of_a_gain_share_is_said_once() -> None:
    sides = {
        side: {"solution": "relaxed", "over": {"solution": "strict", "workload": mix}, "workload": mix}
        for side, mix in (("a", "w"), ("b", "r"))
    }
    result = atom(gains(1.4, 1.2), greater={"measure": "tps", **sides})
    assert result.sentence.startswith("relaxed / strict (w) is ")
    assert " times relaxed / strict (r) (" in result.sentence


def test_a_gain_of_a_mean_of_zero_has_no_ratio() -> None:
    figures = gains(1.4, 1.2)
    figures = figures.but(lambda _: printed(20, 0.0, 1.0), ("tps", "strict", "r"))
    assert atom(figures, greater=MORE_FOR_WRITES).why == "zero"
