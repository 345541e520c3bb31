"""Kinds of client stacks: their settings, their programs, and the pinned packages of these."""

import json
import re
import tomllib
from xml.etree import ElementTree

import pytest

from fivenines.load.stacks.protocol import Task
from fivenines.load.stacks.runtimes.base import PROGRAMS
from fivenines.load.stacks.stack import Stack, stacks

# Registries that package managers write into files; their hosts differ from machine to machine.
HOSTS = re.compile(r"registry\.|proxy\.golang|repo\d*\.maven|pypi\.org|pythonhosted", re.IGNORECASE)

KINDS = list(stacks().values())


def task(kind: Stack, *servers: str) -> Task:
    return Task(kind.name, kind.driver, servers, "app", "", "shop", "t")


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_each_bounds_its_waits_and_says_by_which_documentation(kind: Stack) -> None:
    assert kind.recommended and all(re.match(r"(connect|pool)\.\w+$", name) for name in kind.recommended)
    assert "." in kind.documentation and kind.description


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_each_is_known_to_its_program(kind: Stack) -> None:
    assert kind.name in kind.command()[-1]
    suffixes = (".py", ".go", ".java", ".js", ".rs", ".php")
    sources = (file for file in PROGRAMS.rglob("*") if file.suffix in suffixes)
    known = (
        file.stem == kind.name
        or re.search(rf'["\' ]{kind.name}["\':]|^  {kind.name},|\b{kind.name} }}', file.read_text(), re.M)
        for file in sources
    )
    assert any(known), "no program has a stack of this name"


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_several_hosts_only_where_the_driver_takes_them(kind: Stack) -> None:
    assert kind.problem(task(kind, "h1:1")) == ""
    assert ("takes one host" in kind.problem(task(kind, "h1:1", "h2:2"))) is not kind.several_hosts


def test_no_file_of_packages_names_a_registry() -> None:
    for name in (
        "python/requirements.txt",
        "go/go.mod",
        "go/go.sum",
        "rust/Cargo.toml",
        "rust/Cargo.lock",
        "java/pom.xml",
        "node/package-lock.json",
    ):
        text = (PROGRAMS / name).read_text().replace("http://maven.apache.org/POM/4.0.0", "")
        # The name of the index of packages, wherever Cargo fetches it from.
        text = text.replace("registry+https://github.com/rust-lang/crates.io-index", "")
        assert not HOSTS.search(text), name


def test_every_package_of_npm_has_a_checksum() -> None:
    document = json.loads((PROGRAMS / "node/package-lock.json").read_text())
    packages = {name: package for name, package in document["packages"].items() if name}
    assert packages and all(package["integrity"].startswith("sha512-") for package in packages.values())
    wanted = json.loads((PROGRAMS / "node/package.json").read_text())
    versions = {**wanted["dependencies"], **wanted["optionalDependencies"]}
    assert all(packages[f"node_modules/{name}"]["version"] == version for name, version in versions.items())


def test_every_package_of_maven_has_an_exact_version() -> None:
    spaces = {"m": "http://maven.apache.org/POM/4.0.0"}
    document = ElementTree.parse(PROGRAMS / "java/pom.xml")
    versions = [item.text or "" for item in document.findall(".//m:dependency/m:version", spaces)]
    versions += [item.text or "" for item in document.findall(".//m:plugin/m:version", spaces)]
    assert len(versions) == 7 and all(re.fullmatch(r"\d[\w.-]*", version) for version in versions)


def test_every_module_of_go_has_a_checksum() -> None:
    modules = re.findall(r"^\t(\S+) (v\S+)", (PROGRAMS / "go/go.mod").read_text(), re.MULTILINE)
    sums = (PROGRAMS / "go/go.sum").read_text()
    assert modules and all(f"{name} {version} h1:" in sums for name, version in modules)


def test_every_package_of_cargo_has_a_checksum() -> None:
    wanted = tomllib.loads((PROGRAMS / "rust/Cargo.toml").read_text())
    packages = tomllib.loads((PROGRAMS / "rust/Cargo.lock").read_text())["package"]
    others = [package for package in packages if package["name"] != wanted["package"]["name"]]
    assert others and all(re.fullmatch(r"[0-9a-f]{64}", package["checksum"]) for package in others)
    locked = {(package["name"], f"={package['version']}") for package in others}
    for name, item in wanted["dependencies"].items():
        assert (name, item if isinstance(item, str) else item["version"]) in locked, name


def test_the_program_in_rust_is_no_part_of_another_workspace() -> None:
    assert "workspace" in tomllib.loads((PROGRAMS / "rust/Cargo.toml").read_text())
