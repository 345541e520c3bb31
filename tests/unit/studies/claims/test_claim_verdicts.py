"""Verdicts of several comparisons: all, any, Holm's levels, and where a test looks."""

from typing import Any

import pytest
from planted_figures import Planted, judge, printed, spread, trials
from pydantic import ValidationError

from fivenines.experiment.validation.mistakes import from_validation, validated
from fivenines.studies.claims.figures import Events, Place, Sample
from fivenines.studies.claims.kinds import AnyTest
from fivenines.studies.claims.places import Named
from fivenines.studies.claims.verdicts import Atom, verdict

TEST: dict[str, Any] = {"measure": "tps", "a": "a", "b": "b", "for_each": "connections"}


def pairs(ratios: list[float], cov: float = 0.05, n: int = 10) -> Planted:
    """a against b at as many numbers of connections."""
    return Planted(
        {
            ("tps", name, str(at)): spread(mean, cov, n)
            for at, ratio in enumerate(ratios, 1)
            for name, mean in (("a", 100 * ratio), ("b", 100.0))
        }
    )


# --- all -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ratios", "outcome", "tally"),
    [
        ([1.3, 1.4, 1.5], "holds", "3 of 3 hold"),
        ([1.3, 1.0, 1.5], "inconclusive", "2 of 3 hold, 1 inconclusive"),
        ([1.3, 0.7, 1.0], "does not hold", "1 of 3 hold, 1 contradicted, 1 inconclusive"),
        ([0.7, 0.7, 0.7], "does not hold", "3 of 3 contradicted"),
    ],
)
def test_a_test_for_each_level_holds_if_every_one_does(ratios: list[float], outcome: str, tally: str) -> None:
    result = judge(pairs(ratios), greater=TEST)
    assert (result.outcome, result.tally) == (outcome, tally)


def test_an_atom_says_at_which_level_it_is() -> None:
    result = judge(pairs([1.3, 1.4]), greater=TEST)
    assert [atom.about for atom in result.atoms] == ["at 1 connection", "at 2 connections"]
    assert result.atoms[1].sentence.startswith("At 2 connections, a is 1.40 times b (")
    assert result.atoms[1].figures[0].place == Place(solution="a", connections=2)


def test_a_single_contradiction_among_many_may_be_chance() -> None:
    # p is about 0.01: enough alone, and not as one of ten
    ratios = [1.3] * 9 + [0.937]
    alone = judge(pairs(ratios[-1:]), greater=TEST)
    assert alone.outcome == "does not hold" and 0.005 < alone.against < 0.05
    result = judge(pairs(ratios), greater=TEST)
    last = result.atoms[-1]
    assert result.outcome == "inconclusive"
    assert (last.status, last.alone, last.why) == ("inconclusive", "contradicted", "chance")
    assert "one of 10 comparisons may look so by chance" in last.sentence


def test_comparisons_without_figures_do_not_count_among_the_many() -> None:
    figures = pairs([1.3] * 9 + [0.937])
    gone = [("tps", "a", str(at)) for at in range(1, 10)]
    result = judge(figures.but(lambda _: Sample(missing="not printed"), *gone), greater=TEST)
    assert result.outcome == "does not hold"
    assert result.tally == "1 of 10 contradicted, 9 inconclusive"


# --- any -------------------------------------------------------------------------------------------


def any_of(*ratios: float) -> str:
    figures = pairs(list(ratios))
    tests = [
        {"greater": {"measure": "tps", "a": "a", "b": "b", "connections": at}}
        for at in range(1, len(ratios) + 1)
    ]
    return judge(figures, any=tests).outcome


def test_any_mirrors_all() -> None:
    assert any_of(1.3, 0.7, 1.0) == "holds"
    assert any_of(1.0, 0.7, 1.0) == "inconclusive"
    assert any_of(0.7, 0.7, 0.7) == "does not hold"
    assert any_of(1.067) == "holds"
    assert any_of(*[1.067] + [0.7] * 9) == "inconclusive"  # one of ten by chance


