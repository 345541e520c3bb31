"""What must be true of every verdict, whatever the figures are."""

from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from planted_figures import Planted, judge, trials

from fivenines.studies.claims.figures import Sample

STEPS = (1, 2, 4)

TESTS: dict[str, dict[str, Any]] = {
    "greater": {"measure": "tps", "a": "a", "b": "b", "by": 1.1, "for_each": "connections"},
    "same": {"measure": "tps", "a": "a", "b": "b", "within": "20%", "for_each": "connections"},
    "order": {"measure": "tps", "of": ["a", "b"], "for_each": "connections"},
    "trend": {"measure": "tps", "over": "connections", "solution": "a", "is": "rises"},
    "peak": {"measure": "tps", "over": "connections", "solution": "a", "in": [2, 4]},
}
SHAPES = [("trend", TESTS["trend"] | {"is": shape}) for shape in ("falls", "flat", "linear")]
ALL = [*TESTS.items(), *SHAPES]

value = st.floats(1.0, 1000.0)
values = st.lists(value, min_size=2, max_size=6)
tests = st.sampled_from(ALL)


@st.composite
def planted(draw: st.DrawFn) -> Planted:
    """Return two solutions at three levels, some values lower bounds."""
    result = {}
    for name in "ab":
        for at in STEPS:
            own = draw(values)
            some = draw(st.sets(st.integers(0, len(own) - 1), max_size=1))
            result["tps", name, str(at)] = trials(own, tuple(some))
    return Planted(result)


def again(sample: Sample, own: list[float], bounds: tuple[int, ...]) -> Sample:
    return replace(sample, **vars(trials(own, bounds)))


def own_bounds(sample: Sample) -> tuple[int, ...]:
    return tuple(index for index, value in enumerate(sample.values) if value.bound)


@given(planted(), tests, st.floats(0.01, 100.0))
def test_a_unit_changes_no_verdict(figures: Planted, test: tuple[str, dict[str, Any]], factor: float) -> None:
    name, body = test
    scaled = figures.but(
        lambda item: again(item, [factor * each.value for each in item.values], own_bounds(item))
    )
    before, after = (judge(item, **{name: body}).atoms for item in (figures, scaled))
    # a hair's breadth at a border may become inconclusive, and never the opposite
    assert all({x.status, y.status} != {"holds", "contradicted"} for x, y in zip(before, after, strict=True))


@given(planted(), tests)
def test_the_order_of_trials_changes_nothing(figures: Planted, test: tuple[str, dict[str, Any]]) -> None:
    name, body = test

    def turned(one: Sample) -> Sample:
        last = len(one.values) - 1
        back = [each.value for each in reversed(one.values)]
        return again(one, back, tuple(last - index for index in own_bounds(one)))

    before = judge(figures, **{name: body})
    after = judge(figures.but(turned), **{name: body})
    assert {before.status, after.status} != {"holds", "contradicted"}
    assert abs(before.holding - after.holding) < 1e-6 or before.status == "inconclusive"


@given(planted(), tests, st.integers(2, 4))
def test_more_of_the_same_never_turns_a_verdict_into_its_opposite(
    figures: Planted, test: tuple[str, dict[str, Any]], times: int
) -> None:
    name, body = test

    def more(one: Sample) -> Sample:
        n = len(one.values)
        bounds = tuple(index + n * k for k in range(times) for index in own_bounds(one))
        return again(one, [each.value for each in one.values] * times, bounds)

    before = judge(figures, **{name: body}).atoms
    after = judge(figures.but(more), **{name: body}).atoms
    for x, y in zip(before, after, strict=True):
        assert (x.alone, y.alone) not in (("holds", "contradicted"), ("contradicted", "holds"))


@given(planted(), tests)
def test_a_value_that_is_really_larger_takes_back_nothing_that_a_bound_has_shown(
    figures: Planted, test: tuple[str, dict[str, Any]]
) -> None:
    """A bound says "at least": what is decided with it is not the opposite of what is decided without an
    end."""
    name, body = test
    if name in ("trend", "peak"):
        return
    open_ended = judge(figures, **{name: body}).atoms
    ended = judge(
        figures.but(lambda item: again(item, [each.value for each in item.values], ())), **{name: body}
    ).atoms
    # closed ends decide at least as much, and what was decided with open ones stays
    for x, y in zip(open_ended, ended, strict=True):
        assert x.alone in ("inconclusive", y.alone)


@given(planted(), tests)
def test_no_atom_is_both(figures: Planted, test: tuple[str, dict[str, Any]]) -> None:
    name, body = test
    result = judge(figures, **{name: body})
    assert not (result.holding <= 0.05 and result.against <= 0.05)
    for atom in result.atoms:
        assert (atom.alone == "holds") == (atom.holding <= 0.05)
        assert (atom.alone == "contradicted") == (atom.against <= 0.05)
        assert bool(atom.why) == (atom.status == "inconclusive")
        assert atom.sentence.endswith(".") and "None" not in atom.sentence


@given(values, values)
def test_a_side_and_the_other_side(a: list[float], b: list[float]) -> None:
    """If a is shown to be more than b, b is shown to be less than a."""
    figures = Planted({("tps", "a", ""): trials(a), ("tps", "b", ""): trials(b)})
    existing = judge(figures, greater={"measure": "tps", "a": "a", "b": "b"})
    back = judge(figures, greater={"measure": "tps", "a": "b", "b": "a"})
    turned = {"holds": "contradicted", "contradicted": "holds", "inconclusive": "inconclusive"}
    assert back.status == turned[existing.status]
