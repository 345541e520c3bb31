"""The phases of a trial as they are written, and how long the load goes on after a fault."""

import pytest

from fivenines.base.errors import UsageError
from fivenines.experiment.course import course
from fivenines.experiment.plan import is_at_most, plan
from fivenines.experiment.sections.timing import RecoverySettings, Timing
from fivenines.experiment.source import parse_experiment
from fivenines.experiment.spec import Experiment


def experiment(recovery: str, more: str = "faults: [{fault: kill}]\n") -> Experiment:
    text = f"name: x\nsolutions: [hot-standby]\nworkloads: [oltp_read_write]\n{more}"
    return parse_experiment(f"{text}timing: {{recovery: {recovery}}}\n", "x.yaml")


def test_a_duration_is_a_fixed_recovery_and_written_back_as_such() -> None:
    found = experiment("20s").timing
    assert found.recovery == RecoverySettings(at_most=20.0)
    assert found.model_dump(mode="json")["recovery"] == "20s"
    assert Timing.model_validate(found.model_dump(mode="json")) == found


def test_a_recovery_until_all_have_rejoined_keeps_its_bound() -> None:
    found = experiment("{at_most: 45s, until: rejoined}")
    recovery = found.timing.recovery
    assert (recovery.at_most, recovery.until, recovery.calm) == (45, "rejoined", 3)
    dumped = found.timing.model_dump(mode="json")
    assert dumped["recovery"] == {"at_most": "45s", "until": "rejoined", "calm": "3s"}
    assert Timing.model_validate(dumped) == found.timing
    assert course(found, False, faulty=True).end == 3 + 10 + 45


@pytest.mark.parametrize(
    ("recovery", "faults", "at_most"),
    [
        ("45s", "[{fault: kill}]", False),
        ("{at_most: 45s, until: rejoined}", "[{fault: kill}]", True),
        ("{at_most: 45s, until: rejoined}", "[none]", False),
    ],
)
def test_what_a_plan_expects_is_the_longest_where_the_load_may_end_early(
    recovery: str, faults: str, at_most: bool
) -> None:
    found = experiment(recovery, f"faults: {faults}\n")
    assert is_at_most(plan(found), found) is at_most


@pytest.mark.parametrize(
    ("recovery", "said"),
    [
        ("20", "timing.recovery: found 20"),
        ("soon", "timing.recovery: found 'soon'"),
        ("0s", "timing.recovery: found '0s'"),
        ("true", "timing.recovery: found true"),
        ("{at_most: 45}", "timing.recovery.at_most: found 45"),
        ("{at_most: 45s, until: back}", "timing.recovery.until: found 'back'"),
        ("{at_most: 45s, calm: 2s}", "without `until`"),
        ("{at_most: 3s, until: rejoined}", "must be shorter than `at_most`"),
        ("{at_least: 3s}", "unknown key 'at_least'"),
    ],
)
def test_mistakes_are_named_where_they_are(recovery: str, said: str) -> None:
    with pytest.raises(UsageError, match=r"x\.yaml:5") as error:
        experiment(recovery)
    assert said in str(error.value)


def test_fixed_work_cannot_end_with_the_recovery() -> None:
    more = "faults: [{fault: kill}]\nload: {transactions: 500}\n"
    with pytest.raises(UsageError, match=r"timing\.recovery\.until: load\.transactions is fixed"):
        experiment("{at_most: 45s, until: rejoined}", more)
