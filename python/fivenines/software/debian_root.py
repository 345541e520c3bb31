"""Engines that are root file systems of Debian packages, built with mmdebstrap.

Packages are unpacked without their maintainer scripts, which needs neither root nor a range of user ids and
takes seconds. This module does the steps of the scripts that a server needs: a shell, accounts, merged /usr.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import psutil

from fivenines.base.errors import FiveninesError
from fivenines.lab.host import Root
from fivenines.software.base import CachedEngine, Report

# Programs that scripts and state transfers call.
BASE = (
    "iproute2",
    "procps",
    "util-linux",
    "bash",
    "dash",
    "coreutils",
    "grep",
    "sed",
    "mawk",
    "findutils",
    "diffutils",
    "hostname",
    "debianutils",
    "libc-bin",
    "base-passwd",
)

_SETUP_HOOK = 'cd "$1" && for d in bin sbin lib lib64; do mkdir -p usr/$d; ln -s usr/$d $d; done'
# Command of each family that prints the server's version, and a pattern with the version as group 1.
_SERVERS: dict[str, tuple[tuple[str, ...], str]] = {
    "mariadb": (("mariadbd", "--version"), r"Ver (\S+?)-MariaDB"),
    "mysql": (("mysqld", "--no-defaults", "--version"), r"Ver (\d+\.\d+\.\d+)"),
}

_UNUSED = ("doc", "man", "locale", "info", "bash-completion", "lintian")


class DebianRoot(CachedEngine):
    """A root file system of packages; hosts mount an overlay over it."""

    # The release of Debian, or `sid`; by default Debian 12.
    suite: ClassVar[str] = "bookworm"

    # Packages to unpack, with all dependencies.
    packages: ClassVar[tuple[str, ...]]

    # Names and ids of users that programs look up; each has a group of the same name.
    accounts: ClassVar[tuple[tuple[str, int], ...]] = ()

    # Folders below /usr/share to omit, in addition to documentation; by default Perl's.
    unused: ClassVar[tuple[str, ...]] = ("perl", "perl5")

    # Further options of mmdebstrap.
    options: ClassVar[tuple[str, ...]] = ()

    # Command inside the tree that prints the version; empty: the server's version is used.
    version_command: ClassVar[tuple[str, ...]] = ()

    # Pattern for that command's output with the version as group 1.
    version_pattern: ClassVar[str] = ""

    def build(self, tree: Path, report: Report) -> str:
        if shutil.which("mmdebstrap") is None:
            raise FiveninesError(
                f"engine {self.name} needs mmdebstrap, which is not installed: "
                "run `sudo apt-get install mmdebstrap`"
            )
        self.unpack(tree, report)
        report("finishing", 0.95)
        self._make_usable(tree)
        self.finish(tree, report)
        return self._version(tree)

    def finish(self, tree: Path, report: Report) -> None:
        """Complete the unpacked tree; by default nothing."""

    def root(self) -> Root:
        return Root(lower=self.folder / "tree")

    def program(self, name: str) -> str:
        return name

    def server_version(self) -> str:
        # The engine's version can be that of another program than the server.
        command, pattern = _SERVERS.get(self.family, ((), ""))
        if not command or not self.status().installed:
            return ""
        match = re.search(pattern, inside_tree(self.folder / "tree", command).stdout)
        return match[1] if match else ""

    def unpack(self, tree: Path, report: Report) -> None:
        """Unpack the packages with all dependencies."""
        command = ["mmdebstrap", "--mode=chrootless", "--variant=extract", "--format=directory"]
        command += [*self.options, f"--setup-hook={_SETUP_HOOK}"]
        command += [f"--include={','.join((*self.packages, *BASE))}", self.suite, str(tree)]
        log = tree.parent / "mmdebstrap.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                [*_ends_with_us(), *command],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env={**os.environ, "LC_ALL": "C.UTF-8"},
            )
            try:
                _await_end(process, log, report)
            finally:
                _end(process)
        if process.returncode != 0:
            lines = [line for line in log.read_text(errors="replace").splitlines() if line.strip()]
            raise FiveninesError("mmdebstrap could not build the root file system:\n" + "\n".join(lines[-6:]))
        log.unlink()

    def _make_usable(self, tree: Path) -> None:
        # Hosts use the machine's devices. As root, mmdebstrap creates device nodes that cannot be copied.
        shutil.rmtree(tree / "dev")
        (tree / "dev").mkdir()
        for link, target in (("sh", "dash"), ("awk", "mawk"), ("which", "which.debianutils")):
            path = tree / "usr/bin" / link
            if not path.exists():
                path.symlink_to(target)
        self._write_accounts(tree)
        (tree / "etc/mtab").unlink(missing_ok=True)
        (tree / "etc/mtab").symlink_to("/proc/self/mounts")
        for name in (*_UNUSED, *self.unused):
            shutil.rmtree(tree / "usr/share" / name, ignore_errors=True)

    def _write_accounts(self, tree: Path) -> None:
        users = [f"{name}:x:{uid}:{uid}:{name}:/nonexistent:/bin/false" for name, uid in self.accounts]
        groups = [f"{name}:x:{uid}:" for name, uid in self.accounts]
        for kind, lines in (("passwd", users), ("group", groups)):
            text = (tree / f"usr/share/base-passwd/{kind}.master").read_text()
            (tree / "etc" / kind).write_text(text + "".join(f"{line}\n" for line in lines))

    def _version(self, tree: Path) -> str:
        command, pattern = self.version_command, self.version_pattern
        if not command:
            command, pattern = _SERVERS[self.family]
        answer = inside_tree(tree, command)
        match = re.search(pattern, answer.stdout + answer.stderr)
        if match is None:
            raise FiveninesError(f"the unpacked program {command[0]} does not run: {answer.stderr.strip()}")
        return match[1]


def inside_tree(tree: Path, command: Sequence[str]) -> "subprocess.CompletedProcess[str]":
    """Run a command inside a tree to its end, before a host exists."""
    enter = ["unshare", "--user", "--map-root-user", "chroot", str(tree)]
    return subprocess.run([*enter, *command], capture_output=True, text=True, check=False)


# Seconds within which killed processes must have ended.
_DYING = 30.0


def _ends_with_us() -> list[str]:
    """Return a prefix that ends a command and all its children if we end: a separate PID namespace."""
    apart = ["unshare", "--pid", "--fork", "--kill-child"]
    if os.geteuid() != 0:
        apart += ["--user", "--map-current-user"]
    return ["setpriv", "--pdeathsig", "KILL", *apart, "--"]


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a command of `_ends_with_us`; return when none of its processes writes any more."""
    try:
        inside = psutil.Process(process.pid).children()
    except psutil.NoSuchProcess:
        inside = []  # it has ended by itself
    process.kill()
    process.wait()
    # The first process of a PID namespace ends after all others.
    psutil.wait_procs(inside, timeout=_DYING)


def _await_end(process: subprocess.Popen[bytes], log: Path, report: Report) -> None:
    seen = 0.0
    while True:
        try:
            process.wait(1.0)
            return
        except subprocess.TimeoutExpired:
            step = _last_step(log)
            seen = max(seen, _fraction(step))
            report(step, seen)


def _last_step(log: Path) -> str:
    steps = re.findall(r"^I: (.+)$", log.read_text(errors="replace"), re.MULTILINE)
    return steps[-1].rstrip(". ") if steps else "starting mmdebstrap"


def _fraction(step: str) -> float:
    known = {"running apt-get update": 0.1, "downloading": 0.3, "extracting": 0.7, "cleaning": 0.9}
    return next((value for prefix, value in known.items() if step.startswith(prefix)), 0.0)
