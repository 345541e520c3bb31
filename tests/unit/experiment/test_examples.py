"""The examples: editors find their schema, and those that take root say so."""

import json
import re
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from repository import ROOT
from ruamel.yaml import YAML

from fivenines.base.errors import UsageError
from fivenines.experiment.plan import plan, select
from fivenines.experiment.source import load_experiment, parse_parts
from fivenines.lab.processes import ids

FOLDER = ROOT / "examples"
EXAMPLES = sorted(FOLDER.glob("*.yaml"))
LACKING = "only root can map all user ids"


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: str(path.name))
def test_its_first_line_leads_an_editor_to_a_schema_that_it_keeps(path: Path) -> None:
    first = path.read_text().splitlines()[0]
    match = re.fullmatch(r"# yaml-language-server: \$schema=(\S+)", first)
    assert match is not None
    schema = json.loads((FOLDER / match[1]).read_text())
    data = YAML(typ="safe").load(path.read_text())
    assert [error.message for error in Draft202012Validator(schema).iter_errors(data)] == []


def _with_root(path: Path) -> list[str]:
    """Its solutions that only root can run."""
    parts = parse_parts(path.read_text(), str(path))
    managers = {one.name: one.failover_manager for part in parts for one in part.experiment.solutions}
    return [name for name, manager in managers.items() if manager is not None and manager.all_ids]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: str(path.name))
def test_one_that_takes_root_says_so_in_its_head(path: Path) -> None:
    head = path.read_text().split("\nname:")[0]
    assert bool(_with_root(path)) == ("\n# Needs root: " in head)
    assert bool(_with_root(path)) == ("sudo fivenines run" in head)


def test_those_with_pacemaker_take_root() -> None:
    with_root = [path.name for path in EXAMPLES if _with_root(path)]
    assert with_root == ["client-access.yaml", "managers.yaml", "second-failure.yaml", "tolerate.yaml"]


def test_without_root_it_plans_what_needs_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ids, "problem", lambda: LACKING)
    path = FOLDER / "managers.yaml"
    with pytest.raises(UsageError, match=LACKING):
        load_experiment(path)
    with pytest.raises(UsageError, match=LACKING):
        load_experiment(path, ["MHA", "Pacemaker"])
    experiment, _ = load_experiment(path, ["operator", "MHA"])
    chosen = {trial.cell.key.solution for trial in select(plan(experiment), ["operator", "MHA"])}
    assert chosen == {"operator", "MHA"}
