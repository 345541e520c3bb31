"""Build MySQL NDB Cluster from Debian's source package of MySQL, which contains the unbuilt storage/ndb.

Each step is a shell command in one folder. A completed step leaves a marker file and is not repeated. An
interrupted compilation continues, as ninja knows the finished parts.
"""

import os
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fivenines.base import paths
from fivenines.base.errors import FiveninesError
from fivenines.base.units import format_size
from fivenines.software.base import Report

# The name of the source package.
SOURCE = "mysql-9.7"

# Required free space in bytes: 2 GB for the unpacked source, the rest for compiled and linked files.
DISK = 12 * 2**30

HOURS = "about two hours on two cores (2,900 compilations)"

PACKAGES = (
    "bison",
    "build-essential",
    "cmake",
    "dpkg-dev",
    "libaio-dev",
    "libcurl4-openssl-dev",
    "libncurses-dev",
    "libnuma-dev",
    "libssl-dev",
    "libtirpc-dev",
    "ninja-build",
    "pkg-config",
)

_OPTIONS = (
    "-DCMAKE_BUILD_TYPE=Release",
    "-DWITH_NDB=ON",
    "-DWITH_NDB_JAVA=OFF",
    "-DWITH_NDB_TEST=OFF",
    "-DWITH_NDBAPI_EXAMPLES=OFF",
    "-DWITH_UNIT_TESTS=OFF",
    "-DWITH_ROUTER=OFF",
    "-DWITH_MYSQLX=OFF",
    "-DWITH_AUTHENTICATION_CLIENT_PLUGINS=OFF",
    "-DWITH_FIDO=none",
    "-DINSTALL_MYSQLTESTDIR=",
    # Programs find their libraries relative to themselves, so that the folder can be moved.
    "-DCMAKE_BUILD_RPATH_USE_ORIGIN=ON",
    # -O1 takes half of the time of a full optimisation. It suffices to test behaviour and compare topologies.
    "-DCMAKE_CXX_FLAGS='-O1 -g0'",
    "-DCMAKE_C_FLAGS='-O1 -g0'",
)
_SERVERS = ("mysqld", "ndbmtd", "ndb_mgmd")
_TOOLS = (
    "ndb_mgm",
    "ndb_waiter",
    "ndb_restore",
    "ndb_desc",
    "ndb_select_all",
    "mysql",
    "mysqldump",
    "mysqlbinlog",
)
_FETCH = f"apt-get source --download-only {SOURCE}"
_GATHERED = "tree"


@dataclass(frozen=True)
class Step:
    """A step of the build: its name, its command, and the completed fraction of the build after it."""

    name: str
    command: str
    after: float

    @property
    def shown(self) -> str:
        """Return the command as one line."""
        lines = (line for line in self.command.splitlines() if not line.startswith("#"))
        return " ".join(" ".join(lines).split())


