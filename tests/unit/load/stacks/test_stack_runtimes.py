"""What stacks need in the cache: its folder, its tools, and programs that run outside their Debian root."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

import pytest

from fivenines.base.errors import FiveninesError
from fivenines.load.stacks.runtimes import base, relocated, rust, tools
from fivenines.load.stacks.runtimes.base import Runtime
from fivenines.load.stacks.runtimes.go import GoRuntime
from fivenines.load.stacks.runtimes.rust import RustRuntime
from fivenines.load.stacks.runtimes.tools import Tools, bundle, found, workshop
from fivenines.load.stacks.stack import stacks
from fivenines.software.base import Report
from fivenines.software.debian_root import DebianRoot


class Root(DebianRoot):
    """A root without Debian."""

    name = "root"
    description = "a root for tests"
    family = "none"
    packages: ClassVar[tuple[str, ...]] = ()

    def build(self, tree: Path, report: Report) -> str:
        (tree / "usr/lib/go-1.24/bin").mkdir(parents=True)
        return "1"


def silent(message: str, fraction: float | None) -> None:
    """Report nothing."""


def test_other_sources_are_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "PROGRAMS", tmp_path)
    (tmp_path / "go").mkdir()
    source = tmp_path / "go/main.go"
    source.write_text("package main")
    before = GoRuntime().file_name
    assert before.startswith("stacks-go-") and GoRuntime().file_name == before
    source.write_text("package main // changed")
    assert GoRuntime().file_name != before


def test_what_cargo_leaves_is_no_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "PROGRAMS", tmp_path)
    (tmp_path / "rust/src").mkdir(parents=True)
    (tmp_path / "rust/src/main.rs").write_text("fn main() {}")
    before = RustRuntime().file_name
    (tmp_path / "rust/target").mkdir()
    (tmp_path / "rust/target/program").write_text("built")
    assert RustRuntime().file_name == before


def test_rust_needs_a_compiler_and_a_linker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    written = {"rustc": "rustc 1.85.0 (4d91de4e4)", "cargo": "cargo 1.85.0 (d73d2caf9)", "cc": "cc 14"}
    for name, version in written.items():
        assert rust.machines_rust() == "", "something is missing"
        (tmp_path / name).write_text(f"#!/bin/sh\necho '{version}'\n")
        (tmp_path / name).chmod(0o755)
    assert rust.machines_rust() == "Rust 1.85.0"
    (tmp_path / "rustc").write_text("#!/bin/sh\necho 'rustc 1.84.1 (e71f9a9a9)'\n")
    assert rust.machines_rust() == "", "too old"


def test_cargo_finds_the_configuration_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "config.toml").write_text("[http]\n")
    monkeypatch.setenv("CARGO_HOME", str(own))
    assert [file.name for file in rust._home(tmp_path / "new").iterdir()] == ["config.toml"]
    monkeypatch.setenv("CARGO_HOME", str(tmp_path / "missing"))
    assert list(rust._home(tmp_path / "empty").iterdir()) == []


def test_every_runtime_has_sources() -> None:
    runtimes: dict[str, Runtime] = {kind.runtime.name: kind.runtime for kind in stacks().values()}
    assert len({runtime.file_name for runtime in runtimes.values()}) == len(runtimes) >= 7
    without = {name for name, runtime in runtimes.items() if not runtime.files()}
    assert without == {"stacks-php", "stacks-psql"}


def test_this_machines_tools_come_first(tmp_path: Path) -> None:
    chosen = tools.tools(tmp_path, "Go 1.26", Root(), silent)
    assert chosen == Tools(tmp_path / "work") and chosen.folder.is_dir()
    assert not (tmp_path / "root").exists()


def test_a_debian_root_has_the_tools_otherwise(tmp_path: Path) -> None:
    chosen = tools.tools(tmp_path, "", Root(), silent, ("usr/lib/go-*/bin", "usr/missing/bin"))
    assert chosen == Tools(tmp_path / "work", tmp_path / "root", ("/usr/lib/go-1.24/bin",))


def test_tools_run_in_their_folder_with_the_variables(tmp_path: Path) -> None:
    assert Tools(tmp_path).run("a test", ["sh", "-c", 'echo "$PWD $OWN"'], {"OWN": "own"}).split() == [
        str(tmp_path),
        "own",
    ]


def test_tools_that_fail_show_their_last_lines(tmp_path: Path) -> None:
    command = ["sh", "-c", "for n in 1 2 3 4 5 6 7 8; do echo line $n >&2; done; exit 3"]
    with pytest.raises(FiveninesError, match=r"^a test failed \(exit code 3\):\nline 3\n") as raised:
        Tools(tmp_path).run("a test", command, {})
    assert "line 2" not in str(raised.value)


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Return a function that writes the program `thing`, which is found first."""
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")

    def write(script: str) -> None:
        (tmp_path / "thing").write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "thing").chmod(0o755)

    return write


@pytest.mark.parametrize(
    ("script", "version"),
    [
        ("echo thing 1.24.1", "1.24.1"),
        ("echo thing 1.24 >&2", "1.24"),
        ("echo thing 2.0-rc1", "2.0-rc1"),
        ("echo thing 1.9.12", ""),
        ("echo nothing", ""),
        ("echo thing 1.24; exit 1", ""),
    ],
)
def test_a_program_of_this_machine(program: Callable[[str], None], script: str, version: str) -> None:
    program(script)
    assert found("thing", [], r"thing (\d\S*)", (1, 24)) == version


def test_a_program_that_is_missing() -> None:
    assert found("no-such-thing", [], r"(\d+)", (1,)) == ""


def test_the_machines_certificates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own.pem").touch()
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "own.pem"))
    assert bundle() == tmp_path / "own.pem"


def test_a_workshop_leaves_nothing(tmp_path: Path) -> None:
    with workshop(tmp_path) as folder:
        (folder / "modules").mkdir()
        (folder / "modules/file").touch()
        (folder / "modules").chmod(0o500)
    assert list(tmp_path.iterdir()) == []


def test_links_are_followed_within_the_tree(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    for name in ("etc/java", "usr/java/conf", "usr/java/lib"):
        (tree / name).mkdir(parents=True)
    (tree / "etc/java/security").write_text("own")
    (tree / "usr/java/conf/security").symlink_to("/etc/java/security")
    (tree / "usr/java/conf/missing").symlink_to("/etc/ssl/missing")
    (tree / "usr/java/conf/more").symlink_to("../lib")
    (tree / "usr/java/lib/library").write_text("library")
    relocated.copied(tree, tree / "usr/java/conf", tmp_path / "copy/conf")
    copied = sorted(
        path.relative_to(tmp_path / "copy") for path in (tmp_path / "copy").rglob("*") if path.is_file()
    )
    assert copied == [Path("conf/more/library"), Path("conf/security")]
    assert (tmp_path / "copy/conf/security").read_text() == "own"
    assert not any(path.is_symlink() for path in (tmp_path / "copy").rglob("*"))


def test_a_tree_without_a_loader_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FiveninesError, match="there is no loader"):
        relocated.libraries(tmp_path, [], tmp_path / "libraries")