def test_an_any_of_an_all() -> None:
    good, bad = {"greater": TEST}, {"greater": TEST | {"by": 5}}
    assert judge(pairs([1.3, 1.4]), any=[bad, good]).outcome == "holds"
    assert judge(pairs([1.3, 1.4]), any=[bad, bad]).outcome == "does not hold"
    assert judge(pairs([1.3, 1.0]), any=[bad, good]).outcome == "inconclusive"
    result = judge(pairs([1.3, 1.4]), all=[good, {"any": [bad, good]}])
    assert result.outcome == "holds" and len(result.atoms) == 6


def test_all_of_tests_has_one_family_of_comparisons() -> None:
    figures = pairs([1.3] * 9 + [0.937])
    each = [{"greater": TEST | {"connections": at, "for_each": []}} for at in range(1, 11)]
    together = judge(figures, all=each)
    assert together.outcome == judge(figures, greater=TEST).outcome == "inconclusive"
    assert together.against == pytest.approx(judge(figures, greater=TEST).against)


# --- what cannot be run here -----------------------------------------------------------------------


def test_a_claim_of_which_only_the_unavailable_is_open_cannot_be_run_here() -> None:
    cloud = Sample(unavailable="a cloud account")
    keys = [("tps", "a", "1"), ("tps", "a", "2")]
    assert judge(pairs([1.3, 1.3]).but(lambda _: cloud, *keys), greater=TEST).outcome == (
        "cannot be run here"
    )
    some = judge(pairs([1.3, 1.3]).but(lambda _: cloud, keys[0]), greater=TEST)
    assert some.outcome == "cannot be run here"
    assert some.tally == "1 of 2 hold, 1 cannot be run here"
    wide = judge(pairs([1.3, 1.0]).but(lambda _: cloud, keys[0]), greater=TEST)
    assert wide.outcome == "inconclusive", "more trials would tell the other"
    worse = judge(pairs([1.3, 0.7]).but(lambda _: cloud, keys[0]), greater=TEST)
    assert worse.outcome == "does not hold"


def test_an_event_that_is_certain_needs_no_correction() -> None:
    seen = {f"s{index}": Events(0, 40) for index in range(20)} | {"bad": Events(1, 40)}
    result = judge(Planted(seen=seen), never={"measure": "lost", "solution": list(seen)})
    assert result.outcome == "does not hold" and result.tally == "20 of 21 hold, 1 contradicted"


def test_a_verdict_of_nothing_is_inconclusive() -> None:
    assert verdict("all", []).outcome == verdict("any", []).outcome == "inconclusive"
    assert verdict("all", [Atom("inconclusive", "")]).status == "inconclusive"


# --- where a test looks ----------------------------------------------------------------------------


def test_a_list_of_levels_is_each_of_them() -> None:
    result = judge(pairs([1.3, 0.7, 1.4]), greater=TEST | {"connections": [1, 3]})
    assert result.outcome == "holds" and len(result.atoms) == 2


def test_several_axes_make_every_combination() -> None:
    figures = Planted({("tps", name, str(at)): spread(100, 0.05) for name in "ab" for at in (1, 2)})
    test = {"measure": "tps", "for_each": ["solution", "connections"], "at_most": 200}
    result = judge(figures, limit=test)
    assert [atom.about for atom in result.atoms] == [
        "of a at 1 connection",
        "of a at 2 connections",
        "of b at 1 connection",
        "of b at 2 connections",
    ]


def test_an_axis_without_levels_leaves_a_test_open() -> None:
    (result,) = judge(Planted(), greater=TEST).atoms
    assert result.why == "missing" and "any level of connections" in result.sentence


def test_free_axes_and_places_of_sides() -> None:
    figures = Planted(
        {("tps", "a", "0"): spread(100, 0.05), ("tps", "a", "10"): spread(60, 0.05)}, axis="rtt"
    )
    test = {"measure": "tps", "solution": "a", "a": {"at": {"rtt": 0}}, "b": {"at": {"rtt": 10}}}
    (result,) = judge(figures, greater=test).atoms
    assert result.status == "holds" and result.sentence.startswith("rtt 0 is 1.67 times rtt 10 (")


# --- how it is written -----------------------------------------------------------------------------


def mistakes(test: dict[str, Any]) -> list[str]:
    with pytest.raises(ValidationError) as caught:
        validated(AnyTest, test)
    return [item.block("f") for item in from_validation(AnyTest, caught.value.errors())]


