"""Thresholds are texts or keys; an unknown solution is an error that names the line."""

import pytest

from fivenines.analysis.measures.thresholds import ThresholdSettings
from fivenines.base.errors import UsageError
from fivenines.experiment.source import parse_experiment
from fivenines.experiment.spec import Experiment

EXPERIMENT = """\
name: x
solutions: [{{solution: standalone, name: "a: b"}}]
workloads: [oltp_read_only]
thresholds: {section}
"""


def _read(section: str) -> Experiment:
    return parse_experiment(EXPERIMENT.format(section=section), "x.yaml")


def test_a_text_and_its_keys_are_the_same() -> None:
    thresholds = _read('[lost = 0, "a: b: tps > 5", {requirement: tps > 5, solution: "a: b"}]').thresholds
    assert [(one.requirement.text, one.solution) for one in thresholds] == [
        ("lost = 0", None),
        ("tps > 5", "a: b"),
        ("tps > 5", "a: b"),
    ]


def test_stored_thresholds_read_back() -> None:
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
def test_an_error_names_its_line(section: str, message: str) -> None:
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
def test_a_colon_in_a_measure_does_not_end_the_solution_name(
    text: str, solution: str | None, requirement: str
) -> None:
    threshold = ThresholdSettings.model_validate(text)
    assert (threshold.solution, threshold.requirement.text) == (solution, requirement)
