"""Recipes of custom programs are valid experiments, and each states whether it was run."""

from pathlib import Path

import pytest
from repository import ROOT

from fivenines.experiment.source import parse_experiment
from fivenines.failover.programs.settings import ProgramParts

FOLDER = ROOT / "examples" / "programs"
RECIPES = sorted(FOLDER.glob("*.yaml"))
_PAGE = ROOT / "docs" / "how-to" / "custom-proxy-or-manager.md"


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda path: path.stem)
def test_each_recipe_is_a_valid_experiment(recipe: Path) -> None:
    experiment = parse_experiment(recipe.read_text(), str(recipe))
    (solution,) = experiment.solutions
    parts: list[object] = [solution.access, solution.failover_manager]
    (custom,) = [one for one in parts if isinstance(one, ProgramParts)]
    assert custom.files and experiment.name == recipe.stem


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda path: path.stem)
def test_recipes_and_page_agree_on_what_was_run(recipe: Path) -> None:
    text = recipe.read_text()
    ran = "Tested with" in text
    assert ran != ("not tested" in " ".join(text.replace("#", "").split()))
    rows = [line for line in _PAGE.read_text().splitlines() if line.startswith(f"| `{recipe.name}`")]
    assert rows and all(row.split("|")[-2].strip().startswith("yes" if ran else "no") for row in rows)


def test_popular_programs_have_recipes() -> None:
    assert {path.stem for path in RECIPES} >= {
        "pgbouncer",
        "pgpool",
        "proxysql",
        "maxscale",
        "orchestrator",
        "replication-manager",
    }
