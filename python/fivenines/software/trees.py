"""What is in a folder with a database server that somebody brings: its family, version and programs.

Either a whole root file system, as an image unpacks to, or one installation (bin, lib, share), as a tarball
does.
"""

import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fivenines.errors import FiveninesError
from fivenines.lab.host import ENGINE, Root
from fivenines.software.base import Family
from fivenines.software.debian_root import inside_tree

# The server's program of each family, and its version in what it prints.
_SERVERS: Mapping[Family, tuple[str, str]] = {
    # MariaDB calls its server mysqld, too
    "mariadb": ("mariadbd", r"Ver (\d+\.\d+\.\d+)-MariaDB"),
    "mysql": ("mysqld", r"Ver (\d+\.\d+\.\d+)"),
    "postgresql": ("postgres", r"PostgreSQL\) (\d+(?:\.\d+)+|\d+\w*)"),
}

# Where roots have programs: those of Debian, of the Red Hat family, and of images.
_IN_ROOT = (
    "usr/local/sbin",
    "usr/local/bin",
    "usr/sbin",
    "usr/bin",
    "usr/libexec",
    "usr/local/mysql/bin",
    "usr/lib/postgresql/*/bin",
    "usr/pgsql-*/bin",
    "opt/*/bin",
    "opt/*/*/bin",
    "opt/*/*/sbin",
)

_IN_INSTALLATION = ("bin", "sbin", "libexec")

# What a server of the MySQL family reads beside itself: a pattern, and how far above the folder is.
_BESIDE: Mapping[str, tuple[str, int]] = {
    "lc-messages-dir": ("share/**/english/errmsg.sys", 2),
    "character-sets-dir": ("share/**/charsets/Index.xml", 1),
    "plugin-dir": ("lib*/**/plugin", 0),
}


@dataclass(frozen=True)
class Tree:
    """A folder with a server.

    Attributes:
        path: the folder.
        family: whose server it has.
        version: of that server; empty: nobody has asked it.
    """

    path: Path
    family: Family
    version: str = ""

    @classmethod
    def looked_at(cls, path: Path) -> "Tree":
        """See what is in a folder.

        Raises:
            FiveninesError: no server that is known, or one that does not run here.
        """
        for family, (program, pattern) in _SERVERS.items():
            found = _located(path, program)
            if found is not None:
                return cls(path, family, _version(path, found, pattern))
        names = ", ".join(program for program, _ in _SERVERS.values())
        raise FiveninesError(f"{path} has no database server that is known: none of {names}")

    @property
    def is_root(self) -> bool:
        """Whether it is a whole root file system, with a shell."""
        return is_root(self.path)

    def root(self) -> Root:
        """What a host sees: the tree as its root, or beside the machine's own programs."""
        return Root(lower=self.path) if self.is_root else Root(engine=self.path)

    def program(self, name: str) -> str:
        """The path of a program inside a host.

        Raises:
            FiveninesError: the tree has no such program.
        """
        found = _located(self.path, name)
        if found is None:
            raise FiveninesError(f"{self.path} has no program {name}")
        inside = found.relative_to(self.path)
        return str(Path("/") / inside if self.is_root else ENGINE / inside)

    def next_to_server(self) -> dict[str, str]:
        """See `Engine.next_to_server`: of an installation that is not where it was built for."""
        if self.is_root or self.family == "postgresql":
            return {}
        found = {}
        for option, (pattern, above) in _BESIDE.items():
            path = next(iter(sorted(self.path.glob(pattern))), None)
            for _ in range(above if path is not None else 0):
                path = path.parent if path is not None else None
            if path is not None:
                found[option] = str(ENGINE / path.relative_to(self.path))
        return found


def family_named(name: str) -> Family | None:
    """The family that the name of an image or a file is of, as far as that can be told."""
    last = name.rstrip("/").rpartition("/")[2].lower()
    for family, words in _WORDS.items():
        if any(word in last for word in words):
            return family
    return None


_WORDS: Mapping[Family, Sequence[str]] = {
    "mariadb": ("mariadb",),
    "postgresql": ("postgres", "pgsql"),
    "mysql": ("mysql", "percona"),
}


def is_root(tree: Path) -> bool:
    """Whether a folder is a whole root file system, with a shell."""
    # links of a root are to its own files
    return any((tree / place).is_symlink() or (tree / place).exists() for place in ("bin/sh", "usr/bin/sh"))


def _located(tree: Path, program: str) -> Path | None:
    folders = _IN_ROOT if is_root(tree) else _IN_INSTALLATION
    for folder in folders:
        for found in sorted(tree.glob(f"{folder}/{program}"), reverse=True):
            if found.is_symlink() or found.is_file():
                return found
    return None


def _version(tree: Path, program: Path, pattern: str) -> str:
    inside = f"/{program.relative_to(tree)}" if is_root(tree) else str(program)
    # what a configuration file says must not matter
    plain = [] if program.name == "postgres" else ["--no-defaults"]
    command = [inside, *plain, "--version"]
    try:
        answer = (
            inside_tree(tree, command)
            if is_root(tree)
            else subprocess.run(command, capture_output=True, text=True, check=False)
        )
    except OSError as error:
        raise FiveninesError(f"{program} does not run here: {error.strerror}") from error
    match = re.search(pattern, answer.stdout)
    if program.name == "mysqld" and "MariaDB" in answer.stdout:
        raise FiveninesError(f"{program} is a MariaDB from before 10.5, which is not known here")
    if match is None:
        said = " ".join((answer.stderr or answer.stdout).split())[-300:]
        raise FiveninesError(f"{program} does not run here: {said or 'it says no version'}")
    return match[1]
