"""fivenines-core at work for a bench: its lines, its end, and what a person breaks off.

The program runs in a process group of its own, so that Ctrl-C on a terminal reaches us alone; we
ask it to end, it writes what it has, and the figures are kept.
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import dropwhile
from pathlib import Path
from types import FrameType
from typing import Any

from fivenines.bench.plan import Bench, secret
from fivenines.errors import FiveninesError, UsageError
from fivenines.lab.bound import ends_with_us
from fivenines.load.dsn import Dsn

# Seconds that the program may take beyond the duration of its load, for connecting and writing.
PATIENCE = 75.0

USAGE = 2
_PREFIX = "fivenines-core: "
_CLAP = "error: "
# Lines of which the last ones say why the program has ended.
KEPT = 200

# Seconds for the last lines: a program that the script has started may hold on to standard error.
DRAINED = 2.0
_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True)
class Second:
    """The live figures of one second; `errors` and `in_doubt` count from the start.

    In an open loop `offered` were due in that second, per second, and `backlog` waits at its end.
    """

    t: float
    tps: float
    qps: float
    p95_ms: float
    errors: int
    in_doubt: int
    connected: int
    offered: float | None = None
    backlog: int = 0


Listener = Callable[[Second], None]


@dataclass(frozen=True)
class Ended:
    """load.json, and whether the load was broken off."""

    record: dict[str, Any]
    interrupted: bool


class BrokenOffError(FiveninesError):
    """Somebody ended it before there were figures."""

    exit_code = 130


def run(bench: Bench, out: Path, listener: Listener) -> Ended:
    """Put the servers under load; files are in `out`. SIGINT, SIGTERM and SIGHUP end it early.

    Raises:
        FiveninesError: it failed, with the reason; the message never shows the password.
        BrokenOffError: it was broken off before it began.
    """
    # of an earlier load into the same folder
    for stale in ("load.json", "latency.hlog", "timeline.csv"):
        (out / stale).unlink(missing_ok=True)
    with _Program(bench.load_command(out), bench.dsn) as program, _stopping(program):
        with _patience(program, bench.bound + PATIENCE):
            for line in program.lines():
                if (event := event_of(line)) is not None:
                    listener(event)
            code = program.wait()
        broken_off = program.asked_to_end
    if not (out / "load.json").is_file():
        if broken_off:
            raise BrokenOffError("broken off before the load began: there are no figures")
        raise _failure(code, f"the load on {bench.dsn}", program.said(), bench.dsn)
    (out / "ledger.csv").unlink(missing_ok=True)  # a bench has no ledger
    record = _record(out / "load.json", bench.dsn)
    if code != 0 and not broken_off:
        raise _failure(code, f"the load on {bench.dsn}", program.said(), bench.dsn)
    return Ended(record, broken_off)


def prepare(command: list[str], dsn: Dsn, progress: Callable[[dict[str, Any]], None]) -> None:
    """Make tables and fill them, by a command of `Bench.prepare_commands`.

    Raises:
        FiveninesError: it failed, with the reason.
        BrokenOffError: it was broken off; calling it again goes on where it was.
    """
    with _Program(command, dsn) as program, _stopping(program):
        for line in program.lines():
            if isinstance(found := _json(line), dict):
                progress(found)
        code = program.wait()
    if program.asked_to_end:
        raise BrokenOffError("preparing was broken off; --prepare again goes on with it")
    if code != 0:
        raise _failure(code, f"preparing {dsn}", program.said(), dsn)


@contextmanager
def folder(out: Path | None) -> Iterator[Path]:
    """The folder of the files: the one that is asked for, or one that is gone afterwards.

    Raises:
        FiveninesError: it cannot be made.
    """
    if out is None:
        with tempfile.TemporaryDirectory(prefix="fivenines-bench-") as made:
            yield Path(made)
        return
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FiveninesError(f"{out} cannot be made: {error.strerror}") from None
    yield out


def event_of(line: str) -> Second | None:
    """What a line of output tells, or None when it is something else."""
    found = _json(line)
    try:
        return Second(
            float(found["t"]),
            float(found["tps"]),
            float(found["qps"]),
            float(found.get("p95_ms", 0.0)),
            int(found["errors"]),
            int(found.get("in_doubt", 0)),
            int(found.get("connected", 0)),
            found.get("offered"),
            int(found.get("backlog", 0)),
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def without_password(text: str, dsn: Dsn) -> str:
    """The text without the password, should a server repeat it."""
    return text.replace(dsn.password, "***") if dsn.password else text


class _Program:
    """fivenines-core, until it has ended.

    What a script prints goes to our standard error while it runs. Why the program ends is kept for
    the message.
    """

    def __init__(self, command: list[str], dsn: Dsn) -> None:
        self.asked_to_end = False
        self._said: deque[str] = deque(maxlen=KEPT)
        self._dsn = dsn
        self._process = subprocess.Popen(
            [*ends_with_us("TERM"), *command],
            env={**os.environ, **secret(dsn)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            process_group=0,
        )
        self._hears = threading.Thread(target=self._hear, daemon=True)
        self._hears.start()

    def _hear(self) -> None:
        assert self._process.stderr is not None
        ends = False
        for line in self._process.stderr:
            self._said.append(line)
            ends = ends or line.startswith((_PREFIX, _CLAP))
            if not ends:
                self._show(line)

    def _show(self, line: str) -> None:
        sys.stderr.write(without_password(line, self._dsn))
        sys.stderr.flush()

    def __enter__(self) -> "_Program":
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    def lines(self) -> Iterator[str]:
        assert self._process.stdout is not None
        yield from self._process.stdout

    def wait(self) -> int:
        code = self._process.wait()
        self._hears.join(DRAINED)
        if code == 0:  # what looked like the reason to end was none
            for line in dropwhile(lambda line: not line.startswith((_PREFIX, _CLAP)), self._said):
                self._show(line)
        return code

    def end(self) -> None:
        """Ask it to end politely; who asks twice is in a hurry."""
        self._process.send_signal(signal.SIGKILL if self.asked_to_end else signal.SIGTERM)
        self.asked_to_end = True

    def kill(self) -> None:
        self._process.kill()

    def said(self) -> str:
        return "".join(self._said)


@contextmanager
def _stopping(program: _Program) -> Iterator[None]:
    """While inside, signals that would end us end the program politely instead."""

    def end(_number: int, _frame: FrameType | None) -> None:
        program.end()

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, end) for number in _STOPPING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _patience(program: _Program, seconds: float) -> Iterator[None]:
    """Kill a program that hangs."""
    timer = threading.Timer(min(seconds, threading.TIMEOUT_MAX), program.kill)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _record(file: Path, dsn: Dsn) -> dict[str, Any]:
    try:
        return dict(json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        raise FiveninesError(f"the load on {dsn} left no result: {error}") from None


def _failure(code: int, what: str, said: str, dsn: Dsn) -> FiveninesError:
    reason = without_password(_reason(said), dsn)
    if code == USAGE:
        return UsageError(f"fivenines-core refuses what is asked: {reason}")
    return FiveninesError(f"{what} failed: {reason}{hint(reason)}")


def _reason(said: str) -> str:
    """What names the mistake: the line of clap's that begins with `error:`, or ours and all after it."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    if not lines:
        return "it gave no reason"
    if (first := next((line for line in lines if line.startswith(_CLAP)), None)) is not None:
        return first.removeprefix(_CLAP)
    ours = [number for number, line in enumerate(lines) if line.startswith(_PREFIX)]
    last = ours[-1] if ours else len(lines) - 1
    return "\n    ".join(lines[last:]).removeprefix(_PREFIX)


def hint(reason: str) -> str:
    """What to do about a refusal, on a line of its own, where that is plain."""
    # a connection string of ODBC has the word, too
    reason = re.sub(r"(?i)database\s*=", "", reason)
    absent = any(word in reason for word in ("1146", "42P01", "doesn't exist", "does not exist"))
    if absent and "atabase" not in reason:
        return "\n    --prepare makes the workload's tables and fills them"
    if any(word in reason for word in ("insecure transport", "no encryption", "SSL off")):
        return "\n    --tls require encrypts"
    if "unsupported startup parameter" in reason:
        return (
            "\n    leave the parameter out of the DSN, or name it in PgBouncer's ignore_startup_parameters "
            "(which drops it)"
        )
    return ""


def _json(line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None
