"""`uml-6.1`: the kernel of virtual machines, which runs as an ordinary process (user-mode Linux)."""

import re
import shutil
import subprocess
from pathlib import Path

from fivenines.errors import FiveninesError
from fivenines.lab.host import Root
from fivenines.software.base import Report
from fivenines.software.debian_root import DebianRoot

MODULES = (
    "overlay", "lru_cache", "drbd", "sch_netem", "sch_prio", "sch_tbf", "cls_u32", "dm-mod", "dm-delay",
)  # fmt: skip
"""Of the kernel's modules those that are of use here."""


class UmlKernel(DebianRoot):
    """The kernel and some of its modules. Programs are those of a host's root."""

    name = "uml-6.1"
    description = (
        "Linux 6.1 as a process, with DRBD 8.4, for virtual machines, from Debian 12's packages"
    )
    family = "none"
    series = "6.1"
    packages = ("user-mode-linux",)

    def build(self, tree: Path, report: Report) -> str:
        whole = tree.with_name("packages")
        try:
            self.unpack(whole, report)
            tree.mkdir()
            shutil.copy2(whole / "usr/bin/linux.uml", tree / "linux.uml")
            (tree / "modules").mkdir()
            for name in MODULES:
                for file in whole.glob(f"usr/lib/uml/modules/**/{name}.ko"):
                    shutil.copy2(file, tree / "modules" / file.name)
        finally:
            shutil.rmtree(whole, ignore_errors=True)
        return _version(tree / "linux.uml")

    def root(self) -> Root:
        raise FiveninesError(f"{self.name} is a kernel: it is no root of a host")


def _version(kernel: Path) -> str:
    told = subprocess.run([str(kernel), "--version"], capture_output=True, text=True, check=False)
    match = re.search(r"\d+(\.\d+)+", told.stdout)
    if match is None:
        raise FiveninesError(f"the unpacked kernel does not run: {told.stderr.strip()}")
    return match[0]