@dataclass(frozen=True)
class Build:
    """A build in a folder. `jobs` is the number of parallel compilers; None: one per core."""

    folder: Path
    jobs: int | None = None

    @property
    def result(self) -> Path:
        """Return the folder with the results: programs, libraries, messages and character sets."""
        return self.folder / _GATHERED

    def steps(self) -> Sequence[Step]:
        """Return all steps in order, including completed ones."""
        jobs = self.jobs or os.cpu_count() or 1
        return (
            Step("fetch", _FETCH, 0.02),
            Step(
                "unpack",
                f"rm -rf source && mkdir source && "
                f"tar --extract --strip-components=1 --directory source --file {SOURCE}_*.orig.tar.*",
                0.04,
            ),
            Step("configure", f"cmake -G Ninja -S source -B build {' '.join(_OPTIONS)}", 0.06),
            Step(
                "compile",
                f"ninja -C build -j {jobs} {' '.join((*_SERVERS, *_TOOLS))} component_reference_cache",
                0.95,
            ),
            Step("gather", _GATHER, 0.97),
        )

    def done(self, step: Step) -> bool:
        """Return whether a step was completed with the same command in this folder."""
        try:
            return self._mark(step).read_text() == step.command
        except OSError:
            return False

    def left(self) -> list[Step]:
        """Return the remaining steps: the first incomplete one and all that follow it."""
        steps = list(self.steps())
        first = next((i for i, step in enumerate(steps) if not self.done(step)), len(steps))
        return steps[first:]

    def missing(self) -> list[str]:
        """Return missing prerequisites of the build, each with its remedy."""
        problems = []
        if absent := [name for name in PACKAGES if not _installed(name)]:
            problems.append(f"packages: run `sudo apt-get install {' '.join(absent)}`")
        fetched = self.done(self.steps()[0])
        if not fetched and not _fetchable():
            problems.append(
                f"the source package {SOURCE}: add a line such as "
                "`deb-src http://deb.debian.org/debian sid main` to /etc/apt/sources.list, then run "
                "`sudo apt-get update`"
            )
        free = shutil.disk_usage(_existing(self.folder)).free
        if not self.done(self.steps()[3]) and free < DISK:
            problems.append(
                f"disk space: {format_size(free)} free in {self.folder}, but the build needs "
                f"{format_size(DISK)}: choose another folder with --folder"
            )
        return problems

    def run(self, report: Report) -> None:
        """Run the remaining steps.

        Raises:
            FiveninesError: a step failed; the message has its last lines.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        all_steps = list(self.steps())
        for step in self.left():
            before = all_steps[all_steps.index(step) - 1].after if step != all_steps[0] else 0.0
            report(f"{step.name} (its output: {self._log(step)})", before)
            self._run(step)
            self._mark(step).write_text(step.command)

    def _run(self, step: Step) -> None:
        self._mark(step).unlink(missing_ok=True)
        with self._log(step).open("wb") as log:
            done = subprocess.run(
                ["sh", "-ec", step.command],
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                check=False,
            )
        if done.returncode != 0:
            lines = self._log(step).read_text(errors="replace").splitlines()[-6:]
            raise FiveninesError(
                f"the build step {step.name} failed; its complete output is in {self._log(step)}:\n"
                + "\n".join(f"  {line}" for line in lines)
            )

    def _mark(self, step: Step) -> Path:
        return self.folder / f".done-{step.name}"

    def _log(self, step: Step) -> Path:
        return self.folder / f"{step.name}.log"


def default_folder() -> Path:
    """Return the default folder of a build."""
    return paths.cache() / "builds" / SOURCE


def announced(build: Build) -> list[str]:
    """Return the lines to print before a build starts."""
    return [
        f"builds MySQL NDB Cluster from Debian's source package {SOURCE} in {build.folder}",
        f"takes {HOURS}; needs {format_size(DISK)} of disk space; downloads 429 MB",
        "optimised only with -O1: use it to test behaviour and to compare NDB topologies; "
        "do not compare its speed with other servers",
    ]


_GATHER = f"""
rm -rf {_GATHERED} && mkdir -p {_GATHERED}/bin {_GATHERED}/lib/plugin {_GATHERED}/share &&
cd build/runtime_output_directory && cp {" ".join((*_SERVERS, *_TOOLS))} ../../{_GATHERED}/bin/ && cd ../.. &&
(cp -a build/library_output_directory/*.so* {_GATHERED}/lib/ 2>/dev/null || true) &&
(cp -a build/plugin_output_directory/*.so {_GATHERED}/lib/plugin/ 2>/dev/null || true) &&
# programs search their libraries in this folder
ln -s lib {_GATHERED}/library_output_directory &&
cp -a build/share/english source/share/charsets {_GATHERED}/share/ &&
cp source/LICENSE {_GATHERED}/
"""


def _installed(package: str) -> bool:
    command = ["dpkg-query", "--show", "--showformat=${db:Status-Status}", package]
    return _answer(command) == "installed"


def _fetchable() -> bool:
    """Return whether apt has a source for the source package."""
    return SOURCE in _answer(shlex.split(_FETCH.replace("--download-only", "--print-uris")))


def _answer(command: Sequence[str]) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        return ""


def _existing(folder: Path) -> Path:
    return next(path for path in (folder, *folder.parents) if path.exists())
