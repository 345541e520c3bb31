"""Sweeps in experiment files: what they become, and where their mistakes are said to be."""

import json
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fivenines.analysis.measures.trials import exactly
from fivenines.base.errors import UsageError
from fivenines.experiment.defaults import as_dict, with_defaults
from fivenines.experiment.plan import cells, plan, select
from fivenines.experiment.source import parse_experiment, solution_from
from fivenines.experiment.spec import Experiment
from fivenines.experiment.validation.sweeps import few_trials

HEAD = "name: x\ntrials: 4\nworkloads: [oltp_read_only]\n"
SWEPT = "solutions: [{solution: galera, name: g, sweep: {appliers: [1, 4], size: [3, 5]}}, standalone]\n"


def _parsed(text: str) -> Experiment:
    return parse_experiment(HEAD + text, "x.yaml")


def test_lists_become_one_solution_each() -> None:
    experiment = _parsed(SWEPT)
    assert [one.name for one in experiment.solutions] == [
        "g [appliers=1, size=3]",
        "g [appliers=1, size=5]",
        "g [appliers=4, size=3]",
        "g [appliers=4, size=5]",
        "standalone",
    ]
    second, plain = as_dict(experiment)["solutions"][1], experiment.solutions[-1]
    assert (second["appliers"], second["size"], second["sweep"]) == (1, 5, None)
    assert second["variant"] == {
        "of": "g",
        "settings": {"appliers": 1, "size": 5},
        "by": "tps",
        "best_for": "each",
        "judged_on": "other-trials",
    }
    assert plain.variant is None
    assert parse_experiment(with_defaults(experiment), "x.yaml") == experiment
    assert len(plan(experiment)) == 5 * 4


def test_keys_inside_others_and_the_measure() -> None:
    text = (
        "solutions:\n  - solution: replication\n    durability: relaxed\n    server: {sync_binlog: 0}\n"
        "    sweep:\n"
        "      settings: {manager.misses: [2, 3], server.innodb_io_capacity: [100, 200]}\n"
        "      by: outage_writes\n      best_for: all\nfaults: [kill]\n"
    )
    found = _parsed(text).solutions
    settings = [(one.manager.misses, one.server["innodb_io_capacity"]) for one in found]  # type: ignore[attr-defined]
    assert settings == [(2, 100), (2, 200), (3, 100), (3, 200)]
    assert {one.server["sync_binlog"] for one in found} == {0}
    assert found[0].name == "replication async [misses=2, innodb_io_capacity=100]"
    assert found[0].variant is not None
    assert (found[0].variant.by, found[0].variant.best_for) == ("outage_writes", "all")


def test_whole_kinds_and_words_for_kinds() -> None:
    text = "solutions: [{solution: galera, access: haproxy, sweep: {access.interval: [500ms, 1s]}}]\n"
    names = [one.name for one in _parsed(text).solutions]
    assert names == ["galera + haproxy [interval=500ms]", "galera + haproxy [interval=1s]"]
    text = "solutions: [{solution: galera, sweep: {access: [direct, haproxy]}}]\n"
    kinds = [one.access.kind for one in _parsed(text).solutions]
    assert kinds == ["direct", "haproxy"]


@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(1, 99), min_size=2, max_size=4, unique=True), st.integers(0, 48))
def test_names_are_distinct_and_fit_into_tables(values: list[int], length: int) -> None:
    name = "g" + "o" * length
    text = f"appliers: {values}, server.innodb_buffer_pool_size: [64M, 128M]"
    found = _parsed(f"solutions: [{{solution: galera, name: {name}, sweep: {{{text}}}}}]\n").solutions
    variants = [one.variant.settings["appliers"] for one in found if one.variant]
    assert variants == [value for value, _ in product(values, range(2))]
    assert len({one.name for one in found}) == 2 * len(values)
    assert all(one.name.startswith(f"{name} [") and len(one.name) <= 60 for one in found)


_ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(["direct", "5s", "a\nb", ""]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["appliers", "access", "access.kind", "access..x", "settings", "by", "server.x", ""]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)


@settings(deadline=None)
@given(_ANYTHING, _ANYTHING)
def test_whatever_stands_in_a_sweep_is_read_or_explained(sweep: object, access: object) -> None:
    entry = json.dumps({"solution": "galera", "sweep": sweep, "access": access})
    try:
        found = _parsed(f"solutions: [{entry}]\n")
    except UsageError as refused:
        assert "x.yaml:" in str(refused)
    else:
        assert found.solutions


