"""The program of the Go stacks: one static file."""

import shutil
from pathlib import Path

from fivenines.load.stacks.runtimes.base import PROGRAMS, Runtime
from fivenines.load.stacks.runtimes.tools import found, tools, workshop
from fivenines.software.base import Report
from fivenines.software.debian_root import DebianRoot

_GO = PROGRAMS / "go"
_PROGRAM = "fivenines-stacks"


class GoToolchain(DebianRoot):
    """Go of Debian, for a machine without a suitable one."""

    name = "stacks-go-toolchain"
    description = "Go, from Debian's packages"
    family = "none"
    suite = "trixie"
    packages = ("golang-1.24-go",)
    # go itself does not start in a root without /proc.
    version_command = ("cat", "/usr/lib/go-1.24/VERSION")
    version_pattern = r"go(\S+)"


class GoRuntime(Runtime):
    """One program with all Go stacks."""

    name = "stacks-go"
    description = "the program of the Go client stacks"
    sources = ("go/*",)

    def command(self, kind: str) -> list[str]:
        return [self.program(_PROGRAM), kind]

    def build(self, tree: Path, report: Report) -> str:
        tree.mkdir()
        with workshop(tree.parent) as folder:
            chosen = tools(folder, machines_go(), GoToolchain(), report, ("usr/lib/go-1.24/bin",))
            source = chosen.folder / "source"
            shutil.copytree(_GO, source)
            # Nothing of the build is kept: the user's own caches stay as they are.
            environment = {
                "CGO_ENABLED": "0",
                "GOPATH": str(chosen.folder / "go"),
                "GOMODCACHE": str(chosen.folder / "modules"),
                "GOCACHE": str(chosen.folder / "cache"),
                "GOWORK": "off",
            }
            go = ["go", "-C", str(source)]
            report("fetching the modules of the Go stacks", None)
            chosen.run(
                "fetching the modules of the Go stacks", [*go, "mod", "download", "-modcacherw"], environment
            )
            report("compiling the program of the Go stacks", None)
            options = ["-buildvcs=false", "-trimpath", "-mod=readonly", "-ldflags=-s -w"]
            chosen.run(
                "compiling the Go stacks",
                [*go, "build", *options, "-o", str(chosen.folder / _PROGRAM), "."],
                environment,
            )
            version = chosen.run("asking for Go's version", ["go", "env", "GOVERSION"], environment).strip()
            shutil.move(chosen.folder / _PROGRAM, tree / _PROGRAM)
        return f"{version}, {_drivers()}"


def machines_go() -> str:
    """Return the name of this machine's Go if it can build the program."""
    version = found("go", ["env", "GOVERSION"], r"^go(\d+\.\d+\S*)", (1, 24))
    return f"Go {version}" if version else ""


def _drivers() -> str:
    """Return the modules that the program requires itself, with their versions."""
    lines = (line.split("//") for line in (_GO / "go.mod").read_text().splitlines() if line.startswith("\t"))
    return ", ".join(text[0].strip() for text in lines if len(text) == 1)
