"""`fivenines calibrate`: inject known errors on this machine and report how well they are measured."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

import re
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fivenines.cli.options import Wide

if TYPE_CHECKING:
    from fivenines.results.calibration import Calibration, Step


class Format(StrEnum):
    """Output formats."""

    TABLE = "table"
    JSON = "json"


def calibrate(
    only: Annotated[
        str | None,
        typer.Option(
            help="Only these calibrators: outages, rows, divergence, links, throughput, same, machine.",
            metavar="NAME,...",
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Use few repetitions, in about 90 seconds.")] = False,
    show: Annotated[
        bool, typer.Option("--show", help="Show the stored calibration; measure nothing.")
    ] = False,
    wide: Wide = False,
    format: Annotated[  # noqa: A002  (the word of the command line)
        Format, typer.Option("--format", help="Output format: table or json.")
    ] = Format.TABLE,
) -> None:
    """Measure the accuracy of fivenines on this machine, in about three minutes.

    Each calibrator injects a known error, measures it as a trial does, and compares:

    \b
      machine     late timers, and CPU time of other processes
      outages     50 ms, 500 ms and 5 s, by a built-in proxy
      rows        lost, phantom, duplicate, out-of-order and stale rows
      divergence  rows that differ between two nodes
      links       0.5, 10 and 100 ms, 10 and 100 Mbit/s
      throughput  a fixed rate, and the server's own count of statements
      same        one solution against itself: noise and false positives

    \b
    fivenines calibrate
    fivenines calibrate --only outages,links
    fivenines calibrate --show

    Run it while the machine is otherwise idle.

    The result is stored, and included in every later run and its report.

    Ctrl-C keeps the completed calibrators.

    Exit code 1: a value is out of bounds, or could not be measured.
    """
    from fivenines.cli.output import console
    from fivenines.lab.machine import describe
    from fivenines.results import calibrations

    if show:
        found = calibrations.load(describe())
        measured = list(found.steps) if found else []
        if found and format is Format.TABLE:
            for step in measured:
                _show(step, wide)
    else:
        found, measured = _measured(only or "", quick, format, wide)
    if format is Format.JSON:
        console.as_json(_plain(found, measured))
    else:
        _conclude(measured)
        if not wide and measured:
            console.note("to show bounds, intervals and the number of repetitions: --wide")
    if any(step.out or step.failure for step in measured) or not measured:
        raise typer.Exit(1)


def _measured(
    only: str, quick: bool, format_: Format, wide: bool
) -> tuple["Calibration | None", list["Step"]]:
    from fivenines.base.units import about
    from fivenines.campaign.calibration.base import chosen
    from fivenines.campaign.calibration.run import Listener
    from fivenines.campaign.calibration.run import calibrate as run
    from fivenines.cli.output import console

    kinds = chosen(only)
    expected = sum(kind.seconds[quick] for kind in kinds)
    console.note(f"{len(kinds)} calibrators, about {about(expected)}")
    measured: list[Step] = []

    def done(step: "Step") -> None:
        measured.append(step)
        if format_ is Format.TABLE:
            _show(step, wide)

    def begin(number: int, name: str) -> None:
        console.note(f"[{number} of {len(kinds)}] {name}")

    def report(text: str) -> None:
        console.note(f"  {text}")

    try:
        found = run(kinds, Listener(begin, report, done), short=quick)
    except KeyboardInterrupt:
        names = ", ".join(step.name for step in measured) or "none"
        console.note(f"interrupted; completed calibrators are kept: {names}")
        raise
    return found, measured


def _show(step: "Step", wide: bool) -> None:
    """Print a line per value with as many columns as fit."""
    from fivenines.cli.output import console
    from fivenines.report.terminal.narrow import fitted

    console.say(step.title, "bold")
    if step.failure:
        console.say(f"  could not be measured: {step.failure}", "red")
        return
    columns = ["", "injected", "measured", "error", "bounds"]
    rows = [
        [_MARKS[line.within], line.planted, line.measured, line.error, line.bounds or "no bound"]
        for line in step.lines
    ]
    if wide:
        console.table(columns, rows, wide=True)
    else:
        short = [dict(zip(columns, map(_short, row), strict=True)) for row in rows]
        found = fitted(short, ["bounds"], ["", "injected", "error"], ["injected"], console.stdout().width)
        console.table(found.columns, found.rows, names=["injected"])
    console.say("")


# Abbreviations without `--wide`: repetitions and intervals are left out.
_SHORTER = (
    (r", \d+ (?:times|of a side)\b", ""),
    (r"\bconnections reset, new ones refused\b", "connections refused"),
    (r", as new connections see it$", ", new connections"),
    (r"\bby the server's own count$", "by the server"),
    (r" \((?:most )?[+\d\N{MINUS SIGN}][^)]*\)", ""),
    (r" \(median\)", ""),
    (r", neighbouring windows of .*", ", neighbouring windows"),
)


def _short(text: str) -> str:
    for pattern, shorter in _SHORTER:
        text = re.sub(pattern, shorter, text)
    return text


_MARKS = {True: "ok", False: "OUT", None: "-"}


def _conclude(measured: list["Step"]) -> None:
    from fivenines.campaign.doctor import calibration_check
    from fivenines.cli.output import console

    if not measured:
        console.say("this machine has not been calibrated. Run: fivenines calibrate")
        return
    check = calibration_check()
    console.say(check.seen, "" if check.state == "ok" else "yellow")


def _plain(found: "Calibration | None", measured: list["Step"]) -> dict[str, Any]:
    """Return what was measured now, and the stored calibration, for JSON."""
    return {
        "within_bounds": bool(measured) and not any(s.out or s.failure for s in measured),
        "measured": [step.model_dump(mode="json") for step in measured],
        "kept": found.model_dump(mode="json") if found else None,
    }
