"""Trials are a number, or run until an interval is narrow enough; errors name the line."""

import pytest

from fivenines.base.errors import UsageError
from fivenines.experiment.defaults import with_defaults
from fivenines.experiment.plan import plan
from fivenines.experiment.source import parse_experiment
from fivenines.experiment.spec import Experiment

EXPERIMENT = """\
name: x
solutions: [{{solution: hot-standby}}{more}]
workloads: [oltp_read_only]
trials: {section}
faults: [{faults}]
"""

NEEDED = "{at_least: 3, at_most: 20, until: {measure: outage_writes, within: 10%}}"


def _read(section: str, faults: str = "kill", more: str = "") -> Experiment:
    return parse_experiment(EXPERIMENT.format(section=section, faults=faults, more=more), "x.yaml")


def test_a_number_is_stored_as_a_number() -> None:
    experiment = _read("4")
    assert (experiment.trials.at_least, experiment.trials.at_most) == (4, 4)
    assert experiment.model_dump(mode="json")["trials"] == 4
    assert len(plan(experiment)) == 4


def test_the_plan_has_the_largest_number_of_trials() -> None:
    experiment = _read(NEEDED)
    assert experiment.trials.until is not None and experiment.trials.until.within == 0.1
    assert len(plan(experiment)) == 20


@pytest.mark.parametrize("section", ["4", NEEDED])
def test_stored_settings_read_back(section: str) -> None:
    experiment = _read(section)
    assert Experiment.model_validate(experiment.model_dump(mode="json")) == experiment
    assert parse_experiment(with_defaults(experiment), "y.yaml").trials == experiment.trials


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ("0", "trials: found 0\n    allowed: a whole number from 1 to 1000, or"),
        ("many", "trials: found 'many'\n    allowed: a whole number"),
        ("{at_least: 3, at_most: 9}", "at_least is less than at_most, but `until` is missing"),
        ("{at_least: 9, at_most: 3}", "at_least: 9 is more than at_most: 3"),
        ("{at_lest: 3}", "unknown key 'at_lest' in trials; did you mean 'at_least'?"),
        ("{until: {measure: lost, within: 10%}}", "lost has no mean with an interval"),
        ("{until: {measure: outage, within: 10%}}", "there is no measure 'outage'"),
        ("{until: {measure: tps, within: 10}}", "write a percentage of the mean, such as 10%"),
        ("{until: {measure: tps, within: 300%}}", "'300%' is not a percentage of the mean"),
        ("{until: {measure: tps}}", "the key 'within' is missing in trials.until"),
        ("{at_least: 1, until: {measure: tps, within: 5%}}", "one trial has no interval"),
        ("{at_most: 500, until: {measure: tps, within: 5%}}", "the largest value with `until` is 200"),
    ],
)
def test_an_error_names_its_line(section: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        _read(section)
    assert "x.yaml:4" in str(caught.value) and message in str(caught.value)


def test_a_measure_of_faults_needs_one() -> None:
    with pytest.raises(UsageError, match="outage_writes needs a fault"):
        _read(NEEDED, faults="none")


def test_a_sweep_takes_a_number() -> None:
    swept = ", {solution: replication, name: r, sweep: {durability: [relaxed, strict]}}"
    with pytest.raises(UsageError, match="set a number of trials, or sweep in a separate experiment"):
        _read(NEEDED, more=swept)
