"""`uml`: the kernel of virtual machines, which runs as an ordinary process (user-mode Linux).

The kernel of Debian unstable intercepts system calls with seccomp instead of ptrace: connecting to PostgreSQL
takes a third of the time. The engine includes the C library of the kernel, as hosts have older ones.
"""

import shutil
from pathlib import Path

from fivenines.base.errors import FiveninesError
from fivenines.lab.host import Root
from fivenines.software.base import Report
from fivenines.software.debian_root import DebianRoot

# Kernel modules that fivenines uses, unless they are built in.
MODULES = (
    "overlay",
    "lru_cache",
    "drbd",
    "sch_netem",
    "sch_prio",
    "sch_tbf",
    "cls_u32",
    "dm-mod",
    "dm-delay",
)

# Path of the kernel's folder inside a host.
PLACE = Path("/run/uml")

_LOADER = "ld-linux-x86-64.so.2"
# Short name of the loader, which fits into the place of the original name in the program.
_OWN_LOADER = "ld.so"


class UmlKernel(DebianRoot):
    """The kernel, its C library and some of its modules. Programs come from a host's root."""

    name = "uml"
    description = "Linux as a process, with DRBD 8.4, for virtual machines, from Debian unstable's packages"
    family = "none"
    suite = "sid"
    options = ('--aptopt=Acquire::Check-Valid-Until "false"',)
    packages = ("user-mode-linux",)

    def build(self, tree: Path, report: Report) -> str:
        whole = tree.with_name("packages")
        try:
            self.unpack(whole, report)
            (tree / "modules").mkdir(parents=True)
            libraries = whole / "usr/lib/x86_64-linux-gnu"
            shutil.copy2(libraries / "libc.so.6", tree / "libc.so.6")
            shutil.copy2(libraries / _LOADER, tree / _OWN_LOADER)
            _write_kernel((whole / "usr/bin/linux.uml").read_bytes(), tree / "linux.uml")
            for name in MODULES:
                for file in whole.glob(f"usr/lib/uml/modules/**/{name}.ko"):
                    shutil.copy2(file, tree / "modules" / file.name)
            (version,) = [path.name for path in (whole / "usr/lib/uml/modules").iterdir()]
        finally:
            shutil.rmtree(whole, ignore_errors=True)
        return version

    def root(self) -> Root:
        raise FiveninesError(f"{self.name} is a kernel and cannot be the root of a host")


def _write_kernel(program: bytes, target: Path) -> None:
    """Write the kernel with the path of its loader inside hosts.

    Starting it with the loader does not work: the kernel executes itself again, from /proc/self/exe.
    """
    before = f"/lib64/{_LOADER}".encode() + bytes(1)
    after = str(PLACE / _OWN_LOADER).encode() + bytes(1)
    if program.count(before) != 1 or len(after) > len(before):
        raise FiveninesError(
            f"cannot patch the kernel: it does not contain the loader {before.decode()[:-1]} exactly once"
        )
    target.write_bytes(program.replace(before, after.ljust(len(before), bytes(1))))
    target.chmod(0o755)
