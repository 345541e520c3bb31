"""`mysql-ndb-9.7`: MySQL NDB Cluster from an archive, as no package of Debian's carries it.

Oracle's binary tarball is one, and so is whatever else unpacks to one folder with `mysqld`, `ndbmtd` and
`ndb_mgmd` in bin or sbin.
"""

import hashlib
import os
import re
import shutil
import subprocess
from pathlib import Path

from fivenines.errors import FiveninesError
from fivenines.lab.host import ENGINE, Root
from fivenines.software.base import CachedEngine, Report

ARCHIVES = "FIVENINES_ENGINE_ARCHIVES"
"""The environment variable that names a folder with archives of engines."""

_PATTERNS = ("mysql-ndb-9.7*.tar*", "mysql-cluster-*9.7*.tar*")
_PROGRAMS = ("mysqld", "ndbmtd", "ndb_mgmd")
_PARTS = ("bin", "sbin", "libexec")


class NdbArchive(CachedEngine):
    """The archive, unpacked."""

    name = "mysql-ndb-9.7"
    description = "MySQL NDB Cluster 9.7, from an archive: `fivenines engines add FILE`"
    family = "ndb"
    series = "9.7"

    archive: Path | None = None
    """The one to take; None: whichever the environment offers."""

    _source = ""

    @property
    def fetched(self) -> bool:
        return self.status().installed or _offered() is not None

    def build(self, tree: Path, report: Report) -> str:
        archive = self.archive or _offered()
        if archive is None:
            raise FiveninesError(
                f"engine {self.name} is in no package that could be fetched: download MySQL Cluster's "
                "generic Linux archive from MySQL's site, then `fivenines engines add FILE`"
            )
        report(f"checking {archive.name}", 0.1)
        self._source = f"{archive.name}, sha256 {_checked_sum(archive)}"
        report(f"unpacking {archive.name}", 0.3)
        _unpack(archive, tree)
        return _version(tree)

    def source(self) -> str:
        return self._source

    def root(self) -> Root:
        return Root(engine=self.folder / "tree")

    def program(self, name: str) -> str:
        return str(ENGINE / found(self.folder / "tree", name).relative_to(self.folder / "tree"))


def takes(archive: Path) -> bool:
    """Whether an archive's name is that of one with NDB Cluster."""
    return any(archive.match(pattern) for pattern in _PATTERNS)


def found(tree: Path, name: str) -> Path:
    """One of the programs in an unpacked archive.

    Raises:
        FiveninesError: it is not there.
    """
    for part in _PARTS:
        if (tree / part / name).is_file():
            return tree / part / name
    raise FiveninesError(f"{tree} has no {name} in {', '.join(_PARTS)}")


def _offered() -> Path | None:
    """The newest archive in the folder that the environment names."""
    folder = os.environ.get(ARCHIVES)
    if not folder:
        return None
    archives = sorted(path for pattern in _PATTERNS for path in Path(folder).glob(pattern))
    return archives[-1] if archives else None


def _checked_sum(archive: Path) -> str:
    """The checksum of an archive, which a list beside it has to say, too, where there is one.

    Raises:
        FiveninesError: it says another one.
    """
    with archive.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    sums = archive.with_name("SHA256SUMS")
    if sums.exists():
        lines = (line.split() for line in sums.read_text().splitlines() if line.strip())
        wanted = {name.lstrip("*"): one for one, name in lines}
        if wanted.get(archive.name, digest) != digest:
            raise FiveninesError(
                f"{archive} is damaged: {sums.name} beside it has another checksum"
            )
    return digest


def _unpack(archive: Path, tree: Path) -> None:
    tree.mkdir()
    command = ["tar", "--extract", "--file", str(archive), "--directory", str(tree)]
    done = subprocess.run(
        [*command, "--strip-components=1"], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        words = done.stderr.strip().splitlines()[-1:]
        advice = ""
        if archive.suffix == ".zst" and shutil.which("zstd") is None:
            advice = ": it takes zstd, run `apt-get install zstd` as root"
        raise FiveninesError(f"tar cannot unpack {archive}{advice or ': ' + ''.join(words)}")


def _version(tree: Path) -> str:
    for name in _PROGRAMS:
        found(tree, name)
    answer = subprocess.run(
        [str(found(tree, "mysqld")), "--no-defaults", "--version"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    match = re.search(r"Ver (\d+\.\d+\.\d+)", answer.stdout)
    if match is None:
        raise FiveninesError(f"the unpacked mysqld does not run: {answer.stderr.strip()}")
    return match[1]
