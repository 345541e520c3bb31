"""Examine a folder with a custom database server: its family, version and programs.

The folder is either a whole root file system, as in an image, or one installation (bin, lib, share), as in a
tarball.
"""

import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fivenines.base.errors import FiveninesError
from fivenines.lab.host import ENGINE, Root
from fivenines.software.base import Family
from fivenines.software.debian_root import inside_tree

# Server program of each family, and a pattern for the version in its output.
_SERVERS: Mapping[Family, tuple[str, str]] = {
    # MariaDB also has a program mysqld, so it is checked first.
    "mariadb": ("mariadbd", r"Ver (\d+\.\d+\.\d+)-MariaDB"),
    "mysql": ("mysqld", r"Ver (\d+\.\d+\.\d+)"),
    "postgresql": ("postgres", r"PostgreSQL\) (\d+(?:\.\d+)+|\d+\w*)"),
}

# Program folders in root file systems of Debian, the Red Hat family, and images.
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

# Files that a MySQL server reads: a pattern, and the number of levels from the match up to the folder.
_NEXT_TO_SERVER: Mapping[str, tuple[str, int]] = {
    "lc-messages-dir": ("share/**/english/errmsg.sys", 2),
    "character-sets-dir": ("share/**/charsets/Index.xml", 1),
    "plugin-dir": ("lib*/**/plugin", 0),
}


@dataclass(frozen=True)
class Tree:
    """A folder with a server.

    Attributes:
        path: the folder.
        family: family of its server.
        version: version of the server; empty: not determined.
    """

    path: Path
    family: Family
    version: str = ""

    @classmethod
    def examined(cls, path: Path) -> "Tree":
        """Determine the server in a folder and its version.

        Raises:
            FiveninesError: the folder has no supported server, or the server does not run here.
        """
        for family, (program, pattern) in _SERVERS.items():
            server = _located(path, program)
            if server is not None:
                return cls(path, family, _version(path, server, pattern))
        names = ", ".join(program for program, _ in _SERVERS.values())
        raise FiveninesError(f"{path} has no supported database server: none of {names}")

    @property
    def is_root(self) -> bool:
        """Whether the folder is a whole root file system, with a shell."""
        return is_root(self.path)

    def root(self) -> Root:
        """Return how a host mounts the tree: as its root, or in addition to the machine's programs."""
        return Root(lower=self.path) if self.is_root else Root(engine=self.path)

    def program(self, name: str) -> str:
        """Return the path of a program inside a host.

        Raises:
            FiveninesError: the tree has no such program.
        """
        located = _located(self.path, name)
        if located is None:
            raise FiveninesError(f"{self.path} has no program {name}")
        inside = located.relative_to(self.path)
        return str(Path("/") / inside if self.is_root else ENGINE / inside)

    def next_to_server(self) -> dict[str, str]:
        """Return the options of `Engine.next_to_server`, for an installation that was moved."""
        if self.is_root or self.family == "postgresql":
            return {}
        options = {}
        for option, (pattern, above) in _NEXT_TO_SERVER.items():
            path = next(iter(sorted(self.path.glob(pattern))), None)
            for _ in range(above if path is not None else 0):
                path = path.parent if path is not None else None
            if path is not None:
                options[option] = str(ENGINE / path.relative_to(self.path))
        return options


def family_named(name: str) -> Family | None:
    """Return the family in the name of an image or a file; None if the name has none."""
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
    """Return whether a folder is a whole root file system, with a shell."""
    # Absolute links in a root point into the root itself, so they need not resolve here.
    return any((tree / place).is_symlink() or (tree / place).exists() for place in ("bin/sh", "usr/bin/sh"))


def _located(tree: Path, program: str) -> Path | None:
    folders = _IN_ROOT if is_root(tree) else _IN_INSTALLATION
    for folder in folders:
        for path in sorted(tree.glob(f"{folder}/{program}"), reverse=True):
            if path.is_symlink() or path.is_file():
                return path
    return None


def _version(tree: Path, program: Path, pattern: str) -> str:
    inside = f"/{program.relative_to(tree)}" if is_root(tree) else str(program)
    # Configuration files must not influence the output.
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
        raise FiveninesError(f"{program} is MariaDB before 10.5, which is not supported")
    if match is None:
        output = " ".join((answer.stderr or answer.stdout).split())[-300:]
        raise FiveninesError(f"{program} does not run here: {output or 'it prints no version'}")
    return match[1]
