"""Check that the programs of the client stacks start on this machine: `fivenines stacks doctor`."""

import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from fivenines.analysis.wording import milliseconds
from fivenines.cli.output import console
from fivenines.load.stacks.protocol import Task
from fivenines.load.stacks.stack import Stack, stacks

# Seconds for a program to start and to refuse its task.
_PATIENCE = 60.0

# A setting that no stack has: a program that has started, with its packages, refuses it by name.
_UNKNOWN = "doctor.unknown"


@dataclass(frozen=True)
class Checked:
    """A stack: whether it is built, how long its program took to start in ms, and why it does not."""

    name: str
    built: bool
    ms: float | None = None
    problem: str = ""


def doctor(as_json: bool) -> int:
    """Print whether each stack is built and starts; return the exit code."""
    found = [checked(kind) for kind in stacks().values()]
    if as_json:
        console.as_json([vars(one) for one in found])
    else:
        console.table(
            ["stack", "built", "starts", "problem"],
            [
                [
                    one.name,
                    "yes" if one.built else "no",
                    milliseconds(one.ms) if one.ms is not None else "no" if one.problem else "not checked",
                    one.problem,
                ]
                for one in found
            ],
            names=["stack", "problem"],
        )
        if missing := [one.name for one in found if not one.built]:
            console.say(f"to build the others: fivenines stacks build {' '.join(missing)}")
    return int(any(one.problem for one in found))


def checked(kind: Stack) -> Checked:
    """Start the program of a stack, if it is built, with a task that it must refuse."""
    if not kind.runtime.status().installed:
        return Checked(kind.name, built=False)
    task = Task(kind.name, kind.driver, ("127.0.0.1:1",), "none", "", "none", "none", options={_UNKNOWN: 1})
    began = time.monotonic()
    try:
        code, errors = _ended(kind.command(), task)
    except subprocess.TimeoutExpired:
        return Checked(kind.name, built=True, problem=f"it did not answer within {_PATIENCE:g} s")
    except OSError as error:
        return Checked(kind.name, built=True, problem=str(error))
    if _UNKNOWN in errors:
        return Checked(kind.name, built=True, ms=round(1000 * (time.monotonic() - began), 1))
    last = (errors.strip().splitlines() or [f"it ended with exit code {code}"])[-1]
    return Checked(kind.name, built=True, problem=last[:200])


def _ended(command: Sequence[str], task: Task) -> tuple[int, str]:
    """Run a program until it ends by itself; return its exit code and its error output.

    Its input stays open: a program ends when that ends, perhaps before it has read its task.

    Raises:
        TimeoutExpired: it did not end.
        OSError: it could not be started.
    """
    with (
        tempfile.TemporaryFile("w+", errors="replace") as errors,
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=errors, text=True
        ) as program,
    ):
        assert program.stdin is not None
        with suppress(BrokenPipeError):
            program.stdin.write(f"{task.line()}\n")
            program.stdin.flush()
        try:
            code = program.wait(_PATIENCE)
        finally:
            program.kill()
        errors.seek(0)
        return code, errors.read()
