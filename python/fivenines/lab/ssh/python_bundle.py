"""Pack this Python and the libraries of our tools into a folder that runs on another, similar machine.

Tools that run outside a host's namespaces, such as the operator, need Python; a machine may have another
version, or none.
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

from fivenines.base import paths

# Distributions that our tools import; their dependencies are added.
_NEEDED = ("psycopg", "psycopg-binary", "pymysql", "psutil", "pydantic", "cryptography")

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
# Seconds for which a folder can be in use after its creation.
_USED = 86_400.0

PROGRAM = f"bin/{_VERSION}"
LIBRARIES = "lib"
PACKAGES = f"lib/{_VERSION}/site-packages"
_OURS = Path(__file__).parents[2]


def folder() -> Path:
    """Return the folder, which is created unless it is cached; its name depends on its contents."""
    made = paths.cache() / "python" / _identity()
    if not made.exists():
        made.parent.mkdir(parents=True, exist_ok=True)
        part = Path(tempfile.mkdtemp(prefix=".", dir=made.parent))
        try:
            _fill(part)
            part.chmod(0o755)
            # Another process may have created the same folder meanwhile.
            if not made.exists():
                part.rename(made)
            _forget_others(made)
        finally:
            shutil.rmtree(part, ignore_errors=True)
    return made


def _forget_others(made: Path) -> None:
    """Remove folders that are too old to be in use."""
    for other in made.parent.iterdir():
        if other != made and time.time() - other.stat().st_mtime > _USED:
            shutil.rmtree(other, ignore_errors=True)


@cache
def _identity() -> str:
    digest = hashlib.sha256(sys.version.encode())
    for distribution in _distributions():
        digest.update(f"{distribution.metadata['Name']} {distribution.version}\n".encode())
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
    # Debian's Python searches this folder.
    (packages.parent / "dist-packages").symlink_to(packages.name)
    for distribution in _distributions():
        _copy(distribution, packages, lambda _: True)
    # Of fivenines, only the metadata with its version: the package itself can be in another folder.
    ours = metadata.distribution(_OURS.name)
    _copy(ours, packages, lambda file: file.parts[0].endswith(".dist-info"))
    shutil.copytree(_OURS, packages / _OURS.name, ignore=ignored)
    (part / f"made-{_identity()}").touch()


def _copy(
    distribution: metadata.Distribution, packages: Path, included: Callable[[metadata.PackagePath], bool]
) -> None:
    for file in distribution.files or ():
        if ".." in file.parts or "__pycache__" in file.parts or not included(file):
            continue
        target = packages / file
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(str(file.locate()), target)


def _distributions() -> Iterator[metadata.Distribution]:
    """Yield the distributions that our tools import, and their dependencies."""
    pending, seen = list(_NEEDED), set()
    while pending:
        name = pending.pop(0)
        if name.lower() in seen:
            continue
        seen.add(name.lower())
        try:
            distribution = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            # The dependency is for another Python version, or belongs to an extra that is not installed.
            continue
        yield distribution
        for line in distribution.requires or ():
            if "extra ==" not in line and (start := re.match(r"[A-Za-z0-9._-]+", line)):
                pending.append(start[0])
