"""What `make dist` made, as a stranger gets it: on a machine without Rust, with what goes along.

`make test-dist` runs this. `build/clean` is a virtual environment in which the wheel alone was installed.
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

from fivenines.manual import pages

ROOT = Path(__file__).parents[2]
DIST = ROOT / "dist"
CLEAN = ROOT / "build" / "clean" / "bin"
PACKAGE = ROOT / "python" / "fivenines"
VERSION = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
OLDEST_GLIBC = (2, 17)


def only(pattern: str) -> Path:
    """The one file of this kind."""
    [found] = DIST.glob(pattern)
    return found


def sources() -> set[str]:
    """All files of the package as they stand in the tree, by their path in a wheel."""
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


def test_man_finds_the_installed_pages() -> None:
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
    assert needed and [one for one in needed if not re.fullmatch(parts, one)] == []
    versions = {tuple(map(int, one.split("."))) for one in re.findall(r"GLIBC_([\d.]+)", shown)}
    assert versions and max(versions) <= OLDEST_GLIBC


def test_the_sdist_contains_only_files_for_a_build() -> None:
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
def test_a_bill_of_materials_names_the_contents(half: str, known: str) -> None:
    bill = json.loads(only(f"fivenines-{VERSION}.{half}.cdx.json").read_text())
    assert bill["bomFormat"] == "CycloneDX"
    assert bill["metadata"]["component"]["version"] == VERSION
    listed = {one["name"]: one["version"] for one in bill["components"]}
    assert known in listed and all(listed.values())
    if half == "rust":
        locked = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
        assert set(listed.items()) <= {(one["name"], one["version"]) for one in locked}


def test_checksums_are_those_of_the_files() -> None:
    subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=DIST, check=True)
    named = {line.split()[1] for line in (DIST / "SHA256SUMS").read_text().splitlines()}
    assert named == {path.name for path in DIST.iterdir()} - {"SHA256SUMS"}


def stranger(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs the installed program in an empty folder, with nothing of this tree and no Rust on the PATH."""
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


def test_it_is_the_installed_one(tmp_path: Path) -> None:
    assert stranger(tmp_path, "version").stdout.startswith(f"fivenines {VERSION} ")
    where = "import fivenines; print(fivenines.__file__)"
    done = subprocess.run(
        [CLEAN / "python", "-c", where], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert Path(done.stdout.strip()).is_relative_to(CLEAN.parent)


def test_every_example_can_be_planned(tmp_path: Path) -> None:
    listed = stranger(tmp_path, "list", "examples", "--json")
    names = [one["name"] for one in json.loads(listed.stdout)]
    assert set(names) == {path.stem for path in (ROOT / "examples").glob("*.yaml")}
    planned = stranger(tmp_path, "run", "quickstart", "--dry-run")
    assert (planned.returncode, planned.stderr) == (0, "")
    assert "3 blocks, 2 cells, 6 trials" in planned.stdout


@pytest.mark.timeout(1200)
def test_quickstart_runs_with_its_own_downloads(tmp_path: Path) -> None:
    done = stranger(tmp_path, "run", "quickstart", "--out", "first")
    assert done.returncode == 0, done.stderr[-3000:]
    assert "report: first/report.html" in done.stdout
    page = (tmp_path / "first" / "report.html").read_text()
    assert "2-safe durable" in page and "<svg" in page
    assert any((tmp_path / "cache").iterdir())
