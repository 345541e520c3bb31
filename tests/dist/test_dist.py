"""The results of `make dist` as a user gets them: on a machine without Rust, with all files of a release.

`make test-dist` runs these tests. `build/clean` is a virtual environment with only the wheel installed.
"""

import json
import os
import re
import shutil
import subprocess
import tarfile
import tomllib
import zipfile
from pathlib import Path, PurePosixPath

import pytest

from fivenines.cli.reference.manual import pages

ROOT = Path(__file__).parents[2]
DIST = ROOT / "dist"
CLEAN = ROOT / "build" / "clean" / "bin"
PACKAGE = ROOT / "python" / "fivenines"
VERSION = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
OLDEST_GLIBC = (2, 17)


def only(pattern: str) -> Path:
    """Return the only file that matches."""
    [path] = DIST.glob(pattern)
    return path


def sources() -> set[str]:
    """Return all files of the package in the tree, by their path in a wheel."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "python/fivenines", "examples"]
    done = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True)
    names = (name for name in done.stdout.splitlines() if (ROOT / name).is_file())
    return {
        name.removeprefix("python/") if name.startswith("python/") else f"fivenines/{name}" for name in names
    }


def test_the_wheel_fits_every_python_on_an_old_linux() -> None:
    name = only("*.whl").name
    assert re.fullmatch(
        rf"fivenines-{re.escape(VERSION)}-py3-none-[\w.]*manylinux_2_17_(x86_64|aarch64)\.whl", name
    )


def test_the_wheel_holds_the_package_and_nothing_else() -> None:
    with zipfile.ZipFile(only("*.whl")) as wheel:
        names = {name for name in wheel.namelist() if not name.endswith("/")}
    own = {name for name in names if name.startswith("fivenines/")}
    assert own == sources()
    rest = {PurePosixPath(name).parts[0] for name in names - own}
    assert rest == {f"fivenines-{VERSION}.dist-info", f"fivenines-{VERSION}.data"}
    data = {tuple(PurePosixPath(name).parts[1:]) for name in names if ".data/" in name}
    manual = {("data", "share", "man", "man1", name) for name in pages()}
    assert data == {("scripts", "fivenines-core")} | manual


def test_man_finds_the_pages_next_to_the_program() -> None:
    page = CLEAN.parent / "share/man/man1/fivenines-run.1"
    assert page.read_text().startswith('.TH FIVENINES-RUN 1 "" "fivenines')


def test_the_program_asks_for_an_old_c_library_alone() -> None:
    shown = subprocess.run(
        ["readelf", "--wide", "--dynamic", "--version-info", CLEAN / "fivenines-core"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    needed = re.findall(r"\(NEEDED\).*\[([^\]]+)\]", shown)
    parts = r"lib(c|m|dl|rt|pthread|util)\.so\.\d+|ld-linux-[\w-]+\.so\.\d"
    assert needed and [version for version in needed if not re.fullmatch(parts, version)] == []
    versions = {tuple(map(int, version.split("."))) for version in re.findall(r"GLIBC_([\d.]+)", shown)}
    assert versions and max(versions) <= OLDEST_GLIBC


def test_the_sdist_holds_what_a_build_needs_and_no_junk() -> None:
    with tarfile.open(only("*.tar.gz")) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    assert {"Cargo.lock", "Cargo.toml", "pyproject.toml", "LICENSE", "crates/core/Cargo.toml"} <= names
    assert {f"python/{name}" for name in sources()} <= names
    tops = {name.partition("/")[0] for name in names}
    assert tops == {
        "Cargo.lock",
        "Cargo.toml",
        "LICENSE",
        "PKG-INFO",
        "README.md",
        "crates",
        "pyproject.toml",
        "python",
    }
    assert [name for name in names if re.search(r"\.py[co]$|\.so$|egg-info|/target/", name)] == []


@pytest.mark.parametrize(("half", "known"), [("python", "pydantic"), ("rust", "rustls")])
def test_a_bill_of_materials_names_what_is_inside(half: str, known: str) -> None:
    bill = json.loads(only(f"fivenines-{VERSION}.{half}.cdx.json").read_text())
    assert bill["bomFormat"] == "CycloneDX"
    assert bill["metadata"]["component"]["version"] == VERSION
    listed = {component["name"]: component["version"] for component in bill["components"]}
    assert known in listed and all(listed.values())
    if half == "rust":
        locked = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
        assert set(listed.items()) <= {(component["name"], component["version"]) for component in locked}


def test_checksums_are_those_of_the_files() -> None:
    subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=DIST, check=True)
    named = {line.split()[1] for line in (DIST / "SHA256SUMS").read_text().splitlines()}
    assert named == {path.name for path in DIST.iterdir()} - {"SHA256SUMS"}


def run_installed(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the installed program in an empty folder, without this tree and without Rust on the PATH."""
    path = f"{CLEAN}:/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin"
    assert shutil.which("cargo", path=path) is None
    environment = {
        "PATH": path,
        "HOME": str(folder),
        "FIVENINES_CACHE": str(folder / "cache"),
        "COLUMNS": "80",
        "LANG": "C.UTF-8",
    } | {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_"))}
    return subprocess.run(
        [CLEAN / "fivenines", *arguments],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )


def test_the_installed_program_runs(tmp_path: Path) -> None:
    assert run_installed(tmp_path, "version").stdout.startswith(f"fivenines {VERSION} ")
    where = "import fivenines; print(fivenines.__file__)"
    done = subprocess.run(
        [CLEAN / "python", "-c", where], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert Path(done.stdout.strip()).is_relative_to(CLEAN.parent)


def test_every_example_can_be_planned(tmp_path: Path) -> None:
    listed = run_installed(tmp_path, "list", "examples", "--json")
    names = [example["name"] for example in json.loads(listed.stdout)]
    assert set(names) == {path.stem for path in (ROOT / "examples").glob("*.yaml")}
    planned = run_installed(tmp_path, "run", "quickstart", "--dry-run")
    assert (planned.returncode, planned.stderr) == (0, "")
    assert "3 blocks, 2 cells, 6 trials" in planned.stdout


@pytest.mark.timeout(1200)
def test_quickstart_runs_with_what_it_fetches_itself(tmp_path: Path) -> None:
    done = run_installed(tmp_path, "run", "quickstart", "--out", "first")
    assert done.returncode == 0, done.stderr[-3000:]
    assert "report: first/report.html" in done.stdout
    page = (tmp_path / "first" / "report.html").read_text()
    assert "2-safe durable" in page and "<svg" in page
    assert any((tmp_path / "cache").iterdir())
