"""MySQL NDB Cluster built from Debian's source package of MySQL: it contains storage/ndb, which no package
of Debian's has built.

Four steps, each a shell command in one folder; one that is done leaves a file that says so, and is not
done again. The compiler's step goes on where it was interrupted, as ninja knows what is made.
"""

import os
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fivenines import paths
from fivenines.errors import FiveninesError
from fivenines.software.base import Report
from fivenines.units import format_size

# The name of the source package.
SOURCE = "mysql-9.7"

# Bytes that must be free: the source is 2 GB unpacked, what is compiled and linked takes the rest.
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
    # programs find the libraries beside them, wherever the folder is moved to
    "-DCMAKE_BUILD_RPATH_USE_ORIGIN=ON",
    # half of the time of a full optimisation: for behaviour, and for topologies among each other
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
    """A part of the build: what it is called, what is run, and how far the whole is after it."""

    name: str
    command: str
    after: float

    @property
    def shown(self) -> str:
        """The command on one line."""
        lines = (line for line in self.command.splitlines() if not line.startswith("#"))
        return " ".join(" ".join(lines).split())


@dataclass(frozen=True)
class Build:
    """A build in a folder. `jobs`: compilers at once; None: one for each core."""

    folder: Path
    jobs: int | None = None

    @property
    def result(self) -> Path:
        """What it leaves: programs, libraries, messages and character sets."""
        return self.folder / _GATHERED

    def steps(self) -> Sequence[Step]:
        """All steps in their order, those that are done, too."""
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
        """Whether a step was done by this very command, in this folder."""
        try:
            return self._mark(step).read_text() == step.command
        except OSError:
            return False

    def left(self) -> list[Step]:
        """The steps from the first one on that is not done: what follows it has to be done again."""
        steps = list(self.steps())
        first = next((i for i, step in enumerate(steps) if not self.done(step)), len(steps))
        return steps[first:]

    def missing(self) -> list[str]:
        """What has to be there before the build can begin, each with what to do."""
        found = []
        if absent := [name for name in PACKAGES if not _installed(name)]:
            found.append(f"packages: run `apt-get install {' '.join(absent)}` as root")
        fetched = self.done(self.steps()[0])
        if not fetched and not _fetchable():
            found.append(
                f"the source package {SOURCE}: add a line such as "
                "`deb-src http://deb.debian.org/debian sid main` to /etc/apt/sources.list, then run "
                "`apt-get update` as root"
            )
        free = shutil.disk_usage(_existing(self.folder)).free
        if not self.done(self.steps()[3]) and free < DISK:
            found.append(
                f"disk space: {format_size(free)} are free in {self.folder}, {format_size(DISK)} are needed: "
                "choose another folder by --folder"
            )
        return found

    def run(self, report: Report) -> None:
        """Do what is not done yet.

        Raises:
            FiveninesError: a step failed; with its last lines.
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
                f"the step {step.name} failed; all of its output is in {self._log(step)}:\n"
                + "\n".join(f"  {line}" for line in lines)
            )

    def _mark(self, step: Step) -> Path:
        return self.folder / f".done-{step.name}"

    def _log(self, step: Step) -> Path:
        return self.folder / f"{step.name}.log"


def default_folder() -> Path:
    """Where a build is made that names no folder."""
    return paths.cache() / "builds" / SOURCE


def announced(build: Build) -> list[str]:
    """What is said before anything begins."""
    return [
        f"builds MySQL NDB Cluster from Debian's source package {SOURCE} in {build.folder}",
        f"takes {HOURS}; needs {format_size(DISK)} of disk space; downloads 429 MB",
        "optimised with -O1 alone: good for behaviour, and to compare topologies with each other; "
        "not against other servers",
    ]


_GATHER = f"""
rm -rf {_GATHERED} && mkdir -p {_GATHERED}/bin {_GATHERED}/lib/plugin {_GATHERED}/share &&
cd build/runtime_output_directory && cp {" ".join((*_SERVERS, *_TOOLS))} ../../{_GATHERED}/bin/ && cd ../.. &&
(cp -a build/library_output_directory/*.so* {_GATHERED}/lib/ 2>/dev/null || true) &&
(cp -a build/plugin_output_directory/*.so {_GATHERED}/lib/plugin/ 2>/dev/null || true) &&
# where programs were linked to look for libraries
ln -s lib {_GATHERED}/library_output_directory &&
cp -a build/share/english source/share/charsets {_GATHERED}/share/ &&
cp source/LICENSE {_GATHERED}/
"""


def _installed(package: str) -> bool:
    command = ["dpkg-query", "--show", "--showformat=${db:Status-Status}", package]
    return _answer(command) == "installed"


def _fetchable() -> bool:
    """Whether apt knows where the source package is."""
    return SOURCE in _answer(shlex.split(_FETCH.replace("--download-only", "--print-uris")))


def _answer(command: Sequence[str]) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        return ""


def _existing(folder: Path) -> Path:
    return next(path for path in (folder, *folder.parents) if path.exists())
