"""An experiment written out with all defaults is the same experiment."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from repository import ROOT

from fivenines.base.units import format_duration, format_rate, format_size
from fivenines.experiment.defaults import as_dict, with_defaults
from fivenines.experiment.source import load_experiment, parse_experiment
from fivenines.experiment.spec import Experiment

EXAMPLES = ROOT / "examples"

durations = st.floats(0.001, 1e6).map(format_duration)
texts = st.text(st.characters(exclude_categories=("C", "Zl", "Zp")), min_size=1, max_size=30).filter(
    str.isprintable
)
scalars = st.one_of(texts, st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.booleans())
# Names of no server: neither refused nor abbreviations of what is refused.
names = st.from_regex(r"x_[A-Za-z0-9_.-]{1,20}", fullmatch=True)
# Two names in other spellings are one setting, which is refused.
servers = st.dictionaries(names, scalars, max_size=3).filter(
    lambda some: len({name.lower().replace("-", "_") for name in some}) == len(some)
)
common = {
    "limits": st.fixed_dictionaries(
        {}, optional={"memory": st.integers(1, 2**40).map(format_size), "cpus": st.floats(0.01, 64)}
    ),
    "server": servers,
    "durability": st.sampled_from(["strict", "relaxed"]),
    "access": st.one_of(
        st.sampled_from(["direct", "haproxy"]),
        st.fixed_dictionaries({"kind": st.just("haproxy"), "interval": durations}),
    ),
}
manager = st.one_of(
    st.just("none"), st.fixed_dictionaries({"kind": st.just("operator"), "timeout": durations})
)
solutions = st.one_of(
    st.fixed_dictionaries({"solution": st.just("standalone")}, optional=common),
    st.fixed_dictionaries(
        {"solution": st.just("hot-standby"), "synchronous_commit": st.sampled_from(["on", "off", "local"])},
        # relaxed durability is refused here: synchronous_commit says it all
        optional={**common, "durability": st.just("strict"), "manager": manager},
    ),
    st.fixed_dictionaries({"solution": st.just("galera")}, optional=common),
)
experiments = st.fixed_dictionaries(
    {"name": texts, "workloads": st.just(["oltp_read_only"])},
    optional={
        "description": st.text(max_size=50),
        "seed": st.integers(),
        "connections": st.lists(st.integers(1, 1000), min_size=1, unique=True),
        "network": st.fixed_dictionaries({"bandwidth": st.integers(1, 10**12).map(format_rate)}).map(
            lambda one: [one]
        ),
        "timing": st.fixed_dictionaries({"warmup": durations, "settle": durations}),
        "faults": st.sampled_from([["none", "kill"], [{"fault": "kill", "restart_after": None}]]),
    },
)


@settings(max_examples=60, deadline=None)
@given(experiments, st.lists(solutions, min_size=1, max_size=3))
def test_what_is_written_out_loads_back_to_the_same(
    data: dict[str, Any], chosen: list[dict[str, Any]]
) -> None:
    named = [{**one, "name": f"solution {index}"} for index, one in enumerate(chosen)]
    experiment = Experiment.model_validate({**data, "solutions": named}).model_copy()
    filled = parse_experiment(with_defaults(experiment), "x.yaml")
    assert as_dict(filled)["solutions"] == as_dict(experiment)["solutions"]
    assert parse_experiment(with_defaults(filled), "x.yaml") == filled
    assert with_defaults(parse_experiment(with_defaults(filled), "x.yaml")) == with_defaults(filled)


@pytest.mark.parametrize("name", ["quickstart.yaml", "mariadb-ha.yaml", "wan.yaml"])
def test_the_examples_load_back(name: str) -> None:
    experiment, _ = load_experiment(EXAMPLES / name)
    assert parse_experiment(with_defaults(experiment), "x.yaml") == experiment


def test_units_are_written_and_dangerous_words_are_quoted() -> None:
    experiment, _ = load_experiment(EXAMPLES / "quickstart.yaml")
    text = with_defaults(experiment)
    assert "  warmup: 2s\n" in text
    assert '    synchronous_commit: "on"\n' in text
    assert "    bandwidth: null\n" in text
    assert "connections: [8]\n" in text
    assert as_dict(experiment)["solutions"][0]["manager"]["interval"] == "500ms"