def test_the_name_of_the_whole_stands_for_all_variants() -> None:
    text = (
        SWEPT
        + "faults: [none, {fault: kill, only: [g]}, {fault: freeze, only: ['g [appliers=4, size=3]']}]\n"
    )
    experiment = _parsed(text)
    faults = [cell.key.fault for cell in cells(experiment)]
    assert (faults.count("none"), faults.count("kill"), faults.count("freeze")) == (5, 4, 1)
    trials = plan(experiment)
    assert len({trial.cell.key.solution for trial in select(trials, ["g"])}) == 4
    assert len({trial.cell.key.solution for trial in select(trials, ["g [appliers=1, size=3]"])}) == 1
    with pytest.raises(UsageError, match=r"allowed: 'g', 'g .appliers=1, size=3.'"):
        select(trials, ["h"])


def test_few_trials_are_reported() -> None:
    experiment = _parsed(SWEPT)
    assert few_trials(experiment) == ""
    assert "no confidence interval" in few_trials(experiment.model_copy(update={"trials": exactly(3)}))
    assert "at least 2 trials" in few_trials(experiment.model_copy(update={"trials": exactly(1)}))
    plain = _parsed("solutions: [standalone]\n").model_copy(update={"trials": exactly(1)})
    assert few_trials(plain) == ""


def test_a_playground_has_no_sweep() -> None:
    swept = {"solution": "galera", "sweep": {"settings": {"appliers": [1, 2]}}}
    with pytest.raises(UsageError, match="sweeps are possible only in experiment files"):
        solution_from(swept, "up")


