"""`fivenines tolerate`: the experiment that it writes, and options that it refuses."""

from pathlib import Path

import pytest

from fivenines.base.errors import UsageError
from fivenines.cli.timeouts.tolerate import experiment, tolerate
from fivenines.experiment.source import parse_experiment

LENGTHS = ("500ms", "20s")


def test_the_experiment_is_valid() -> None:
    settings = ["ttl=20s", "loop_wait=5s", "retry_timeout=5s"]
    text = experiment(["patroni"], ["freeze", "partition"], settings, LENGTHS, 12)
    found = parse_experiment(text, "x.yaml")
    assert [solution.solution for solution in found.solutions] == ["patroni"]
    kill, freeze, partition = found.faults
    assert (kill.search, kill.fault) == (None, "kill")
    for fault in (freeze, partition):
        assert fault.search is not None
        assert (fault.search.at_least, fault.search.at_most, fault.lasts) == (0.5, 20.0, 20.0)
    assert found.trials.at_most == 12 and found.trials.until is not None
    assert found.timing.recovery.at_most > 20.0 and found.timing.recovery.until == "rejoined"


def test_a_setting_of_a_manager_needs_no_kind() -> None:
    text = experiment(["hot-standby"], ["freeze"], ["manager.interval=500ms"], LENGTHS, 12)
    (solution,) = parse_experiment(text, "x.yaml").solutions
    assert solution.failover_manager is not None and "interval: 500ms" in text


def test_several_solutions_share_an_experiment() -> None:
    found = parse_experiment(experiment(["hot-standby", "galera"], ["freeze"], [], LENGTHS, 20), "x.yaml")
    assert [solution.solution for solution in found.solutions] == ["hot-standby", "galera"]


@pytest.mark.parametrize(
    ("settings", "lengths", "message"),
    [
        (["ttl=20s"], LENGTHS, "--set: name one solution"),
        ([], ("5s", "2s"), "--at-most 2s: write a time longer than --at-least (5s)"),
        ([], ("5", "20s"), "--at-least"),
    ],
)
def test_wrong_options_are_refused(settings: list[str], lengths: tuple[str, str], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        experiment(["patroni", "galera"], ["freeze"], settings, lengths, 20)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("solution", "hiccup", "settings", "message"),
    [
        ("patron", "freeze", [], "patron"),
        ("patroni", "freez", [], "did you mean"),
        ("patroni", "kill", [], "--hiccup kill: it is none that kills no server"),
        ("patroni", "freeze", ["tll=20s"], "tll"),
    ],
)
def test_nothing_is_written_for_bad_input(
    solution: str, hiccup: str, settings: list[str], message: str, tmp_path: Path
) -> None:
    file = tmp_path / "x.yaml"
    with pytest.raises(UsageError) as caught:
        tolerate([solution], hiccup=[hiccup], settings=settings, file=file, dry_run=True)
    assert message in str(caught.value) and not file.exists()


def test_a_file_with_other_contents_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("name: mine\n")
    with pytest.raises(UsageError) as caught:
        tolerate(["hot-standby"], file=file, dry_run=True)
    assert "exists and has other contents" in str(caught.value) and file.read_text() == "name: mine\n"
