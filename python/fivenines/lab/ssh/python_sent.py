"""This Python with what our tools need of it, as one folder that runs on another machine of the same kind.

Tools of ours that run beside a host, as the operator, are Python; a machine has none, or another.
"""

import hashlib
import re
import shutil
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import cache
from importlib import metadata
from pathlib import Path

from fivenines import paths

_NEEDED = ("psycopg", "psycopg-binary", "pymysql", "psutil", "pydantic", "cryptography")
"""Distributions that our tools import, with what these need."""

_LEFT_OUT = (
    "test",
    "tests",
    "idlelib",
    "tkinter",
    "turtledemo",
    "ensurepip",
    "lib2to3",
    "site-packages",
    "dist-packages",
    "__pycache__",
    "config-*",
    "examples",
    "page",
)

_VERSION = f"python{sys.version_info.major}.{sys.version_info.minor}"
_USED = 86_400.0
"""Seconds for which one that was made may be in use."""

PROGRAM = f"bin/{_VERSION}"
LIBRARIES = "lib"
PACKAGES = f"lib/{_VERSION}/site-packages"
_OURS = Path(__file__).parents[2]


def folder() -> Path:
    """The folder, which is made unless it is kept; its name changes with all that is in it."""
    made = paths.cache() / "python" / _identity()
    if not made.exists():
        made.parent.mkdir(parents=True, exist_ok=True)
        part = Path(tempfile.mkdtemp(prefix=".", dir=made.parent))
        try:
            _fill(part)
            part.chmod(0o755)
            # somebody else may have been quicker: his is the same
            if not made.exists():
                part.rename(made)
            _forget_others(made)
        finally:
            shutil.rmtree(part, ignore_errors=True)
    return made


def _forget_others(made: Path) -> None:
    """Those that were made before, and by now are used by nobody who began then."""
    for other in made.parent.iterdir():
        if other != made and time.time() - other.stat().st_mtime > _USED:
            shutil.rmtree(other, ignore_errors=True)


@cache
def _identity() -> str:
    digest = hashlib.sha256(sys.version.encode())
    for one in _distributions():
        digest.update(f"{one.metadata['Name']} {one.version}\n".encode())
    for file in sorted(_OURS.rglob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def _fill(part: Path) -> None:
    ignored = shutil.ignore_patterns(*_LEFT_OUT)
    library = part / "lib" / _VERSION
    shutil.copytree(sysconfig.get_path("stdlib"), library, ignore=ignored, symlinks=True)
    dynamic = Path(sysconfig.get_config_var("DESTSHARED") or library / "lib-dynload")
    shutil.copytree(dynamic, library / "lib-dynload", dirs_exist_ok=True)
    (part / "bin").mkdir()
    shutil.copy(Path(sys._base_executable).resolve(), part / PROGRAM)  # type: ignore[attr-defined]
    shared = Path(sysconfig.get_config_var("LIBDIR") or "") / (sysconfig.get_config_var("INSTSONAME") or "")
    if shared.suffix != ".a" and shared.is_file():
        shutil.copy(shared, part / LIBRARIES)
    packages = part / PACKAGES
    packages.mkdir()
    # where Debian's Python looks for them
    (packages.parent / "dist-packages").symlink_to(packages.name)
    for one in _distributions():
        _copy(one, packages, lambda _: True)
    # of ourselves what says our version; the rest may be elsewhere
    ours = metadata.distribution(_OURS.name)
    _copy(ours, packages, lambda file: file.parts[0].endswith(".dist-info"))
    shutil.copytree(_OURS, packages / _OURS.name, ignore=ignored)
    (part / f"made-{_identity()}").touch()


def _copy(one: metadata.Distribution, packages: Path, wanted: Callable[[metadata.PackagePath], bool]) -> None:
    for file in one.files or ():
        if ".." in file.parts or "__pycache__" in file.parts or not wanted(file):
            continue
        target = packages / file
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(str(file.locate()), target)


def _distributions() -> Iterator[metadata.Distribution]:
    """Those that our tools import, and all that these need here."""
    wanted, seen = list(_NEEDED), set()
    while wanted:
        name = wanted.pop(0)
        if name.lower() in seen:
            continue
        seen.add(name.lower())
        try:
            found = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            # it is for another Python, or an extra that is not here
            continue
        yield found
        for line in found.requires or ():
            if "extra ==" not in line and (start := re.match(r"[A-Za-z0-9._-]+", line)):
                wanted.append(start[0])
