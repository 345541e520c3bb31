"""The version stands in Cargo.toml; all else follows it."""

import re
import tomllib

from repository import ROOT
from ruamel.yaml import YAML

import fivenines

VERSION = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]


def test_the_installed_package_has_it() -> None:
    assert fivenines.__version__ == VERSION, "install again: make install"


def test_no_second_place_sets_one() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert "version" not in project and project["dynamic"] == ["version"]
    crates = [tomllib.loads(path.read_text()) for path in ROOT.glob("crates/*/Cargo.toml")]
    assert crates and all(one["package"]["version"] == {"workspace": True} for one in crates)


def test_what_is_cited_and_what_changed_agree() -> None:
    assert YAML(typ="safe").load(ROOT / "CITATION.cff")["version"] == VERSION
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert newest and newest[1] == VERSION
