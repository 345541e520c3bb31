"""Run all test suites in parallel and print their results: `make test`.

Unit tests, and then the lab, run at normal priority, and the Rust tests with them. The browser tests have a
low priority: they use the CPU that is idle during failovers and time-outs. Each suite writes its output to a
separate file. The output is printed when the suite ends, in full if the suite failed.

FIVENINES_PATIENCE multiplies every wait of the lab tests (default 1), see tests/lab/support/lab_support.py.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

from fivenines.base.threads import Background

ROOT = Path(__file__).parents[1]
LOGS = ROOT / "build" / "test"

# Seconds between two lines of progress.
_EVERY = 30.0

# nice(1) of the suites that run in the background of others.
_LEFT_OVER = 10

_MEMORY = Path("/dev/shm")
# Bytes that must be free there. A trial's folder has up to 1 GB; it is removed when its test has passed.
_ROOM = 8 * 2**30

_SLOWEST = 10
# Lines that are printed of the output of a suite that passed.
_TAIL = 6


def _pytest(name: str, *options: str) -> tuple[str, ...]:
    report = f"--junitxml={LOGS / name}.xml"
    bound = f"--timeout={600 * float(os.environ.get('FIVENINES_PATIENCE', '1')):g}"
    return (sys.executable, "-m", "pytest", "-q", report, bound, *options)


@contextmanager
def in_memory() -> Iterator[dict[str, str]]:
    """Put temporary folders in memory if there is space: copies of data sets keep a disk busy."""
    if not _MEMORY.is_dir() or shutil.disk_usage(_MEMORY).free < _ROOM:
        yield {}
        return
    with tempfile.TemporaryDirectory(prefix="f9-", dir=_MEMORY) as folder:
        # Accounts that tests create must reach their folders.
        Path(folder).chmod(0o755)
        yield {"TMPDIR": folder}


@dataclass
class Suite:
    """One suite: a command that ends with 0 if all its tests passed."""

    name: str
    command: tuple[str, ...]
    left_over: bool = True
    in_memory: bool = False
    seconds: float | None = None
    status: int | None = None
    process: "subprocess.Popen[bytes] | None" = field(default=None, repr=False)

    @property
    def log(self) -> Path:
        """Return the path of the suite's output."""
        return LOGS / f"{self.name}.log"

    def run(self) -> None:
        """Run the suite to completion."""
        began = time.monotonic()
        nice = ("nice", "-n", str(_LEFT_OVER)) if self.left_over else ()
        memory: AbstractContextManager[dict[str, str]]
        memory = in_memory() if self.in_memory else nullcontext({})
        with self.log.open("wb") as stream, memory as variables:
            self.process = subprocess.Popen(
                [*nice, *self.command],
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                env={**os.environ, **variables},
            )
            self.status = self.process.wait()
        self.seconds = time.monotonic() - began

    def interrupt(self) -> None:
        """Interrupt the suite as Ctrl-C would, and wait for its clean-up."""
        if self.process is not None and self.process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGINT)
            self.process.wait()

    def progress(self) -> str:
        """Return the suite's progress as text."""
        if self.seconds is not None:
            return f"{self.name} {'passed' if self.status == 0 else 'FAILED'}"
        if self.process is None:
            return f"{self.name} waits"
        marks = [line for line in self._lines() if line.endswith("%]")]
        return f"{self.name} {marks[-1][-5:-1].strip() if marks else 'begun'}"

    def _lines(self) -> list[str]:
        return self.log.read_text(errors="replace").splitlines()

    def closing(self) -> str:
        """Return the last lines of the output, or everything from the first failure if the suite failed."""
        lines = self._lines()
        if self.status == 0:
            return "\n".join(lines[-_TAIL:])
        first = next((n for n, line in enumerate(lines) if "= FAILURES" in line or "= ERRORS" in line), 0)
        return "\n".join(lines[first:])


# Options of pytest for the unit tests. Examples of property tests are the same in each run: rare ones are
# looked for in `make test-unit-long`, which also has the simulations of thousands of campaigns.
UNIT = ("-n", "2", "-m", "not long", "--hypothesis-profile=fixed", "tests/unit")

# Options of pytest for the lab: each test or group of tests goes to the next free worker, in order.
LAB = (
    # Three workers for each of two processors: tests mostly wait for failovers and time-outs.
    "-n",
    "6",
    "--dist",
    "loadscope",
    "--no-loadscope-reorder",
    "-o",
    "tmp_path_retention_policy=failed",
)


