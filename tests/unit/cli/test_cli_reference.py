"""The reference pages in docs/ are those that the models and the command line make."""

import pytest
from repository import ROOT

from fivenines.cli.reference import pages as reference
from fivenines.cli.registry import ENTRIES
from fivenines.experiment.spec import Experiment

DOCS = ROOT / "docs" / "reference"


@pytest.mark.parametrize("name", list(reference.pages()))
def test_the_committed_page_is_up_to_date(name: str) -> None:
    made = reference.pages()[name]
    assert (DOCS / name).read_text() == made, "run: python -m fivenines.cli.reference.pages docs/reference"


def test_every_key_has_a_description() -> None:
    page = reference.experiment_page()
    for name in Experiment.model_fields:
        assert f"| `{name}` |" in page
    rows = [line for line in page.splitlines() if line.startswith("| `") and line.count("|") == 5]
    assert [row for row in rows if row.endswith("|  |")] == []


def test_every_command_has_a_chapter() -> None:
    page = reference.cli_page()
    assert ENTRIES
    for name in ENTRIES:
        assert f"## fivenines {name}\n" in page
