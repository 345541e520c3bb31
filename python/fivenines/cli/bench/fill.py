"""Fill a workload's tables, with a progress bar on a terminal and lines elsewhere."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from fivenines.base.units import about
from fivenines.cli.output import console
from fivenines.load.bench import generator, reach
from fivenines.load.bench.plan import Bench, Filling
from fivenines.load.dsn import Address
from fivenines.load.workloads.script import Script

# Seconds between two progress lines without a terminal.
EVERY = 5.0

# Receives the number of rows filled, and of all rows; 0: the total is unknown, as with scripts.
Reporter = Callable[[int, int], None]


def fill(bench: Bench, address: Address, filling: Filling, quiet: bool) -> None:
    """Create and fill the workload's tables, data set by data set.

    Raises:
        FiveninesError: filling failed, with the reason.
    """
    commands = bench.prepare_commands(address, filling)
    files = bench.workload.setup_files()
    if not commands and not files:
        console.note("nothing to prepare: this workload has no tables to fill")
    for name, command in commands:
        action = f"running {filling.command}" if filling.command else f"filling {name}"
        done = _fill_data_set(command, action, bench, quiet)
        if not quiet:
            console.note(_summary(name, done, filling.command))
    if files:
        reach.run_files(bench, files)
        if not quiet:
            console.note(f"ran {', '.join(file.name for file in files)}")


def _fill_data_set(command: list[str], action: str, bench: Bench, quiet: bool) -> dict[str, Any]:
    last: dict[str, Any] = {}
    with _shown(action, quiet) as show:

        def listen(event: dict[str, Any]) -> None:
            if event.get("event") == "progress":
                show(int(event["done"]), int(event.get("total", 0)))
            elif event.get("event") == "done":
                last.update(event)
            elif event.get("event") == "already_loaded":
                last["already"] = True

        generator.prepare(command, bench.dsn, listen)
    return last


def _summary(name: str, done: dict[str, Any], command: str = "") -> str:
    """Return what was filled; `command`: the command of a script that ran."""
    rows, seconds = int(done.get("rows", 0)), float(done.get("seconds", 0.0))
    if done.get("already"):
        return f"{name}: the tables exist already, {rows} rows"
    if command and not rows and not done.get("tables"):
        return f"{command}: done in {seconds:.1f} s"
    speed = f", {rows / seconds:.0f} rows/s" if seconds > 0 else ""
    into = f" into {done['tables']} new tables" if name == Script.family and done.get("tables") else ""
    return f"{command or name}: {rows} rows{into} in {seconds:.1f} s{speed}"


@contextmanager
def _shown(action: str, quiet: bool) -> Iterator[Reporter]:
    err = console.stderr()
    if quiet:
        yield lambda _done, _total: None
    elif err.is_terminal and not err.is_dumb_terminal:
        columns = (
            TextColumn("{task.description}"),
            BarColumn(bar_width=30),
            TextColumn("{task.fields[amount]}"),
            TimeRemainingColumn(compact=True),
            TimeElapsedColumn(),
        )
        with Progress(*columns, console=err, transient=True) as progress:
            task = progress.add_task(action, total=None, amount="")
            yield lambda done, total: progress.update(
                task, completed=done, total=total or None, amount=_amount(done, total)
            )
    else:
        yield _lines(action)


def _amount(done: int, total: int) -> str:
    return f"{100 * done // total} %" if total else f"{done} rows"


def _lines(action: str) -> Reporter:
    begun = time.monotonic()
    last = begun

    def show(done: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last < EVERY:
            return
        last = now
        left = f", about {about((now - begun) * (total - done) / done)} left" if total and done else ""
        console.note(f"{action}: {_amount(done, total)}{left}")

    return show
