"""Compilers and package managers that build a program: this machine's, or those of a Debian root.

A Debian root is unpacked for one build and removed afterwards. Its programs run inside it with the machine's
network settings, certificates and home folder, so that a package manager finds its configuration there:
proxies, mirrors and accounts.
"""

import os
import re
import shlex
import shutil
import ssl
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from fivenines.base.errors import FiveninesError
from fivenines.lab.processes.bound import ends_with_us
from fivenines.software.base import Report
from fivenines.software.debian_root import DebianRoot

# Files and folders of the machine that its network programs read.
_NETWORK = ("/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf")
_CERTIFICATES = ("/etc/ssl", "/etc/pki", "/etc/ca-certificates", "/usr/local/share/ca-certificates")

# Variables of the machine's own tools, which are wrong for others.
_OF_TOOLS = (
    *("GOROOT", "GOBIN", "JAVA_HOME", "NODE_PATH", "NODE_OPTIONS", "LD_LIBRARY_PATH", "LD_PRELOAD"),
    *("RUSTC", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "RUSTFLAGS"),
)

_LAST_LINES = 6


@dataclass(frozen=True)
class Tools:
    """Programs that build.

    Attributes:
        folder: an empty folder for the build, seen by the programs at the same path.
        tree: their Debian root; None: they are this machine's.
        paths: folders of programs in the tree, in front of its usual ones.
    """

    folder: Path
    tree: Path | None = None
    paths: tuple[str, ...] = ()

    def run(self, what: str, command: Sequence[str], environment: Mapping[str, str]) -> str:
        """Run a program in the folder to its end; return its output.

        Args:
            what: the action, for the error message.
            environment: variables in addition to those of this process.

        Raises:
            FiveninesError: it failed, with the last lines of its error output.
        """
        variables = {**os.environ, **environment}
        line = list(command)
        if self.tree is not None:
            variables = {name: value for name, value in variables.items() if name not in _OF_TOOLS}
            variables["PATH"] = ":".join([*self.paths, "/usr/sbin", "/usr/bin"])
            line = [*_enter(self.tree, self.folder), *line]
        done = subprocess.run(
            [*ends_with_us(), *line],
            cwd=self.folder,
            env=variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        if done.returncode != 0:
            lines = [text for text in (done.stderr + done.stdout).splitlines() if text.strip()]
            raise FiveninesError(
                "\n".join([f"{what} failed (exit code {done.returncode}):", *lines[-_LAST_LINES:]])
            )
        return done.stdout


@contextmanager
def workshop(near: Path) -> Iterator[Path]:
    """Provide an empty folder, until the end of the block; `near`: the folder in which it is."""
    with tempfile.TemporaryDirectory(prefix="build-", dir=near, ignore_cleanup_errors=True) as text:
        try:
            yield Path(text)
        finally:
            # Debian's and Go's files can be read-only, which the removal does not expect.
            subprocess.run(["chmod", "--recursive", "u+rwX", text], check=False, capture_output=True)


def tools(folder: Path, own: str, root: DebianRoot, report: Report, paths: tuple[str, ...] = ()) -> Tools:
    """Return tools with an empty folder for the build.

    Args:
        folder: a folder that is removed later.
        own: the name of this machine's tools; empty: they are missing or too old.
        root: the Debian root with tools for other machines.
        paths: patterns of folders of programs in that root, which no link in /usr/bin leads to.
    """
    work = folder / "work"
    work.mkdir()
    if own:
        report(f"building with this machine's {own}", None)
        return Tools(work)
    root.build(folder / "root", report)
    tree = folder / "root"
    return Tools(
        work, tree, tuple(f"/{path.relative_to(tree)}" for text in paths for path in sorted(tree.glob(text)))
    )


def found(program: str, arguments: Sequence[str], pattern: str, least: tuple[int, ...]) -> str:
    """Return this machine's version of a program; empty if it is missing, fails or is older than `least`.

    Args:
        pattern: matches its output, with the version as group 1.
    """
    if shutil.which(program) is None:
        return ""
    try:
        answer = subprocess.run(
            [program, *arguments], capture_output=True, text=True, check=False, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    match = re.search(pattern, answer.stdout + answer.stderr)
    if answer.returncode != 0 or match is None:
        return ""
    numbers = tuple(int(number) for number in re.findall(r"\d+", match[1]))
    return match[1] if numbers >= least else ""


def bundle() -> Path | None:
    """Return the machine's file with the certificates of authorities, as its own programs use it."""
    default = ssl.get_default_verify_paths()
    known = [os.environ.get("SSL_CERT_FILE"), default.cafile, default.openssl_cafile]
    files = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"]
    return next((Path(name) for name in [*known, *files] if name and Path(name).is_file()), None)


def _enter(tree: Path, folder: Path) -> list[str]:
    """Return a prefix that runs a command inside a tree, in a folder of the machine."""
    shared = [Path("/proc"), Path("/dev"), Path("/tmp"), folder, Path.home()]
    shared += [Path(name) for name in (*_NETWORK, *_CERTIFICATES)]
    if (certificates := bundle()) is not None:
        shared.append(certificates)
    steps = ["set -e"]
    for path in dict.fromkeys(shared):
        if not path.exists() or path == Path("/"):
            continue
        at = shlex.quote(f"{tree}{path}")
        make = "mkdir -p" if path.is_dir() else f"mkdir -p {shlex.quote(f'{tree}{path.parent}')}; : >"
        # A place that an earlier mount already shows needs none of its own.
        steps.append(f"[ -e {at} ] || {{ {make} {at}; }}")
        steps.append(f"mount --rbind {shlex.quote(str(path.resolve()))} {at}")
    inside = ["chroot", str(tree), "/usr/bin/env", f"--chdir={folder}"]
    steps.append(f'exec {shlex.join(inside)} "$@"')
    return [
        *("unshare", "--user", "--map-root-user", "--mount", "--"),
        *("/bin/sh", "-c", "\n".join(steps), "sh"),
    ]
