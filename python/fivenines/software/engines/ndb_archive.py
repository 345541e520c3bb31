"""`mysql-ndb-9.7`: MySQL NDB Cluster, for which Debian has no package.

Sources, in this order:

- a folder from the user (an unpacked tarball or installed packages), used in place;
- an archive, unpacked into the cache: Oracle's binary tarball, or another archive of one folder with
  `mysqld`, `ndbmtd` and `ndb_mgmd` in bin, sbin or libexec;
- a build from Debian's source package (`ndb_build`), copied into the cache.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from fivenines.base.errors import FiveninesError
from fivenines.lab.host import ENGINE, Root
from fivenines.software import archives
from fivenines.software.base import CachedEngine, EngineStatus, Report

# Environment variable with a folder that contains archives of engines.
ARCHIVES = "FIVENINES_ENGINE_ARCHIVES"

_PATTERNS = ("mysql-ndb-9.7*.tar*", "mysql-cluster-*9.7*.tar*")
_PROGRAMS = ("mysqld", "ndbmtd", "ndb_mgmd")
_PARTS = ("bin", "sbin", "libexec")

# Ways to get the engine.
REMEDIES = (
    "`fivenines engines add FOLDER` with MySQL Cluster's tarball unpacked or its packages installed (/usr), "
    "`fivenines engines add FILE` with its generic Linux archive from MySQL's site, or "
    "`fivenines engines build mysql-ndb-9.7` (two hours)"
)


class NdbArchive(CachedEngine):
    """MySQL NDB Cluster from a folder, an archive or a build."""

    name = "mysql-ndb-9.7"
    description = "MySQL NDB Cluster 9.7, from a folder or an archive: `fivenines engines add PATH`"
    family = "ndb"
    series = "9.7"

    # Archive to unpack; None: the newest one in the folder of the environment variable.
    archive: Path | None = None

    # Result folder of a build to copy; None: unpack an archive.
    made: Path | None = None

    _source = ""

    @property
    def fetched(self) -> bool:
        return self.status().installed or _offered() is not None

    def status(self) -> EngineStatus:
        status = super().status()
        if status.detail == "not pulled yet":
            return replace(status, detail="`fivenines engines add PATH`, or `engines build`")
        return status

    def needed_in(self, root: Path) -> list[Path]:
        return _readable(root)

    def version_in(self, root: Path) -> str:
        return _version(root)

    def build(self, tree: Path, report: Report) -> str:
        if self.made is not None:
            report("copying the build", 0.98)
            shutil.copytree(self.made, tree, symlinks=True)
            self._source = "built from Debian's source package"
            return _version(tree)
        archive = self.archive or _offered()
        if archive is None:
            raise FiveninesError(f"engine {self.name} cannot be downloaded. Get it with {REMEDIES}")
        report(f"checking {archive.name}", 0.1)
        self._source = f"{archive.name}, sha256 {_checked_sum(archive)}"
        report(f"unpacking {archive.name}", 0.3)
        archives.unpack(archive, tree, "--strip-components=1")
        return _version(tree)

    def source(self) -> str:
        return self._source

    def root(self) -> Root:
        return Root(engine=self.tree)

    def program(self, name: str) -> str:
        tree = self.tree
        return str(ENGINE / program_in(tree, name).relative_to(tree))

    def next_to_server(self) -> dict[str, str]:
        """Return the options of `Engine.next_to_server`.

        Tarballs have the files in share and lib/plugin, packages in folders with MySQL's name or version.
        """
        tree = self.tree
        return {
            option: str(ENGINE / _folder(tree, patterns).relative_to(tree))
            for option, patterns in _NEXT_TO_SERVER.items()
        }


def takes(archive: Path) -> bool:
    """Return whether a file name is that of an archive with NDB Cluster."""
    return any(archive.match(pattern) for pattern in _PATTERNS)


def program_in(tree: Path, name: str) -> Path:
    """Return the path of a program in an unpacked archive.

    Raises:
        FiveninesError: the program is missing.
    """
    for part in _PARTS:
        if (tree / part / name).is_file():
            return tree / part / name
    raise FiveninesError(f"{tree} has no {name} in {', '.join(_PARTS)}")


_NEXT_TO_SERVER: Mapping[str, tuple[str, ...]] = {
    # Files to search; `_ABOVE` is the number of levels from the file up to the folder.
    "lc-messages-dir": ("share/english/errmsg.sys", "share/mysql*/english/errmsg.sys"),
    "character-sets-dir": ("share/charsets/Index.xml", "share/mysql*/charsets/Index.xml"),
    "plugin-dir": ("lib/plugin", "lib64/mysql/plugin", "lib/mysql/plugin", "lib/*/mysql/plugin"),
}
_ABOVE = {"lc-messages-dir": 2, "character-sets-dir": 1}


def _folder(tree: Path, patterns: Sequence[str]) -> Path:
    """Return the folder of the first pattern that matches.

    If none matches, return the first pattern's folder: the server then reports the missing file.
    """
    option = next(name for name, own in _NEXT_TO_SERVER.items() if own == patterns)
    matches = [path for pattern in patterns for path in sorted(tree.glob(pattern))]
    path = matches[0] if matches else tree / patterns[0]
    for _ in range(_ABOVE.get(option, 0)):
        path = path.parent
    return path


def _readable(root: Path) -> list[Path]:
    """Return the programs in an external folder, which all users must be able to run.

    Raises:
        FiveninesError: a program is missing, or only its owner can run it.
    """
    programs = [program_in(root, name) for name in _PROGRAMS]
    closed = [path for path in (root, *programs) if path.stat().st_mode & 0o005 != 0o005]
    if closed:
        raise FiveninesError(
            f"only the owner can run {closed[0]}, but servers run as other users: run `chmod -R go+rX {root}`"
        )
    return programs


def _offered() -> Path | None:
    """Return the newest archive in the folder of the environment variable."""
    folder = os.environ.get(ARCHIVES)
    if not folder:
        return None
    offered = sorted(path for pattern in _PATTERNS for path in Path(folder).glob(pattern))
    return offered[-1] if offered else None


def _checked_sum(archive: Path) -> str:
    """Return the checksum of an archive and compare it with a SHA256SUMS file in the same folder, if any.

    Raises:
        FiveninesError: the checksums differ.
    """
    digest = archives.checksum(archive)
    sums = archive.with_name("SHA256SUMS")
    if sums.exists():
        lines = (line.split() for line in sums.read_text().splitlines() if line.strip())
        expected = {name.lstrip("*"): checksum for checksum, name in lines}
        if expected.get(archive.name, digest) != digest:
            raise FiveninesError(f"{archive} is damaged: its checksum differs from that in {sums}")
    return digest


def _version(tree: Path) -> str:
    for name in _PROGRAMS:
        program_in(tree, name)
    answer = subprocess.run(
        [str(program_in(tree, "mysqld")), "--no-defaults", "--version"],
        capture_output=True,
        text=True,
        check=False,
    )
    match = re.search(r"Ver (\d+\.\d+\.\d+)", answer.stdout)
    if match is None:
        raise FiveninesError(f"the unpacked mysqld does not run: {answer.stderr.strip()}")
    return match[1]
