"""`fivenines stalls`: record the stalls of this machine, as a model of hiccups for `fivenines tune`."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

import gc
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from fivenines.base.errors import FiveninesError, UsageError
from fivenines.base.units import about, format_duration
from fivenines.cli.options import AsJson
from fivenines.cli.servers import above_zero

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fivenines.lab.stall_meter import Stall


def stalls(
    length: Annotated[str, typer.Option("--for", help="How long to watch.", metavar="TIME")] = "10m",
    at_least: Annotated[str, typer.Option(help="Shortest stall to record.", metavar="TIME")] = "100ms",
    disk: Annotated[
        Path | None,
        typer.Option(help="Watch flushes to the disk of this folder instead of the CPUs.", metavar="DIR"),
    ] = None,
    out: Annotated[Path, typer.Option(help="File to write.", metavar="FILE")] = Path("stalls.csv"),
    as_json: AsJson = False,
) -> None:
    """Record the stalls of this machine, for `fivenines tune`.

    \b
    fivenines stalls --for 1h
    fivenines stalls --for 1h --disk /var/lib/postgresql
    fivenines tune patroni --require 'needless < 1/year'
        --hiccups 'freeze from stalls.csv over 1h'

    A timer of 5 ms that fires late shows a stall: for that time no process may have run, as when the
    hypervisor gives the machine's CPUs to others. With --disk, a stall is a flush of 4 KiB that takes long.

    Run it on a machine like those of your database servers, under its usual load. Each stall is written at
    once; Ctrl-C ends the recording and keeps the file.
    """
    from fivenines.cli.output import console

    seconds = above_zero("--for", length, "10m")
    shortest = above_zero("--at-least", at_least, "100ms")
    if disk is not None and not disk.is_dir():
        raise UsageError(f"--disk {disk}: no such folder")
    found, watched = _recorded(out, disk, seconds, shortest)
    if as_json:
        console.as_json(
            {
                "file": str(out),
                "seconds": round(watched, 3),
                "stalls": [[round(stall.start, 3), round(stall.length, 4)] for stall in found],
            }
        )
        return
    console.say(_sentence(found, watched, shortest), "bold")
    if len(found) < _LEAST:
        console.say(f"{out}: a model needs at least {_LEAST} stalls: watch longer, or lower --at-least")
        return
    fault = "freeze" if disk is None else "slow-disk"
    console.say(f"{out}: for --hiccups '{fault} from {out} over {format_duration(round(watched))}'")


def _recorded(out: Path, disk: Path | None, seconds: float, shortest: float) -> tuple[list["Stall"], float]:
    """Watch, and write each stall; return the stalls and the seconds for which it watched."""
    try:
        file = out.open("x", encoding="utf-8")
    except FileExistsError:
        raise UsageError(f"--out {out}: it exists: remove it, or name another file") from None
    except OSError as error:
        raise FiveninesError(f"{out}: {error.strerror}") from None
    # A collection of garbage would be a stall of this process only.
    gc.disable()
    begun = time.monotonic()
    with file:
        file.write("start,length\n")
        found = _written(_meter(disk, seconds, shortest), file, seconds, begun)
    return found, min(seconds, time.monotonic() - begun)


def _written(meter: "Iterator[Stall | None]", file: TextIO, seconds: float, begun: float) -> list["Stall"]:
    from fivenines.analysis.wording import count
    from fivenines.cli.output import console

    found: list[Stall] = []
    shown = 0
    try:
        for stall in meter:
            if stall is not None:
                found.append(stall)
                file.write(f"{stall.start:.3f},{stall.length:.4f}\n")
                file.flush()
            elif (passed := int((time.monotonic() - begun) // _EVERY)) > shown:
                shown = passed
                left = about(max(0.0, seconds - (time.monotonic() - begun)))
                longest = max((stall.length for stall in found), default=0.0)
                console.note(f"  {count(len(found), 'stall')}, the longest {longest:.3g} s; {left} left")
    except KeyboardInterrupt:
        console.note("interrupted")
    except OSError as error:
        raise FiveninesError(f"the disk cannot be watched: {error.strerror}") from None
    return found


def _meter(disk: Path | None, seconds: float, shortest: float) -> "Iterator[Stall | None]":
    from fivenines.lab import stall_meter

    if disk is None:
        return stall_meter.of_timers(seconds, shortest)
    return stall_meter.of_disk(disk, seconds, shortest)


def _sentence(found: list["Stall"], watched: float, shortest: float) -> str:
    from fivenines.analysis.wording import count, span

    lengths = [stall.length for stall in found]
    text = f"{count(len(found), 'stall')} of {format_duration(shortest)} or longer in {about(watched)}"
    return f"{text}: {span(1000 * min(lengths), 1000 * max(lengths), milli=True)}." if lengths else f"{text}."


# The smallest number of stalls that `tune` makes a model of.
_LEAST = 2

# Seconds from one line of progress to the next.
_EVERY = 10.0
