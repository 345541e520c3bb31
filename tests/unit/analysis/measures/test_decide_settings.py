"""The section `decide:` accepts a list or keys; errors name the line."""

import pytest

from fivenines.analysis.measures.decide import REQUIREMENTS, DecideSettings
from fivenines.base.errors import UsageError
from fivenines.experiment.source import parse_experiment

EXPERIMENT = """\
name: x
solutions: [standalone]
workloads: [oltp_read_only]
decide: {section}
"""


def _read(section: str) -> DecideSettings:
    return parse_experiment(EXPERIMENT.format(section=section), "x.yaml").decide


def test_without_a_section_the_default_requirements_apply() -> None:
    settings = DecideSettings()
    assert [requirement.text for requirement in settings.requirements] == list(REQUIREMENTS)
    assert settings.prefer[0] == "tps"


def test_requirements_are_a_list_or_keys() -> None:
    listed = _read("{requirements: [outage_writes < 10s, lost <= 10%, stale = 0, hosts <= 3]}")
    keyed = _read('{requirements: {outage_writes: "< 10s", lost: {at_most: 10%}, stale: 0, hosts: "<= 3"}}')
    assert [requirement.text for requirement in keyed.requirements] == [
        requirement.text for requirement in listed.requirements
    ]
    assert [requirement.limit for requirement in listed.requirements] == [10_000.0, 0.1, 0.1, 3.0]


def test_a_range_is_two_requirements() -> None:
    keyed = _read("{requirements: {hosts: {at_least: 2, at_most: 4}}}")
    assert [requirement.text for requirement in keyed.requirements] == ["hosts >= 2", "hosts <= 4"]


def test_a_run_stores_its_decision_settings() -> None:
    settings = _read("{requirements: [failover p95 < 8s], prefer: [cost, tps], by: [connections]}")
    assert DecideSettings.model_validate(settings.model_dump(mode="json")) == settings


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ("{requirements: [outage < 3s]}", "there is no measure 'outage'"),
        ("{requirements: {lost: {most: 3}}}", "'most' is not one of at_most, at_least, below, above"),
        ("{prefer: [lost]}", "lost is a requirement, not a preference"),
        ("{prefer: [tpm]}", "there is no measure 'tpm'; did you mean 'tps'?"),
        ("{prefer: []}", "prefer"),
        ("{by: [fault]}", "fault"),
    ],
)
def test_an_error_names_its_line(section: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        _read(section)
    assert "x.yaml:4" in str(caught.value) and message in str(caught.value)
