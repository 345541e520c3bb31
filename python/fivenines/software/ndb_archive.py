"""`mysql-ndb-9.7`: MySQL NDB Cluster, which no package of Debian's carries.

Its sources, in this order: a folder that somebody names (a tarball unpacked, or packages installed), which
is used where it is; an archive, which is unpacked into the cache; a build from Debian's source package
(`ndb_build`), which goes there, too. Oracle's binary tarball is such an archive, and so is whatever else
unpacks to one folder with `mysqld`, `ndbmtd` and `ndb_mgmd` in bin, sbin or libexec.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from fivenines.errors import FiveninesError
from fivenines.lab.host import ENGINE, Root
from fivenines.software import archives
from fivenines.software.base import CachedEngine, EngineStatus, Report

# The environment variable that names a folder with archives of engines.
ARCHIVES = "FIVENINES_ENGINE_ARCHIVES"

_PATTERNS = ("mysql-ndb-9.7*.tar*", "mysql-cluster-*9.7*.tar*")
_PROGRAMS = ("mysqld", "ndbmtd", "ndb_mgmd")
_PARTS = ("bin", "sbin", "libexec")

# What to do where there is none.
REMEDIES = (
    "`fivenines engines add FOLDER` with MySQL Cluster's tarball unpacked or its packages installed (/usr), "
    "`fivenines engines add FILE` with its generic Linux archive from MySQL's site, or "
    "`fivenines engines build mysql-ndb-9.7` (two hours)"
)


class NdbArchive(CachedEngine):
    """The archive, unpacked."""

    name = "mysql-ndb-9.7"
    description = "MySQL NDB Cluster 9.7, from a folder or an archive: `fivenines engines add PATH`"
    family = "ndb"
    series = "9.7"

    # The one to take; None: whichever the environment offers.
    archive: Path | None = None

    # The folder that a build has left, to be copied; None: an archive is unpacked.
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
            report("copying what was built", 0.98)
            shutil.copytree(self.made, tree, symlinks=True)
            self._source = "built from Debian's source package"
            return _version(tree)
        archive = self.archive or _offered()
        if archive is None:
            raise FiveninesError(f"engine {self.name} is in no package that could be fetched: {REMEDIES}")
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
        return str(ENGINE / found(tree, name).relative_to(tree))

    def next_to_server(self) -> dict[str, str]:
        """See `Engine`. A tarball has them in share and lib/plugin, packages in folders with MySQL's name
        or version.
        """
        tree = self.tree
        return {
            option: str(ENGINE / _folder(tree, patterns).relative_to(tree))
            for option, patterns in _BESIDE.items()
        }


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


_BESIDE: Mapping[str, tuple[str, ...]] = {
    # the folder above the one with this file, and so on
    "lc-messages-dir": ("share/english/errmsg.sys", "share/mysql*/english/errmsg.sys"),
    "character-sets-dir": ("share/charsets/Index.xml", "share/mysql*/charsets/Index.xml"),
    "plugin-dir": ("lib/plugin", "lib64/mysql/plugin", "lib/mysql/plugin", "lib/*/mysql/plugin"),
}
_ABOVE = {"lc-messages-dir": 2, "character-sets-dir": 1}


def _folder(tree: Path, patterns: Sequence[str]) -> Path:
    """The folder that the first of these patterns finds; the first one's, if none is there: a server says
    so itself."""
    option = next(name for name, own in _BESIDE.items() if own == patterns)
    matches = [path for pattern in patterns for path in sorted(tree.glob(pattern))]
    path = matches[0] if matches else tree / patterns[0]
    for _ in range(_ABOVE.get(option, 0)):
        path = path.parent
    return path


def _readable(root: Path) -> list[Path]:
    """The programs in a folder of somebody else, which servers of other users than its owner must be able
    to run.

    Raises:
        FiveninesError: they are not, or cannot be run by them.
    """
    programs = [found(root, name) for name in _PROGRAMS]
    closed = [path for path in (root, *programs) if path.stat().st_mode & 0o005 != 0o005]
    if closed:
        raise FiveninesError(
            f"{closed[0]} can be run by its owner only, and servers have users of their own: "
            f"run `chmod -R go+rX {root}`"
        )
    return programs


def _offered() -> Path | None:
    """The newest archive in the folder that the environment names."""
    folder = os.environ.get(ARCHIVES)
    if not folder:
        return None
    offered = sorted(path for pattern in _PATTERNS for path in Path(folder).glob(pattern))
    return offered[-1] if offered else None


def _checked_sum(archive: Path) -> str:
    """The checksum of an archive, which a list beside it has to say, too, where there is one.

    Raises:
        FiveninesError: it says another one.
    """
    digest = archives.checksum(archive)
    sums = archive.with_name("SHA256SUMS")
    if sums.exists():
        lines = (line.split() for line in sums.read_text().splitlines() if line.strip())
        wanted = {name.lstrip("*"): one for one, name in lines}
        if wanted.get(archive.name, digest) != digest:
            raise FiveninesError(f"{archive} is damaged: {sums.name} beside it has another checksum")
    return digest


def _version(tree: Path) -> str:
    for name in _PROGRAMS:
        found(tree, name)
    answer = subprocess.run(
        [str(found(tree, "mysqld")), "--no-defaults", "--version"],
        capture_output=True,
        text=True,
        check=False,
    )
    match = re.search(r"Ver (\d+\.\d+\.\d+)", answer.stdout)
    if match is None:
        raise FiveninesError(f"the unpacked mysqld does not run: {answer.stderr.strip()}")
    return match[1]
