"""Requirement files: the built-in ones load and answer a question, and errors have their place."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from repository import ROOT
from ruamel.yaml import YAML

from fivenines.base.errors import UsageError
from fivenines.experiment import requirements

FOLDER = ROOT / "examples" / "requirements"


def test_the_built_in_files_are_those_of_the_repository() -> None:
    assert requirements.names() == sorted(path.stem for path in FOLDER.glob("*.yaml"))
    assert requirements.names() == ["aanby-2014", "mohsen-2020", "wolski-2006"]


@pytest.mark.parametrize("name", requirements.names())
def test_each_loads_by_its_name_has_a_question_and_keeps_its_schema(name: str) -> None:
    path = requirements.located(Path(name))
    found = requirements.load(path)
    assert found.description.endswith("?") and len(found.decide.cases) >= 4
    text = path.read_text()
    first = text.splitlines()[0].removeprefix("# yaml-language-server: $schema=")
    schema = json.loads((FOLDER / first).read_text())
    data = YAML(typ="safe").load(text)
    assert [error.message for error in Draft202012Validator(schema).iter_errors(data)] == []
    assert f"--requirements {name}" in text, "the comment says how to use it"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("decide: {requirements: [lst = 0]}", "mine.yaml:1:"),
        ("decide:\n  cases:\n    - {name: a, conections: 8}", "unknown key 'conections'"),
        (
            "decide:\n  cases:\n    - {name: a, connections: low}",
            "is not a range of connections: write '< 25'",
        ),
        (
            "decide: {}\navailability: {mtbf: {kil: 90d}}",
            "mine.yaml:2:28: availability.mtbf: unknown fault 'kil'",
        ),
        ("decide: {}\ncost: {others: {proxy: 1}}", "cost.others: set `server_hour`"),
        ("decide: {}\nsolutions: []", "mine.yaml:2:1: unknown key 'solutions'"),
        ("description: x", "the key 'decide' is missing"),
        ("decide: {cases: [{name: a}, {name: a}]}", "two cases are called 'a'"),
    ],
)
def test_an_error_has_its_place_and_says_what_to_write(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    with pytest.raises(UsageError) as error:
        requirements.load(path)
    assert message in str(error.value)


def test_a_mistyped_name_is_answered_with_the_nearest_one(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="did you mean 'mohsen-2020'"):
        requirements.located(Path("mohsen-2002"))
    with pytest.raises(UsageError, match="built-in: aanby-2014, mohsen-2020, wolski-2006"):
        requirements.located(tmp_path / "absent.yaml")