def _sweep(text: str) -> str:
    return f"solutions: [{{solution: galera, name: g, sweep: {text}}}]\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            _sweep("{appliers: [1, 0]}"),
            "x.yaml:4:63: solutions[0].sweep.appliers[1]: found 0\n    allowed: a whole number at least 1",
        ),
        (
            _sweep("{settings: {suspect_timeout: [5s, 1]}}"),
            "x.yaml:4:82: solutions[0].sweep.settings.suspect_timeout[1]: found 1\n",
        ),
        (
            _sweep("{aplliers: [1, 2]}"),
            "x.yaml:4:49: unknown key 'aplliers' in solutions[0]; did you mean 'appliers'?",
        ),
        (
            _sweep("{access.intervall: [1s, 2s]}"),
            "x.yaml:4:49: unknown key 'intervall' in solutions[0].access",
        ),
        (_sweep("{appliers: []}"), "x.yaml:4:49: solutions[0].sweep.appliers: the list of values"),
        (
            _sweep("{appliers: [4]}"),
            "x.yaml:4:49: solutions[0].sweep.appliers: a sweep needs at least 2 values",
        ),
        (_sweep("{appliers: 4}"), "x.yaml:4:49: solutions[0].sweep.appliers: found 4, but a sweep"),
        (
            _sweep("{server: {innodb_io_capacity: [1, 2]}}"),
            "x.yaml:4:49: solutions[0].sweep.server: found a mapping: write nested keys with "
            "dots, as 'server.innodb_io_capacity'",
        ),
        (_sweep("{appliers: [1, 2, 1]}"), "x.yaml:4:66: solutions[0].sweep.appliers[2]: 1 is repeated"),
        (
            _sweep("{appliers: [1, 2]}, appliers: 3"),
            "x.yaml:4:49: solutions[0].sweep.appliers: the solution sets 'appliers', too",
        ),
        (
            _sweep("{access: [direct, haproxy], access.interval: [1s, 2s]}"),
            "x.yaml:4:76: solutions[0].sweep.access.interval: it is inside 'access'",
        ),
        (_sweep("{name: [a, b]}"), "x.yaml:4:49: solutions[0].sweep.name: 'name' cannot be swept"),
        (_sweep("{}"), "x.yaml:4:48: solutions[0].sweep: found an empty mapping"),
        (_sweep("[1, 2]"), "x.yaml:4:48: solutions[0].sweep: found a list of 2"),
        (_sweep("{settings: []}"), "x.yaml:4:59: solutions[0].sweep.settings: found an empty list"),
        (
            _sweep("{appliers: [1, 2], by: throughput}"),
            "x.yaml:4:67: solutions[0].sweep: 'by' is mixed with the settings: write `sweep: {settings",
        ),
        (
            _sweep("{settings: {appliers: [1, 2]}, by: speed}"),
            "x.yaml:4:83: solutions[0].sweep.by: there is no measure 'speed': there are tps, ",
        ),
        (
            _sweep("{settings: {appliers: [1, 2]}, from: all}"),
            "x.yaml:4:79: unknown key 'from' in solutions[0].sweep",
        ),
        (
            _sweep("{suspect_timeout: [1s, 20s]}"),
            "x.yaml:4:13: solutions[0] [suspect_timeout=20s]: inactive_timeout must not be shorter",
        ),
        (
            _sweep("{suspect_timeout: [1s, 1000ms]}"),
            "x.yaml:4:13: solutions[0] [suspect_timeout=1000ms]: 'g [suspect_timeout=1000ms]' is the same",
        ),
        (
            _sweep("{settings: {appliers: [1, 2]}, by: failover}"),
            "x.yaml:4:13: solutions[0]: its sweep chooses by failover, which needs trials with a fault",
        ),
        (
            _sweep(f"{{appliers: {list(range(1, 102))}}}"),
            "x.yaml:4:48: solutions[0].sweep: 101 variants are too many\n    allowed: up to 100 variants",
        ),
        (
            "solutions: [{solution: galera, name: 5, sweep: {appliers: [1, 2]}}]\n",
            "x.yaml:4:38: solutions[0].name: found 5",
        ),
        (
            "solutions: [{solution: galera, name: g, sweep: {size: [3, 5]}}, "
            "{solution: standalone, name: g}]\n",
            "x.yaml:4:65: solutions[1]: a swept solution has the same name 'g'",
        ),
        (
            "solutions: [{solution: galera, name: g, sweep: {size: [3, 5]}}, "
            "{solution: galera, name: g, sweep: {appliers: [3, 5]}}]\n",
            "x.yaml:4:90: solutions[1] and solutions[0] have the same name 'g'",
        ),
        (SWEPT + "faults: [{fault: kill, only: [h]}]\n", "x.yaml:5:30: faults[0].only: unknown solution"),
        ("trials: 1\n" + SWEPT, "x.yaml:4:1: the key 'trials' is repeated"),
    ],
)
def test_a_mistake_is_reported_where_it_stands_and_once(text: str, said: str) -> None:
    with pytest.raises(UsageError) as refused:
        _parsed(text)
    message = str(refused.value)
    assert message.startswith(said) and "errors:" not in message


def test_one_trial_is_refused() -> None:
    with pytest.raises(UsageError, match=r"x.yaml:2:9: trials: 1: a sweep needs at least 2 trials"):
        parse_experiment(HEAD.replace("trials: 4", "trials: 1") + SWEPT, "x.yaml")


def test_variants_of_one_sweep_agree() -> None:
    written = with_defaults(_parsed(SWEPT)).replace("by: tps", "by: latency_p95", 1)
    with pytest.raises(UsageError, match="differs from other variants of 'g' in how"):
        parse_experiment(written, "x.yaml")


def _swept(more: str) -> str:
    return f"solutions: [{{solution: galera, name: g, sweep: {{settings: {{size: [3, 5]}}, {more}}}}}]\n"


@pytest.mark.parametrize(
    ("by", "says"),
    [
        ("host_cpu", "host_cpu cannot decide which variant is best"),
        ("lost", "lost has no value in each trial"),
        ("throughpt", "there is no measure 'throughpt'"),
    ],
)
def test_a_sweep_chooses_by_what_has_a_best(by: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        _parsed(_swept(f"by: {by}"))


def test_words_of_before_and_further_choices_are_read() -> None:
    found = _parsed(_swept("by: throughput, best_for: workload, judged_on: same-trials"))
    variant = found.solutions[0].variant
    assert variant is not None
    assert (variant.by, variant.best_for, variant.judged_on) == ("tps", "workload", "same-trials")


def test_the_way_of_a_study_takes_one_trial() -> None:
    text = HEAD.replace("trials: 4", "trials: 1") + _swept("judged_on: same-trials")
    assert parse_experiment(text, "x.yaml").trials.at_most == 1
