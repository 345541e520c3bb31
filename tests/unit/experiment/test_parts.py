"""Files in parts: what is merged, what is replaced, and where mistakes stand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.base.errors import UsageError
from fivenines.experiment import document
from fivenines.experiment.defaults import parts_with_defaults
from fivenines.experiment.parts import merged
from fivenines.experiment.source import parse_experiment, parse_parts

FILE = """\
name: pair
trials: 2
solutions: [standalone, {solution: hot-standby, name: pair}]
timing: {warmup: 1s, steady: 4s}
connections: [1, 8]
parts:
  reads: {workloads: [oltp_read_only], timing: {steady: 5s}, connections: [16]}
  loss:
    name: what is lost
    workloads: [oltp_read_write]
    faults: [kill]
    solutions: [{solution: hot-standby, name: pair}]
"""


def _refusal(text: str) -> str:
    with pytest.raises(UsageError) as refused:
        parse_parts(text, "x.yaml")
    return str(refused.value)


def test_each_part_is_an_experiment_that_is_separate() -> None:
    reads, loss = parse_parts(FILE, "x.yaml")
    assert (reads.name, reads.title, reads.experiment.name) == ("reads", "pair", "pair: reads")
    assert (loss.name, loss.title, loss.experiment.name) == ("loss", "pair", "what is lost")
    assert [one.name for one in reads.experiment.solutions] == ["standalone", "pair"]
    assert [one.name for one in loss.experiment.solutions] == ["pair"]
    assert [one.fault for one in reads.experiment.faults] == ["none"]
    assert [one.fault for one in loss.experiment.faults] == ["kill"]
    assert (reads.experiment.connections, loss.experiment.connections) == ([16], [1, 8])


def test_mappings_are_merged_deeply() -> None:
    reads, loss = parse_parts(FILE, "x.yaml")
    assert (reads.experiment.timing.warmup, reads.experiment.timing.steady) == (1.0, 5.0)
    assert (loss.experiment.timing.warmup, loss.experiment.timing.steady) == (1.0, 4.0)


def test_a_file_without_parts_is_one_without_a_name() -> None:
    text = "name: x\nsolutions: [standalone]\nworkloads: [oltp_read_only]\n"
    (whole,) = parse_parts(text, "x.yaml")
    assert (whole.name, whole.title) == ("", "x")
    assert whole.experiment == parse_experiment(text, "x.yaml")


def test_where_one_experiment_is_needed_parts_are_refused() -> None:
    with pytest.raises(UsageError, match=r"x\.yaml has parts"):
        parse_experiment(FILE, "x.yaml")


def test_a_mistake_in_a_part_is_reported_with_its_place() -> None:
    text = FILE.replace("connections: [16]", "connections: [0]")
    assert _refusal(text).startswith("x.yaml:7:76: connections[0]: found 0\n")


def test_a_mistake_that_parts_share_is_reported_once() -> None:
    message = _refusal(FILE.replace("warmup", "warmpu"))
    assert message.startswith("x.yaml:4:10: unknown key 'warmpu' in timing; did you mean 'warmup'?\n")
    assert message.count("warmpu") == 1


def test_mistakes_of_several_parts_are_reported_in_the_order_of_the_file() -> None:
    text = FILE.replace("[16]", "[0]").replace("faults: [kill]", "faults: [kil]")
    message = _refusal(text)
    assert message.startswith("x.yaml has 2 errors:\nx.yaml:7:76: ")
    assert "\nx.yaml:11:14: faults[0]: unknown fault 'kil'" in message


def test_what_is_missing_in_a_part_is_reported_with_the_part() -> None:
    text = FILE.replace("workloads: [oltp_read_only], ", "")
    assert "in part reads: the key 'workloads' is missing" in _refusal(text)


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ("parts: {}\n", "x.yaml:1:8: parts: found an empty mapping\n"),
        ("parts: [a]\n", "x.yaml:1:8: parts: found a list of 1\n"),
        (
            "parts: {a b: {}}\n",
            "x.yaml:1:9: parts: found the name 'a b'\n    allowed: at most 40 letters, digits",
        ),
        ("parts: {../a: {}}\n", "x.yaml:1:9: parts: found the name '../a'\n"),
        ("parts: {a: 3}\n", "x.yaml:1:12: parts.a: found 3\n"),
        ("parts: {a: {parts: {}}}\n", "unknown key 'parts'"),
    ],
)
def test_how_parts_are_written(parts: str, said: str) -> None:
    assert said in _refusal(parts)


def test_names_that_are_one_folder_elsewhere_are_refused() -> None:
    assert "parts: 'LOSS' and 'loss' differ only in upper and lower case" in _refusal(FILE + "  LOSS: {}\n")


def test_the_defaults_of_parts_load_back_to_the_same() -> None:
    parts = parse_parts(FILE, "x.yaml")
    text = parts_with_defaults("pair", {one.name: one.experiment for one in parts})
    again = parse_parts(text, "x.yaml")
    assert [one.experiment for one in again] == [one.experiment for one in parts]


_VALUES = st.recursive(
    st.integers(0, 9) | st.lists(st.integers(0, 9), max_size=2),
    lambda inner: st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)
_MAPPINGS = st.dictionaries(st.sampled_from("abc"), _VALUES, max_size=3)


def _laid(below: object, above: object) -> object:
    if isinstance(below, dict) and isinstance(above, dict):
        keys = [*below, *(key for key in above if key not in below)]
        return {
            key: _laid(below[key], above[key])
            if key in below and key in above
            else above.get(key, below.get(key))
            for key in keys
        }
    return above


@given(_MAPPINGS, _MAPPINGS)
def test_every_value_has_the_place_that_it_came_from(below: object, above: object) -> None:
    source = document.parse(f"below: {below}\nabove: {above}\n", "x.yaml")
    found = merged("x.yaml", [(source, ("below",)), (source, ("above",))])
    assert found.data == _laid(below, above)
    places = {path: place for path, place in source.values.items() if path}
    for path, place in found.values.items():
        if path:
            assert place in (places.get(("below", *path)), places.get(("above", *path)))
