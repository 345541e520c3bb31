"""Run client stacks side by side against the servers of a DSN, and read what came of each."""

import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from fivenines.analysis.stacks.figures import Figures, Rows, figures, judge
from fivenines.analysis.stacks.pools import PoolFigures, pool_figures
from fivenines.base.ending import ended_as_by_ctrl_c
from fivenines.base.errors import FiveninesError, brief
from fivenines.load.bench import reach
from fivenines.load.bench.plan import Bench
from fivenines.load.stacks import rows
from fivenines.load.stacks.process import RunningStack, await_turn
from fivenines.load.stacks.protocol import Task, read

# Seconds between two calls with the state of the stacks.
_EVERY = 1.0

# Seconds for the rows to become readable: a cluster may still recover.
_READABLE = 60.0


@dataclass(frozen=True)
class Chosen:
    """A stack to run: the command line of its program, and its task."""

    command: Sequence[str]
    task: Task


@dataclass(frozen=True)
class Measured:
    """What came of a stack.

    Attributes:
        name: its name.
        versions: driver and pool, by the program.
        figures: its figures.
        pool: what its pool counted.
        problems: what is wrong with the program or with its lines.
        left: why its table is left behind; empty: it was read and dropped.
        file: its lines.
    """

    name: str
    versions: str
    figures: Figures
    pool: PoolFigures
    problems: list[str] = field(default_factory=list)
    left: str = ""
    file: Path = Path()


# Called each second with the running stacks, and the seconds since the start.
Watch = Callable[[Sequence[RunningStack], float], None]


def measure(
    bench: Bench, chosen: Sequence[Chosen], seconds: float, out: Path, watch: Watch
) -> tuple[list[Measured], bool]:
    """Run the stacks at the same time for so many seconds; return what came of each, and whether Ctrl-C,
    SIGTERM or SIGHUP ended them early.

    Raises:
        FiveninesError: a table could not be created, or a program did not become ready.
    """
    connect = partial(_opened, bench)
    with ExitStack() as undo:
        for item in chosen:
            _created(connect, item.task)
            undo.callback(_dropped, connect, item.task)
        running: list[RunningStack] = []
        undo.callback(lambda: [program.end() for program in running if program.exit_code is None])
        for item in chosen:
            running.append(RunningStack(item.command, item.task, out / file_name(item.task.name)))
            await_turn(running)
        for program in running:
            program.await_ready()
        interrupted = True
        with suppress(KeyboardInterrupt), ended_as_by_ctrl_c():
            _watched(running, seconds, watch)
            interrupted = False
        ended_us = time.monotonic_ns() // 1000
        problems = [program.end() for program in running]
        deadline = time.monotonic() + _READABLE
        measured = [
            _measured(program, found, ended_us, connect, deadline)
            for program, found in zip(running, problems, strict=True)
        ]
        undo.pop_all()  # all programs have ended, and each result says what became of its table
    return measured, interrupted


def file_name(name: str) -> str:
    """Return the name of the file with a stack's lines."""
    return f"{name.replace(':', '-')}.jsonl"


def table() -> str:
    """Return a name that no other run has."""
    return f"fivenines_stack_{secrets.token_hex(4)}"


def _created(connect: rows.Connect, task: Task) -> None:
    try:
        rows.create(connect, task)
    except FiveninesError:
        raise
    except Exception as error:  # each driver has its own exceptions
        raise FiveninesError(f"stack {task.name}: its table could not be created: {brief(error)}") from None


def _dropped(connect: rows.Connect, task: Task) -> None:
    """Drop the table of a run that failed, if a server can be reached."""
    with suppress(Exception):  # each driver has its own exceptions
        rows.drop(connect, task.driver, task.table)


@contextmanager
def _opened(bench: Bench, seconds: float) -> Iterator[Any]:
    """Connect to the writable server: another one may lack rows that are not lost.

    Raises:
        FiveninesError: no server is writable.
    """
    address = reach.for_writes(bench, bench.dsn.addresses[0])
    alone = replace(bench, dsn=replace(bench.dsn, addresses=(address,)))
    with reach.primary(alone, seconds) as connection:
        yield connection


def _watched(running: Sequence[RunningStack], seconds: float, watch: Watch) -> None:
    began = time.monotonic()
    while (passed := time.monotonic() - began) < seconds:
        time.sleep(min(_EVERY, seconds - passed))
        watch(running, time.monotonic() - began)


def _measured(
    program: RunningStack, problems: list[str], ended_us: int, connect: rows.Connect, deadline: float
) -> Measured:
    assert program.ready is not None
    with program.file.open() as lines:
        found, samples = read(lines)
    kept: Rows | None = None
    left, table = "", program.task.table
    try:
        kept = judge(found, _patiently(lambda: rows.counted(connect, table), deadline))
        rows.drop(connect, program.task.driver, table)
    except Exception as error:  # each driver has its own exceptions
        what = "could not be read" if kept is None else "could not be dropped"
        left = f"its table {table} {what}: {brief(error)}"
    task = program.task
    result = figures(found, task.workers, task.longest_pause_ms, program.ready.at_us, ended_us, kept)
    pool = pool_figures(samples, program.ready.at_us, ended_us)
    return Measured(task.name, program.ready.driver, result, pool, problems, left, program.file)


def _patiently(read: Callable[[], dict[int, int]], deadline: float) -> dict[int, int]:
    """Return what is read, once the cluster answers again."""
    while True:
        try:
            return read()
        except Exception:  # each driver has its own exceptions
            if time.monotonic() >= deadline:
                raise
            time.sleep(0.5)
