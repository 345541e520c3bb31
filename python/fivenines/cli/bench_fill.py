"""Preparing a workload's tables, with progress: a bar on a terminal, lines elsewhere."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from fivenines.cli import console
from fivenines.load import generator, reach
from fivenines.load.bench import Bench, Filling
from fivenines.load.dsn import Place
from fivenines.units import about

EVERY = 5.0
"""Seconds between two lines where there is no terminal."""

Told = Callable[[int, int], None]


def fill(bench: Bench, place: Place, filling: Filling, quiet: bool) -> None:
    """Make the workload's tables and fill them, data set by data set.

    Raises:
        FiveninesError: it failed, with the reason.
    """
    commands = bench.prepare_commands(place, filling)
    files = bench.workload.setup_files()
    if not commands and not files:
        console.note("nothing to prepare: this workload brings no data of its own")
    for command in commands:
        name = command[command.index("--workload") + 1] if "--workload" in command else "script"
        done = _one(command, name, bench, quiet)
        if not quiet:
            console.note(_told(name, done))
    if files:
        reach.run_files(bench, files)
        if not quiet:
            console.note(f"ran {', '.join(file.name for file in files)}")


def _one(command: list[str], name: str, bench: Bench, quiet: bool) -> dict[str, Any]:
    last: dict[str, Any] = {}
    with _shown(name, quiet) as show:

        def listen(event: dict[str, Any]) -> None:
            if event.get("event") == "progress" and event.get("total"):
                show(int(event["done"]), int(event["total"]))
            elif event.get("event") == "done":
                last.update(event)
            elif event.get("event") == "already_loaded":
                last["already"] = True

        generator.prepare(command, bench.dsn, listen)
    return last


def _told(name: str, done: dict[str, Any]) -> str:
    rows, seconds = int(done.get("rows", 0)), float(done.get("seconds", 0.0))
    if done.get("already"):
        return f"{name}: the tables are there already, {rows} rows"
    speed = f", {rows / seconds:.0f} rows/s" if seconds > 0 else ""
    return f"{name}: {rows} rows in {seconds:.1f} s{speed}"


@contextmanager
def _shown(name: str, quiet: bool) -> Iterator[Told]:
    err = console.stderr()
    if quiet:
        yield lambda _done, _total: None
    elif err.is_terminal and not err.is_dumb_terminal:
        columns = (
            TextColumn("{task.description}"), BarColumn(bar_width=30),
            TextColumn("{task.percentage:>3.0f} %"), TimeRemainingColumn(compact=True),
        )  # fmt: skip
        with Progress(*columns, console=err, transient=True) as progress:
            task = progress.add_task(f"filling {name}", total=None)
            yield lambda done, total: progress.update(task, completed=done, total=total)
    else:
        yield _lines(name)


def _lines(name: str) -> Told:
    begun = time.monotonic()
    last = begun

    def tell(done: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= EVERY and done:
            last = now
            left = (now - begun) * (total - done) / done
            console.note(f"filling {name}: {100 * done // total} %, about {about(left)} left")

    return tell
