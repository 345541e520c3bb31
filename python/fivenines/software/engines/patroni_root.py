"""`patroni`: a root file system with Patroni, in two major versions, and etcd.

Debian's package is Patroni 3. Patroni 4 is a wheel from PyPI, in a separate folder. Both import psycopg2,
python-etcd, urllib3 and YAML from Debian's packages, as PyPI has no wheel of python-etcd.
"""

import subprocess
from pathlib import Path

from fivenines.base.errors import FiveninesError
from fivenines.lab.processes.bound import pip
from fivenines.software.base import Report
from fivenines.software.debian_root import DebianRoot, inside_tree

# Folder of Patroni 4 in the tree, for PYTHONPATH.
ASIDE = "/opt/patroni-4"

_REQUIREMENT = "patroni>=4,<5"
_LIBRARIES = "/usr/lib/python3/dist-packages"
# `patroni --version` does not work here: it needs /proc, which an unpacked tree does not have.
_ASKED = "python3 -c 'from patroni.version import __version__ as v; print(v)'"
_ETCD = "etcd --version | sed -n s/etcd.Version:.//p"
_VERSIONS = f"echo patroni $({_ASKED}), $(PYTHONPATH={ASIDE} {_ASKED}), etcd $({_ETCD})"


class PatroniRoot(DebianRoot):
    """The root of hosts; PostgreSQL itself is a separate engine."""

    name = "patroni"
    description = "Patroni 3 (Debian 12) and Patroni 4 (PyPI) with etcd, to run PostgreSQL"
    family = "postgresql"
    packages = ("patroni", "etcd-server", "python3", "python3-etcd", "python3-psycopg2")
    version_command = ("sh", "-c", _VERSIONS)
    version_pattern = r"patroni (3\S+, 4\S+, etcd \S+)"

    def finish(self, tree: Path, report: Report) -> None:
        report("downloading Patroni 4", 0.96)
        _install_aside(tree)
        # Hosts mount the tree read-only, so each start of Patroni would otherwise compile all modules.
        done = inside_tree(tree, ["python3", "-m", "compileall", "-q", _LIBRARIES, ASIDE])
        if done.returncode != 0:
            raise FiveninesError(f"Patroni could not be compiled: {_last(done)}")
        inside_tree(tree, ["python3", "-m", "compileall", "-q", "/usr/lib/python3.11"])


def _install_aside(tree: Path) -> None:
    aside = ["--only-binary=:all:", "--target", f"{tree}{ASIDE}", _REQUIREMENT]
    done = pip("install", "--no-deps", "--no-compile", *aside)
    if done.returncode != 0:
        raise FiveninesError(f"pip could not install {_REQUIREMENT}: {_last(done)}")


def _last(done: "subprocess.CompletedProcess[str]") -> str:
    return "".join((done.stderr or done.stdout).strip().splitlines()[-1:]) or "no message"