def suites(names: Sequence[str], long: bool) -> list[list[Suite]]:
    """Return the suites in rows: suites of a row run one after the other, rows run in parallel."""
    lab = (*LAB, "-m", "long" if long else "not long", "tests/lab")
    engines = (sys.executable, "-m", "fivenines", "engines", "pull", "--all")
    rows = [
        [
            Suite("engines", engines, left_over=False),
            Suite("stacks", (sys.executable, "-m", "fivenines", "stacks", "build"), left_over=False),
            # Some unit tests read a clock, so they run before the lab occupies the processors.
            Suite("unit", _pytest("unit", *UNIT), left_over=False, in_memory=True),
            Suite("lab", _pytest("lab", *lab), left_over=False, in_memory=True),
        ],
        [
            # Some of its tests wait for what happens within a second: they need their share of the CPU.
            Suite("rust", ("env", "PROPTEST_RNG_SEED=1", "cargo", "test", "--quiet"), left_over=False),
            Suite("browser", _pytest("browser", "tests/browser")),
        ],
    ]
    chosen = [[suite for suite in row if not names or suite.name in names] for row in rows]
    return [row for row in chosen if row]


def quick() -> list[list[Suite]]:
    """Return the suites of `make check`, which are run after each change."""
    trial = (
        "tests/lab/solutions/test_lab_postgres.py::test_a_standby_takes_over_and_the_old_primary_follows_it"
    )
    return [
        [Suite("trial", _pytest("trial", f"{trial}[on-quorum]"), left_over=False, in_memory=True)],
        [Suite("lint", ("make", "--no-print-directory", "lint"))],
        [Suite("unit", _pytest("unit", *UNIT))],
    ]


def main() -> int:
    """Run the suites and return 1 if any failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("suites", nargs="*", help="engines, stacks, lab, rust, unit, browser (default: all)")
    parser.add_argument("--quick", action="store_true", help="lint, unit tests and one trial")
    parser.add_argument("--long", action="store_true", help="run only the long tests of the lab")
    arguments = parser.parse_args()
    LOGS.mkdir(parents=True, exist_ok=True)
    for old in LOGS.iterdir():
        old.unlink()
    rows = quick() if arguments.quick else suites(arguments.suites, arguments.long)
    if not rows:
        parser.error(f"unknown suite: {' or '.join(arguments.suites)}")
    # A shell makes its background processes ignore SIGINT, and SIGTERM has no handler by default.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    return run(rows)


def run(rows: Sequence[Sequence[Suite]]) -> int:
    """Run the rows in parallel; return 1 if any suite failed."""
    every = [suite for row in rows for suite in row]
    began = time.monotonic()
    over = threading.Event()
    threads = [Background(target=_run_row, args=(row, over)) for row in rows]
    for thread in threads:
        thread.start()
    try:
        while running := [thread for thread in threads if thread.is_alive()]:
            running[0].join(_EVERY)
            passed = time.strftime("%M:%S", time.gmtime(time.monotonic() - began))
            print(f"{passed}  {', '.join(suite.progress() for suite in every)}", flush=True)
    except KeyboardInterrupt:
        # A row must not start its next suite, which would not be interrupted.
        over.set()
        while running := [thread for thread in threads if thread.is_alive()]:
            for suite in every:
                suite.interrupt()
            running[0].join(1.0)
        return 130
    return _concluded(every, time.monotonic() - began)


def _run_row(row: Sequence[Suite], over: threading.Event) -> None:
    for suite in row:
        if over.is_set():
            return
        suite.run()
        print(f"--- {suite.name} ---\n{suite.closing()}", flush=True)


def _concluded(every: Sequence[Suite], seconds: float) -> int:
    """Print the slowest tests, each suite's time and the skipped tests; return the exit code."""
    cases = list(_cases())
    print(f"--- the {_SLOWEST} slowest tests ---")
    for slow in sorted(cases, key=lambda case: -case.seconds)[:_SLOWEST]:
        print(f"{slow.seconds:7.1f} s  {slow.name}")
    print("--- suites ---")
    for suite in every:
        print(f"{suite.seconds or 0:7.0f} s  {suite.progress()}")
    print(f"{seconds:7.0f} s  in all")
    missing: dict[str, int] = {}
    for case in cases:
        if case.skipped:
            missing[case.skipped] = missing.get(case.skipped, 0) + 1
    for reason, count in missing.items():
        print(f"NOT TESTED: {count} tests, {reason}")
    if missing and os.environ.get("CI"):
        print("in CI a test that is skipped has failed")
        return 1
    return int(any(suite.status != 0 for suite in every))


@dataclass(frozen=True)
class _Case:
    name: str
    seconds: float
    skipped: str


def _cases() -> Iterator[_Case]:
    for report in sorted(LOGS.glob("*.xml")):
        for case in ElementTree.parse(report).iter("testcase"):
            skipped = case.find("skipped")
            why = "" if skipped is None else str(skipped.get("message"))
            name = f"{case.get('classname')}::{case.get('name')}"
            yield _Case(name, float(case.get("time", 0)), why)


if __name__ == "__main__":
    sys.exit(main())
