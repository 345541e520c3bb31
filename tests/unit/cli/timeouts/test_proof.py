"""The experiment that proves recommended timeouts."""

import pytest

from fivenines.cli.timeouts import asked as options
from fivenines.cli.timeouts.proof import proof_text
from fivenines.experiment.source import parse_experiment
from fivenines.experiment.spec import Experiment
from fivenines.faults.repeat import RepeatSettings


def proof(limit: str, *models: str) -> tuple[str, Experiment]:
    asked = options.asked("patroni", [limit, "outage p95 < 10s"], list(models), [], "kill", 12)
    text = proof_text(asked, ["as given"])
    return text, parse_experiment(text, "proof")


def repeats(experiment: Experiment) -> list[RepeatSettings]:
    return [fault for fault in experiment.faults if isinstance(fault, RepeatSettings)]


def test_several_kinds_share_the_limit_and_have_names() -> None:
    text, made = proof("needless < 2/year", "freeze 4/month lognormal 2s..8s", "partition 1/week fixed 3s")
    freezes, cuts = repeats(made)
    assert (freezes.name, cuts.name) == ("freezes in turn 1", "partitions in turn 2")
    # 1 of 48 takes 143 hiccups, and 1 of 52.2 takes 155.
    assert "# 143 freezes without a failover show needless < 2/year, as one of 2 kinds." in text
    assert "# 155 partitions without a failover show needless < 2/year, as one of 2 kinds." in text


def test_equal_models_are_one_with_the_sum_of_their_rates() -> None:
    text, made = proof("needless < 1/year", *["freeze 2/month lognormal 2s..8s"] * 2)
    (freezes,) = repeats(made)
    assert freezes.of.mtbf == pytest.approx(657_450.0)
    assert "143 freezes" in text


def test_few_hiccups_are_several_in_each_trial() -> None:
    # Only several are counted in turn.
    _, made = proof("needless < 1/month", "freeze 4/month lognormal 2s..8s")
    assert [one.times for one in repeats(made)] == [2]


def test_a_limit_that_takes_too_many_hiccups_is_said() -> None:
    text, made = proof("needless < 1/year", "freeze 100/hour fixed 200ms")
    (freezes,) = repeats(made)
    assert freezes.times == 100 and "this file has 6000: set more trials." in text
