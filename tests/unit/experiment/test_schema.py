"""The schema that editors check by accepts what the reader accepts, and says what it refuses."""

from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from repository import ROOT
from ruamel.yaml import YAML

from fivenines.experiment.schema import schema

EXAMPLES = sorted((ROOT / "examples").glob("*.yaml"))
VALIDATOR = Draft202012Validator(schema())


def _wrong(text: str) -> list[str]:
    data: Any = YAML(typ="safe").load(text)
    return [error.json_path for error in VALIDATOR.iter_errors(data)]


def test_it_is_a_schema() -> None:
    Draft202012Validator.check_schema(schema())


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: str(path.name))
def test_all_examples_are_valid(path: Path) -> None:
    assert _wrong(path.read_text()) == []


BASE = "name: x\nsolutions: [standalone]\nworkloads: [oltp_read_only]\n"


@pytest.mark.parametrize(
    "more",
    [
        "thresholds: [lost = 0, {requirement: tps > 5, solution: standalone}]",
        "decide: {requirements: [lost = 0]}",
        "decide: {requirements: {lost: {at_most: 10%}}}",
        "timing: {warmup: 0, steady: 5s}",
        "network: [{name: wan, sites: [a, b], link: {rtt: [1ms, 10ms]}}]",
        "network: [{sites: [a, b], link: {loss: 0.5%, reorder: 0.1}}]",
    ],
)
def test_short_forms_are_valid(more: str) -> None:
    assert _wrong(BASE + more) == []


PARTS = "name: x\nsolutions: [standalone]\nparts:\n  a: {workloads: [oltp_read_only]}\n"


def test_a_file_in_parts_is_valid() -> None:
    assert _wrong(PARTS) == []


@pytest.mark.parametrize(
    ("text", "path"),
    [
        (BASE + "trial: 3", "$"),
        (BASE + "trials: many", "$.trials"),
        (BASE + "timing: {warmup: 3}", "$.timing.warmup"),
        (BASE + "network: [{sites: [a, b], link: {loss: 2}}]", "$.network[0].link.loss"),
        (BASE + "network: [{sites: [a, b], link: {loss: half}}]", "$.network[0].link.loss"),
        ("name: x\nsolutions: [standalon]\nworkloads: [oltp_read_only]", "$.solutions[0]"),
        (BASE + "faults: [{fault: kill, targt: primary}]", "$.faults[0]"),
        ("name: x\nsolutions: [standalone]", "$"),
        (PARTS + "  b: {trials: many}", "$.parts.b.trials"),
        (PARTS + "  b: {trial: 3}", "$.parts.b"),
    ],
)
def test_mistakes_are_found_where_they_stand(text: str, path: str) -> None:
    assert path in _wrong(text)
