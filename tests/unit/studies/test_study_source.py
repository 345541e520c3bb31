"""Study files: parts of two forms, claims and figures; every mistake with its line and column."""

import pytest

from fivenines.base.errors import UsageError
from fivenines.studies.source import parse_study

STUDY = """\
study: small
cite: {authors: [A. Person], title: On servers, year: 2020}
experiment: {connections: [1, 8], timing: {warmup: 1s, steady: 5s}}
quick: {trials: 2, timing: {steady: 2s}}
parts:
  speed:
    experiment:
      workloads: [oltp_read_write]
      solutions:
        - {solution: standalone, name: strict}
        - {solution: standalone, name: relaxed, durability: relaxed}
      trials: 10
    quick: {connections: [8]}
  loss:
    experiment:
      workloads: [oltp_read_write]
      solutions: [{solution: hot-standby, name: pair}]
      faults: [kill]
      connections: [8]
unavailable: {aurora: {why: a cloud account}}
published:
  - {source: T1, measure: tps, part: speed, solution: strict, n: 3, by: connections,
     mean: {1: 100, 8: 400}, sd: {1: 5, 8: 9}}
claims:
  - id: faster
    says: A relaxed server is ahead.
    test: {greater: {measure: tps, part: speed, a: relaxed, b: strict, for_each: connections}}
  - id: nothing-lost
    says: Nothing is lost.
    basis: stated
    test: {never: {measure: lost, part: loss, solution: pair, at_most: 50%}}
"""


def _refusal(text: str) -> str:
    with pytest.raises(UsageError) as refused:
        parse_study(text, "x.yaml")
    return str(refused.value)


def test_the_quick_form_is_laid_over_the_full_one() -> None:
    result = parse_study(STUDY, "x.yaml")
    full, quick = (result.experiments[form][0].experiment for form in ("full", "quick"))
    assert (full.trials.at_most, quick.trials.at_most) == (10, 2)
    assert (full.connections, quick.connections) == ([1, 8], [8])
    assert (full.timing.warmup, full.timing.steady) == (1.0, 5.0)
    assert (quick.timing.warmup, quick.timing.steady) == (1.0, 2.0)
    assert full.name == "small: speed"
    assert result.experiments["full"][1].experiment.trials.at_most == 3


@pytest.mark.parametrize(
    ("wrong", "right", "message"),
    [
        ("by: connection,", "by: connections,", "x.yaml:22:73: published[0].by: no cell has the axis"),
        ("measure: tp,", "measure: tps,", "x.yaml:22:27: published[0].measure: unknown measure 'tp'"),
        ("sd: {1: 5, 9: 9}", "sd: {1: 5, 8: 9}", "published[0].sd.9: there is no mean at '9'"),
        ("a: relaxd", "a: relaxed", "x.yaml:27:"),
        ("part: sped, a", "part: speed, a", "no part 'sped'; did you mean 'speed'?"),
        ("solution: pare, at", "solution: pair, at", "no solution 'pare' in the part loss"),
        ("measure: losst", "measure: lost", "unknown measure 'losst'; did you mean 'lost'?"),
        ("id: faster", "id: nothing-lost", "another claim has the id 'nothing-lost'"),
        ("greatr:", "greater:", "x.yaml:27:12: unknown key 'greatr' in claims[0].test; did you mean"),
        ("at_most: 500%", "at_most: 50%", "x.yaml:31:"),
        ("steady: 2", "steady: 2s", "x.yaml:4:37: timing.steady: found 2"),
        ("connections: [0]}\n  loss", "connections: [8]}\n  loss", "x.yaml:13:27: connections[0]: found 0"),
        ("sped: {}\n  loss:", "loss:", "parts.sped"),
        ("for_each: weight", "for_each: connections", "no cell has the axis 'weight'"),
        ("yer: 2020", "year: 2020", "x.yaml:2:49: unknown key 'yer' in cite; did you mean 'year'?"),
    ],
)
def test_a_mistake_is_told_where_it_stands(wrong: str, right: str, message: str) -> None:
    changed = STUDY.replace(right, wrong, 1)
    if wrong == "id: faster":
        changed = STUDY.replace("id: faster", "id: nothing-lost")
    if wrong.startswith("sped: {}"):
        changed, message = (
            STUDY.replace("  loss:\n", "  sped: 3\n  loss:\n"),
            "x.yaml:14:9: parts.sped: found 3",
        )
    assert changed != STUDY
    assert message in _refusal(changed)


def test_a_place_that_is_not_told_apart_is_a_mistake() -> None:
    message = _refusal(STUDY.replace(", for_each: connections", ""))
    assert "several connections match (1, 8): name one" in message
    assert message.startswith("x.yaml:27:11: ")


def test_what_is_unavailable_may_be_named() -> None:
    result = parse_study(STUDY.replace("a: relaxed, b", "a: aurora, b"), "x.yaml")
    assert result.study.claims[0].id == "faster"


def test_a_cell_that_no_part_has_is_a_mistake() -> None:
    message = _refusal(STUDY.replace("part: speed, a: relaxed, b: strict", "a: relaxed, b: pair"))
    assert "there is no cell with solution pair, connections 1" in message


def test_clients_are_places_of_their_part_alone() -> None:
    both = "  loss:\n    experiment:\n      clients: [{name: ann}, {name: bob}]\n"
    message = "says: Nothing is lost.\n    basis: stated\n    test: "
    text = STUDY.replace("  loss:\n    experiment:\n", both)
    requested = "{limit: {measure: tps, part: loss, client: bob, at_least: 1}}"
    text = text.replace(text[text.index(message) :], f"{message}{requested}\n")
    assert parse_study(text, "x.yaml").study.claims[1].id == "nothing-lost"
    assert "no client 'bobb' in the part loss; did you mean 'bob'?" in _refusal(
        text.replace("client: bob", "client: bobb")
    )
    assert "no client 'bob' in the part speed" in _refusal(text.replace("part: loss, c", "part: speed, c"))
    each = text.replace("client: bob", "for_each: client")
    assert parse_study(each, "x.yaml").study.claims[1].id == "nothing-lost"
    other = text.replace("measure: tps, part: loss", "measure: host_cpu, part: loss")
    assert "host_cpu is of all clients together" in _refusal(other)
