"""Run `fivenines stacks run` and `stacks check`: choose, build, watch, show."""

import re
import shlex
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from fivenines.base.errors import UsageError
from fivenines.cli.assignments import split
from fivenines.cli.output import console
from fivenines.cli.servers import dsn_of_deployment, duration
from fivenines.cli.stacks.shown import show
from fivenines.load.bench import generator
from fivenines.load.bench.plan import Bench
from fivenines.load.dsn import Dsn, parse_dsn
from fivenines.load.stacks.measure import Chosen, Measured, file_name, measure, table
from fivenines.load.stacks.process import RunningStack
from fivenines.load.stacks.protocol import Driver, Task
from fivenines.load.stacks.rows import suffix
from fivenines.load.stacks.stack import Stack, settings, stack
from fivenines.load.workloads.oltp import Oltp

INTERRUPTED = 130

# Names of programs of a user's own.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*")


@dataclass(frozen=True)
class Options:
    """The command line of `stacks run`."""

    names: tuple[str, ...]
    dsn: str | None = None
    programs: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    duration: str = "60s"
    workers: int = 4
    think: str = "100ms"
    repeat: bool = False
    idempotent: bool = False
    out: Path | None = None
    as_json: bool = False


def run(options: Options) -> int:
    """Run the stacks and show what came of them; return the exit code.

    Raises:
        FiveninesError: a program or a server cannot be used.
        UsageError: an option is wrong.
    """
    dsn = parse_dsn(options.dsn or dsn_of_deployment("stacks"))
    chosen = _chosen(options, dsn)
    seconds = duration("--duration", options.duration)
    with generator.folder(options.out) as out:
        found, interrupted = measure(_bench(dsn), chosen, seconds, out, _Watch(quiet=options.as_json))
        show(found, options.as_json, out if options.out is not None else None)
    if any(item.problems for item in found):
        return 1
    return INTERRUPTED if interrupted else 0


def conforms(command: str, dsn_text: str | None, length: str) -> int:
    """Run a program on a healthy server, and print what is wrong with its lines; return the exit code."""
    dsn = parse_dsn(dsn_text or dsn_of_deployment("stacks"))
    options = Options((), programs=(f"program={command}",))
    with generator.folder(None) as out:
        seconds = duration("--duration", length)
        (found,), _ = measure(_bench(dsn), _chosen(options, dsn), seconds, out, _Watch(quiet=True))
        problems = [*found.problems, *_wrong(found)]
        for problem in problems:
            console.say(problem)
    if problems:
        console.note(f"error: the program breaks the line protocol in {len(problems)} places", "red")
        return 1
    number = found.figures.committed
    console.say(
        f"the program writes the line protocol: {number} transactions, {found.versions or 'no driver'}"
    )
    return 0


def _wrong(found: Measured) -> list[str]:
    """Return what the rows of a healthy server contradict."""
    rows = found.figures.rows
    if rows is None:
        return [found.left]
    problems = []
    if rows.lost:
        problems.append(f"{rows.lost} operations were reported as committed, and have no row with their n")
    if rows.twice:
        problems.append(f"{rows.twice} operations have several rows: insert one row for each attempt")
    return problems


def built(kinds: Sequence[Stack]) -> None:
    """Fetch what these stacks need."""
    for runtime in {kind.runtime.file_name: kind.runtime for kind in kinds}.values():
        if not runtime.status().installed:
            runtime.pull(partial(_report, runtime.name))


def _report(name: str, what: str, _fraction: float | None) -> None:
    console.note(f"{name}: {what}")


def _chosen(options: Options, dsn: Dsn) -> list[Chosen]:
    if dsn.driver not in ("postgres", "mysql") or dsn.by_odbc:
        raise UsageError("stacks: write a DSN of PostgreSQL, MariaDB or MySQL")
    if any(address.socket for address in dsn.addresses):
        raise UsageError("stacks: write host and port: applications connect by TCP")
    own = _settings(options.settings)
    chosen: list[Chosen] = []
    kinds: list[Stack] = []
    for text in options.names:
        name, _, preset = text.partition(":")
        kind = stack(name)
        task = _task(text, dsn, options, settings(kind, preset or "defaults", own.pop(name, {})))
        if problem := kind.problem(task):
            raise UsageError(problem)
        chosen.append(Chosen(kind.command(), task))
        kinds.append(kind)
    for text in options.programs:
        name, equals, command = text.partition("=")
        if not equals or not _NAME.fullmatch(name) or not command.strip():
            raise UsageError(
                f"--program {text}: write NAME=COMMAND, as --program 'shop=./shop-stack', with a name of "
                "letters, digits and -"
            )
        chosen.append(Chosen(shlex.split(command), _task(name, dsn, options, own.pop(name, {}))))
    names = Counter(file_name(item.task.name) for item in chosen)
    if not names:
        raise UsageError("stacks run: name a stack, see `fivenines stacks list`, or add --program")
    if repeated := [name.removesuffix(".jsonl") for name, number in names.items() if number > 1]:
        raise UsageError(f"stacks run: {', '.join(repeated)} is named twice")
    if own:
        raise UsageError(f"--set {next(iter(own))}: no such stack is run; write STACK.KEY=VALUE")
    built(kinds)
    return chosen


def _settings(texts: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return the settings of each stack: `psycopg-pool.pool.timeout=2` is `pool.timeout` of psycopg-pool."""
    found: dict[str, dict[str, Any]] = {}
    for text in texts:
        (name, *key), value = split(text, "--set", "psycopg-pool.pool.timeout=2")
        if not key:
            raise UsageError(f"--set {text}: write STACK.KEY=VALUE, as psycopg-pool.pool.timeout=2")
        found.setdefault(name, {})[".".join(key)] = value
    return found


def _task(name: str, dsn: Dsn, options: Options, chosen: dict[str, Any]) -> Task:
    think = round(1000 * duration("--think", options.think))
    driver: Driver = "mysql" if dsn.driver == "mysql" else "postgres"
    return Task(
        name,
        driver,
        tuple(str(address) for address in dsn.addresses),
        dsn.user,
        dsn.password,
        dsn.database,
        table(),
        options.workers,
        think,
        think,
        options.repeat or options.idempotent,
        suffix(driver, options.idempotent),
        chosen,
    )


def _bench(dsn: Dsn) -> Bench:
    return Bench(dsn, Oltp(workload="oltp_read_write"))


class _Watch:
    """Prints a line when a stack stops committing, when it commits again, and every ten seconds."""

    # Seconds without a commit that are worth a line, and between two lines about all stacks.
    _QUIET, _EVERY = 1.5, 10

    def __init__(self, quiet: bool) -> None:
        self._silent = quiet
        self._away: set[str] = set()

    def __call__(self, running: Sequence[RunningStack], passed: float) -> None:
        if self._silent:
            return
        now = time.monotonic_ns() / 1000
        for program in running:
            name, away = program.task.name, (now - program.last_commit_us) / 1e6 > self._QUIET
            if away != (name in self._away):
                self._away ^= {name}
                console.note(
                    f"{passed:5.0f} s  {name} {'has stopped committing' if away else 'commits again'}"
                )
        if round(passed) % self._EVERY == 0:
            counts = ", ".join(f"{item.task.name} {item.committed}" for item in running)
            console.note(f"{passed:5.0f} s  committed: {counts}")
