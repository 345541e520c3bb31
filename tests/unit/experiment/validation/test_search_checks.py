"""Faults whose length or severity is searched: which faults can, and what else must fit."""

from pathlib import Path

import pytest

from fivenines.base.errors import UsageError
from fivenines.experiment.source import load_experiment

TEXT = """name: x
trials: {trials}
solutions: [hot-standby]
workloads: [oltp_read_write]
faults:
  - {fault}
timing: {{recovery: 60s}}
"""


def load(tmp_path: Path, fault: str, trials: str = "20") -> None:
    file = tmp_path / "x.yaml"
    file.write_text(TEXT.format(fault=fault, trials=trials))
    load_experiment(file)


@pytest.mark.parametrize(
    "fault",
    [
        "{fault: freeze, search: {at_most: 10s}}",
        "{fault: partition, search: {at_least: 1s, at_most: 40s}}",
        "{fault: slow-disk, search: {}}",
        "{fault: slow-disk, severity: {of: delay, at_least: 5ms, at_most: 20s}}",
        "{fault: degrade, duration: 9s, severity: {of: loss, at_least: 1%, at_most: 90%}}",
        "{fault: degrade, jitter: 1ms, severity: {of: latency, at_least: 2ms, at_most: 2s}}",
    ],
)
def test_a_fault_that_kills_no_server_can_have_a_search(tmp_path: Path, fault: str) -> None:
    load(tmp_path, fault)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("{fault: command, inject: x, search: {}}", "or set `hiccup: true` if its commands do"),
        ("{fault: command, inject: x, verify: y, hiccup: true, search: {}}", "only `recover` ends a command"),
        ("{fault: command, inject: x, hiccup: true}", "hiccup: its end must be known: set `recover`"),
        ("{fault: kill, search: {}}", "faults[0].search: kill is no fault that kills no server"),
        ("{fault: freeze, duration: 2s, search: {}}", "faults[0].duration: `search` sets it"),
        ("{fault: freeze, search: {at_least: 9s, at_most: 3s}}", "at_most: 3s is not longer than at_least"),
        (
            "{fault: freeze, severity: {of: duration, at_least: 1s, at_most: 9s}}",
            "faults[0].severity: of: 'duration' is not a setting whose severity can be searched: choose a",
        ),
        (
            "{fault: degrade, severity: {of: delay, at_least: 1s, at_most: 9s}}",
            "of: 'delay' is not a setting whose severity can be searched: choose one of latency, loss",
        ),
        (
            "{fault: slow-disk, delay: 1s, severity: {of: delay, at_least: 1s, at_most: 9s}}",
            "faults[0].delay: `severity` sets it",
        ),
        (
            "{fault: slow-disk, severity: {of: delay, at_least: 9s, at_most: 1s}}",
            "at_most: 1s is not larger than at_least",
        ),
        (
            "{fault: slow-disk, severity: {of: delay, at_least: 5%, at_most: 9s}}",
            "at_least: '5%' is not a duration",
        ),
        (
            "{fault: degrade, severity: {of: loss, at_least: 5%, at_most: 100%}}",
            "at_most: 100% must be below 100%",
        ),
        (
            "{fault: degrade, severity: {of: loss, at_least: 5%, at_most: 9s}}",
            "at_most: '9s' is not a fraction",
        ),
        (
            "{fault: slow-disk, duration: null, severity: {of: delay, at_least: 1s, at_most: 9s}}",
            "its fault must end: set a duration",
        ),
        (
            "{fault: slow-disk, search: {}, severity: {of: delay, at_least: 1s, at_most: 9s}}",
            "a fault has either a search or a severity",
        ),
        (
            "{fault: freeze, search: {at_most: 2m}}",
            "faults[0].search: 2m is not shorter than timing.recovery",
        ),
        (
            "{fault: sequence, steps: [{fault: {fault: freeze, search: {}}}]}",
            "sequence consists of other faults: only a single fault can have a search",
        ),
    ],
)
def test_other_searches_are_refused(tmp_path: Path, fault: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        load(tmp_path, fault)
    assert "x.yaml:6" in str(caught.value) and message in str(caught.value)


def test_a_search_has_a_largest_number_of_trials(tmp_path: Path) -> None:
    load(tmp_path, "{fault: freeze, search: {}}", "200")
    with pytest.raises(UsageError) as caught:
        load(tmp_path, "{fault: freeze, search: {}}", "201")
    assert "x.yaml:2" in str(caught.value) and "the largest number with a search is 200" in str(caught.value)


def test_a_search_needs_some_trials(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        load(tmp_path, "{fault: freeze, search: {}}", "3")
    assert "x.yaml:2" in str(caught.value) and "a search needs 6 or more" in str(caught.value)
