"""The program of the Rust stacks: one file, with the libraries of Debian where Debian's Rust built it."""

import os
import shutil
import tomllib
from pathlib import Path

from fivenines.load.stacks.runtimes import relocated
from fivenines.load.stacks.runtimes.base import PROGRAMS, Runtime
from fivenines.load.stacks.runtimes.tools import found, tools, workshop
from fivenines.software.base import Report
from fivenines.software.debian_root import DebianRoot

_RUST = PROGRAMS / "rust"
_PROGRAM = "fivenines-stacks"
_LEAST = (1, 85)

# Packages that decide what an outage is; others help the program.
_DRIVERS = ("tokio-postgres", "deadpool-postgres", "sqlx", "tokio")


class RustToolchain(DebianRoot):
    """Rust of Debian, for a machine without a suitable one."""

    name = "stacks-rust-toolchain"
    description = "Rust's compiler and Cargo, from Debian's packages"
    family = "none"
    suite = "trixie"
    packages = ("rustc", "cargo")
    version_command = ("rustc", "--version")
    version_pattern = r"rustc (\S+)"

    def finish(self, tree: Path, report: Report) -> None:
        # cc is a link that the installation of gcc makes; here gcc is only unpacked.
        (tree / "usr/bin/cc").symlink_to("gcc")


class RustRuntime(Runtime):
    """One program with all Rust stacks."""

    name = "stacks-rust"
    description = "the program of the Rust client stacks, with drivers and pools from crates.io"
    # Not `rust/*`: Cargo may have left a folder `target` there.
    sources = ("rust/Cargo.*", "rust/src/*")

    def command(self, kind: str) -> list[str]:
        program, libraries = self.tree / _PROGRAM, self.tree / "libraries"
        start = relocated.started(libraries, program) if libraries.exists() else [str(program)]
        return [*start, kind]

    def build(self, tree: Path, report: Report) -> str:
        tree.mkdir()
        with workshop(tree.parent) as folder:
            chosen = tools(folder, machines_rust(), RustToolchain(), report)
            source = chosen.folder / "source"
            for file in self.files():
                copy = source / file.relative_to(_RUST)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file, copy)
            # Nothing of the build is kept: the user's own caches stay as they are.
            environment = {
                "CARGO_HOME": str(_home(chosen.folder / "cargo")),
                "CARGO_TARGET_DIR": str(chosen.folder / "target"),
            }
            manifest = ["--locked", "--manifest-path", str(source / "Cargo.toml")]
            report("fetching the packages of the Rust stacks", None)
            chosen.run("fetching the packages of the Rust stacks", ["cargo", "fetch", *manifest], environment)
            report("compiling the program of the Rust stacks (one to three minutes)", None)
            build = ["cargo", "build", "--release", "--offline", *manifest]
            chosen.run("compiling the Rust stacks", build, environment)
            version = chosen.run("asking for Rust's version", ["rustc", "--version"], environment).split()[1]
            shutil.move(chosen.folder / "target/release" / _PROGRAM, tree / _PROGRAM)
            if chosen.tree is not None:
                # The C library of this machine may be older than the one that it was built with.
                relocated.libraries(chosen.tree, [tree / _PROGRAM], tree / "libraries")
        return f"Rust {version}, {_drivers()}"


def machines_rust() -> str:
    """Return the name of this machine's Rust if it can build the program, which needs a linker as well."""
    compiler = found("rustc", ["--version"], r"^rustc (\d+\.\d+\S*)", _LEAST)
    cargo = found("cargo", ["--version"], r"^cargo (\d+\.\d+\S*)", _LEAST)
    return f"Rust {compiler}" if compiler and cargo and shutil.which("cc") else ""


def _home(folder: Path) -> Path:
    """Return a new home of Cargo with the user's configuration, such as proxies and mirrors."""
    folder.mkdir()
    own = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")
    if (own / "config.toml").is_file():
        shutil.copy(own / "config.toml", folder)
    return folder


def _drivers() -> str:
    """Return drivers and pools with their versions."""
    locked = tomllib.loads((_RUST / "Cargo.lock").read_text())["package"]
    versions = {package["name"]: package["version"] for package in locked}
    return ", ".join(f"{name} {versions[name]}" for name in _DRIVERS)
