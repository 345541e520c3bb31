"""First experiment files: good as they stand, and with every further setting that they show."""

import re

import pytest

from fivenines.experiment.choices import models, needed
from fivenines.experiment.plan import plan
from fivenines.experiment.source import parse_experiment
from fivenines.experiment.spec import Experiment
from fivenines.experiment.starter import MOST, Wish, fitting, misfit, offered, starter

SOLUTIONS = list(offered("solutions"))
_SETTING = re.compile(r"(?m)^( *)#([a-z_]+: )")


def _wish(
    solutions: list[str], workload: str = "oltp_read_write", fault: str = "kill", trials: int = 3
) -> Wish:
    return Wish("first", solutions, [workload], [fault], [8], trials, "fivenines init")


def _read(text: str) -> Experiment:
    return parse_experiment(text, "first.yaml")


def _with_all(text: str) -> str:
    """The file with every setting that is a comment."""
    found, count = _SETTING.subn(r"\1\2", text)
    assert count > 5
    return found


@pytest.mark.parametrize("solution", SOLUTIONS)
def test_a_file_of_each_solution_is_good_with_and_without_its_further_settings(solution: str) -> None:
    text = starter(_wish([solution]), "schema.json")
    assert [trial.cell.key.solution for trial in plan(_read(text))] == [solution] * 3
    assert _read(_with_all(text)).solutions[0].solution == solution


@pytest.mark.parametrize("workload", offered("workloads"))
def test_a_file_of_each_workload_is_good_with_and_without_its_further_settings(workload: str) -> None:
    text = starter(_wish(["standalone"], workload), "schema.json")
    assert _read(text).workloads[0].workload == workload
    every = _with_all(text)
    # A ledger alongside some workloads is a separate error, not one of the comments.
    assert _read(every).workloads[0].workload == workload


@pytest.mark.parametrize("fault", offered("faults"))
def test_a_fault_is_for_the_solutions_that_it_fits(fault: str) -> None:
    if misfit(fault, SOLUTIONS):
        assert all(fitting(fault, SOLUTIONS).values())
        return
    experiment = _read(starter(_wish(SOLUTIONS, fault=fault), "schema.json"))
    fits = {name for name, why in fitting(fault, SOLUTIONS).items() if not why}
    assert {trial.cell.key.solution for trial in plan(experiment)} == fits


def test_settings_without_their_mark_are_those_that_hold_anyway() -> None:
    """What the comments call defaults are the defaults."""
    text = starter(_wish(["galera", "hot-standby"], "tpcc"), "schema.json")
    before, after = _read(text), _read(_with_all(text))
    assert (after.solutions, after.workloads, after.faults) == (
        before.solutions,
        before.workloads,
        before.faults,
    )


def test_the_comments_are_what_the_models_say() -> None:
    text = starter(_wish(["galera"]), "schema.json")
    model = models("solutions")["galera"]
    own = [key for key in model.written() if f"    #{key}: " in text]
    assert len(own) >= MOST
    plain = " ".join(text.replace("#", " ").split())
    for key in own:
        assert (model.model_fields[key].description or "nothing") in plain


def test_it_begins_with_the_line_that_editors_look_for() -> None:
    text = starter(_wish(["standalone"]), "/somewhere/schema.json")
    assert text.splitlines()[0] == "# yaml-language-server: $schema=/somewhere/schema.json"
    assert all(len(line) <= 110 for line in text.splitlines() if line.lstrip().startswith("# "))


def test_kinds_that_need_settings_are_not_offered() -> None:
    assert "external" not in offered("solutions")
    assert not {"mix", "script"} & set(offered("workloads"))
    assert not {"command", "repeat", "sequence"} & set(offered("faults"))
    assert needed(models("workloads")["script"], "workloads") == ["files"]
