"""Thresholds are written as text or by keys; a solution that there is not is told with its place."""

import pytest

from fivenines.errors import UsageError
from fivenines.experiment.source import parse_experiment
from fivenines.experiment.spec import Experiment
from fivenines.requirements.thresholds import ThresholdSettings

EXPERIMENT = """\
name: x
solutions: [{{solution: standalone, name: "a: b"}}]
workloads: [oltp_read_only]
thresholds: {section}
"""


def _read(section: str) -> Experiment:
    return parse_experiment(EXPERIMENT.format(section=section), "x.yaml")


def test_a_text_and_its_keys_are_the_same() -> None:
    found = _read('[lost = 0, "a: b: tps > 5", {requirement: tps > 5, solution: "a: b"}]').thresholds
    assert [(one.requirement.text, one.solution) for one in found] == [
        ("lost = 0", None),
        ("tps > 5", "a: b"),
        ("tps > 5", "a: b"),
    ]


def test_what_a_run_keeps_reads_back() -> None:
    experiment = _read('["a: b: failover p95 < 10s"]')
    assert Experiment.model_validate(experiment.model_dump(mode="json")).thresholds == experiment.thresholds


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ("[lst = 0]", "thresholds[0].requirement: there is no measure 'lst'; did you mean 'lost'?"),
        ('["b: tps > 5"]', "thresholds[0]: unknown solution 'b'; the solutions are 'a: b'"),
        ("[a: lost = 0]", "write the whole threshold in quotes: 'a: lost = 0'"),
        ("[{solution: x}]", "the key 'requirement' is missing"),
        ("[7]", "thresholds[0]: found 7"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(section: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        _read(section)
    assert "x.yaml:4" in str(caught.value) and message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "solution", "requirement"),
    [
        ("galera: counter:Com_commit/s < 5", "galera", "counter:Com_commit/s < 5"),
        ("counter:Com_commit/s < 5", None, "counter:Com_commit/s < 5"),
        ("a:b: phase:route < 3s", "a:b", "phase:route < 3s"),
        ("memory: lost = 0", "memory", "lost = 0"),
        ("memory:node < 300", None, "memory:node < 300"),
    ],
)
def test_a_colon_of_a_measure_ends_no_name(text: str, solution: str | None, requirement: str) -> None:
    found = ThresholdSettings.model_validate(text)
    assert (found.solution, found.requirement.text) == (solution, requirement)
