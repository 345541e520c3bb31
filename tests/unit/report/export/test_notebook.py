"""The notebook of the docs runs on a freshly exported file.

Its cells are run as they are, by Python alone: Jupyter's own runner would bring a kernel, sockets and a dozen
packages for no more than this.
"""

import ast
import json
from pathlib import Path
from typing import Any

import altair as alt
import pytest
import vl_convert
from repository import ROOT
from synthetic_run import Matrix, Recipe, write_run

from fivenines.report.export.file import export
from fivenines.results.store import open_run

NOTEBOOK = ROOT / "docs" / "notebooks" / "trials.ipynb"


def _cells() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    return found


def _run(source: str, names: dict[str, Any]) -> object:
    """Run a cell; what its last line is worth, as a notebook shows it."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, NOTEBOOK.name, "exec"), names)
    if not isinstance(last, ast.Expr):
        return None
    return eval(compile(ast.Expression(last.value), NOTEBOOK.name, "eval"), names)


def test_it_is_a_notebook_without_output() -> None:
    book = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    assert (book["nbformat"], book["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in book["cells"]}) == len(book["cells"])
    for cell in book["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None


def test_every_cell_runs_and_shows_the_synthetic_effects(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    recipes = [Recipe("soon", outage=2000.0), Recipe("late", outage=6000.0, gone=1)]
    run = write_run(tmp_path / "run", Matrix(recipes, trials=3, broken=1))
    export([open_run(run)], tmp_path / "trials.duckdb")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    shown = [_run("".join(cell["source"]), names) for cell in _cells() if cell["cell_type"] == "code"]
    names["connection"].close()
    printed = capsys.readouterr().out
    assert "late, kill: at least" in printed and "soon, kill: 2." in printed
    assert "node2 did not start" in printed, "broken trials are reported"
    charts = [one for one in shown if isinstance(one, alt.Chart)]
    assert len(charts) == 2
    for chart in charts:
        svg = vl_convert.vegalite_to_svg(chart.to_json())
        assert "soon" in svg and "late" in svg