def test_all_tests_are_there() -> None:
    assert list(AnyTest.model_fields) == [
        "all",
        "any",
        "choice",
        "greater",
        "limit",
        "never",
        "occurs",
        "order",
        "peak",
        "same",
        "share",
        "trend",
    ]


@pytest.mark.parametrize(
    ("test", "text"),
    [
        ({"graeter": TEST}, "unknown key 'graeter'; did you mean 'greater'?"),
        ({"greater": TEST, "same": TEST | {"within": "10%"}}, "write one test: one of all, any"),
        ({}, "write one test"),
        ({"greater": TEST | {"bye": 2}}, "unknown key 'bye' in greater; did you mean 'by'?"),
        ({"greater": {"measure": "tps", "a": "x"}}, "the key 'b' is missing in greater"),
        (
            {"all": [{"trend": {"measure": "tps", "over": "rtt", "is": "lineer"}}]},
            "all[0].trend.is: found 'lineer'; did you mean 'linear'?",
        ),
        ({"same": TEST | {"within": "ten"}}, "same.within: 'ten' is no share"),
        ({"limit": {"measure": "tps", "at_most": "soon"}}, "'soon' is no amount"),
        ({"greater": TEST | {"a": {"solutoin": "x"}}}, "did you mean 'solution'?"),
    ],
)
def test_mistakes_are_told_with_what_to_write(test: dict[str, Any], text: str) -> None:
    assert any(text in mistake for mistake in mistakes(test)), mistakes(test)


@pytest.mark.parametrize(
    ("test", "text"),
    [
        ({"same": {"measure": "tps", "a": "x"}}, "same: b: write with what a is compared"),
        ({"limit": {"measure": "tps"}}, "limit: write at_least, at_most or both"),
        ({"limit": {"measure": "tps", "at_least": 2, "at_most": 1}}, "at_least is more than"),
        ({"greater": TEST | {"a": {"solution": "x", "over": "y"}}}, "one side is a ratio"),
        ({"greater": TEST | {"a": {}}}, "greater: a[0]: the side is empty"),
        ({"choice": {"in": [0]}}, "choice: solution: write the name of the sweep"),
        (
            {"trend": {"measure": "tps", "over": "rtt", "is": "flat", "for_each": "rtt"}},
            "it goes over rtt already",
        ),
        (
            {"trend": {"measure": "tps", "over": "rtt", "is": "linear", "slope": [2, 1]}},
            "the smaller limit first",
        ),
        ({"all": [{"share": {"phase": "route", "at_least": 60}}]}, "all.0.share: at_least: a share"),
    ],
)
def test_what_makes_no_sense_is_told(test: dict[str, Any], text: str) -> None:
    problems = validated(AnyTest, test).problems()
    assert any(text in item for item in problems), problems


def test_names_and_measures_are_told_with_their_path() -> None:
    test = {"all": [{"greater": TEST | {"part": "writes"}}, {"never": {"measure": "lost"}}]}
    made = validated(AnyTest, test)
    assert list(made.measures()) == [
        (("all", 0, "greater", "measure"), "tps", "values"),
        (("all", 1, "never", "measure"), "lost", "events"),
    ]
    names = list(made.named())
    assert Named(("all", 0, "greater", "a", 0, "solution"), "solution", "a", "writes") in names
    assert Named(("all", 0, "greater", "for_each", 0), "axis", "connections", "writes") in names


def test_printed_figures_and_trials_of_the_same_moments_have_the_same_verdict() -> None:
    a, b = trials([10.0, 11.0, 12.5, 9.8]), trials([8.0, 9.0, 8.4, 8.7])

    def bare(one: Sample) -> Sample:
        found = one.summary
        assert found.mean is not None
        return printed(found.n, found.mean, found.sd)

    ours = judge(Planted({("tps", "a", "1"): a, ("tps", "b", "1"): b}), greater=TEST)
    theirs = judge(Planted({("tps", "a", "1"): bare(a), ("tps", "b", "1"): bare(b)}), greater=TEST)
    assert ours.holding == pytest.approx(theirs.holding) and ours.outcome == theirs.outcome
