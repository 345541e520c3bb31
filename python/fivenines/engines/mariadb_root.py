"""`mariadb-10.11`: a root file system with MariaDB, Galera, mariadb-backup and HAProxy.

Built by mmdebstrap from Debian 12's packages, unpacked without their maintainer scripts: that needs
neither root nor a range of user ids, and takes seconds. What the scripts would have done and a server
needs (a shell, accounts, merged /usr) is done here.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

from fivenines.engines.base import CachedEngine, Report
from fivenines.errors import FiveninesError
from fivenines.lab.host import Root

_SUITE = "bookworm"
_PACKAGES = (
    # the servers
    "mariadb-server", "galera-4", "mariadb-backup", "haproxy",
    # what they and Galera's state transfer scripts call
    "rsync", "socat", "lsof", "iproute2", "procps", "util-linux", "bash", "dash", "coreutils", "grep",
    "sed", "mawk", "findutils", "diffutils", "hostname", "debianutils", "libc-bin", "base-passwd",
)  # fmt: skip
_SETUP_HOOK = 'cd "$1" && for d in bin sbin lib lib64; do mkdir -p usr/$d; ln -s usr/$d $d; done'
_UNUSED = ("doc", "man", "locale", "info", "perl", "perl5", "bash-completion", "lintian")
_ACCOUNT = "mysql:x:999:999:MariaDB:/nonexistent:/bin/false"


class MariadbRoot(CachedEngine):
    """A root file system; hosts overlay it."""

    name = "mariadb-10.11"
    description = "MariaDB 10.11 with Galera, mariadb-backup and HAProxy, from Debian 12's packages"
    family = "mariadb"

    def build(self, tree: Path, report: Report) -> str:
        if shutil.which("mmdebstrap") is None:
            raise FiveninesError(
                f"engine {self.name} is built by mmdebstrap, which is not installed: "
                "run `apt-get install mmdebstrap` as root"
            )
        _bootstrap(tree, report)
        report("finishing", 0.95)
        _finish(tree)
        return _version(tree)

    def root(self) -> Root:
        return Root(lower=self.folder / "tree")

    def program(self, name: str) -> str:
        return name


def _bootstrap(tree: Path, report: Report) -> None:
    command = ["mmdebstrap", "--mode=chrootless", "--variant=extract", "--format=directory"]
    command += [
        f"--setup-hook={_SETUP_HOOK}",
        f"--include={','.join(_PACKAGES)}",
        _SUITE,
        str(tree),
    ]
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
            process.kill()
            process.wait()
    if process.returncode != 0:
        lines = [line for line in log.read_text(errors="replace").splitlines() if line.strip()]
        raise FiveninesError(
            "mmdebstrap could not build the root file system:\n" + "\n".join(lines[-6:])
        )
    log.unlink()


def _ends_with_us() -> list[str]:
    """What makes a command and all that it starts end when we do, even by SIGKILL: a PID namespace."""
    apart = ["unshare", "--pid", "--fork", "--kill-child"]
    if os.geteuid() != 0:
        apart += ["--user", "--map-current-user"]
    return ["setpriv", "--pdeathsig", "KILL", *apart, "--"]


def _await_end(process: subprocess.Popen[bytes], log: Path, report: Report) -> None:
    seen = 0.0
    while True:
        try:
            process.wait(1.0)
            return
        except subprocess.TimeoutExpired:
            words = _last_step(log)
            seen = max(seen, _fraction(words))
            report(words, seen)


def _last_step(log: Path) -> str:
    steps = re.findall(r"^I: (.+)$", log.read_text(errors="replace"), re.MULTILINE)
    return steps[-1].rstrip(". ") if steps else "starting mmdebstrap"


def _fraction(step: str) -> float:
    known = {"running apt-get update": 0.1, "downloading": 0.3, "extracting": 0.7, "cleaning": 0.9}
    return next((value for words, value in known.items() if step.startswith(words)), 0.0)


def _finish(tree: Path) -> None:
    # hosts see the machine's devices; as root mmdebstrap makes nodes that nobody could copy or count
    shutil.rmtree(tree / "dev")
    (tree / "dev").mkdir()
    for link, target in (("sh", "dash"), ("awk", "mawk"), ("which", "which.debianutils")):
        path = tree / "usr/bin" / link
        if not path.exists():
            path.symlink_to(target)
    for kind, line in (("passwd", _ACCOUNT), ("group", "mysql:x:999:")):
        text = (tree / f"usr/share/base-passwd/{kind}.master").read_text()
        (tree / "etc" / kind).write_text(f"{text}{line}\n")
    (tree / "etc/mtab").unlink(missing_ok=True)
    (tree / "etc/mtab").symlink_to("/proc/self/mounts")
    for name in _UNUSED:
        shutil.rmtree(tree / "usr/share" / name, ignore_errors=True)


def _version(tree: Path) -> str:
    answer = subprocess.run(
        ["unshare", "--user", "--map-root-user", "chroot", str(tree), "mariadbd", "--version"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    match = re.search(r"Ver (\S+?)-MariaDB", answer.stdout)
    if match is None:
        raise FiveninesError(f"the unpacked MariaDB does not run: {answer.stderr.strip()}")
    return match[1]
