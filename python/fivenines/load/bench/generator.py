"""Run fivenines-core for a bench: its output, its end, and interruptions.

The program runs in a separate process group, so that Ctrl-C reaches only this process, which then stops
the program; the program writes its results so far.
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import dropwhile
from pathlib import Path
from types import FrameType
from typing import Any

from fivenines.base.ending import SAME_SECONDS
from fivenines.base.errors import FiveninesError, UsageError
from fivenines.base.threads import Background
from fivenines.lab.processes.bound import ends_with_us
from fivenines.load.bench.plan import Bench, secret
from fivenines.load.dsn import Dsn
from fivenines.results.load_summary import LOAD_SUMMARY, LoadSummary

# Extra time in seconds beyond the load's duration, for connecting and writing.
PATIENCE = 75.0

USAGE = 2
_PREFIX = "fivenines-core: "
_CLAP = "error: "
# Number of last lines kept for the reason of a failure.
KEPT = 200

# Wait in seconds for the last lines, as a program started by a script may keep standard error open.
DRAINED = 2.0
_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

# Fixed work counts successful transactions. Without any for so many seconds it is given up: it would not end.
GIVEN_UP = 30.0


@dataclass(frozen=True)
class Second:
    """The live figures of one second; `errors`, `in_doubt`, `ok` and `failed` count from the start.

    In an open loop, `offered` is the intended rate in that second, and `backlog` the queue at its end.
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
    ok: int = 0
    failed: int = 0

    @property
    def hopeless(self) -> bool:
        """Return whether all transactions have failed for so long that fixed work is given up."""
        return self.t >= GIVEN_UP and self.ok == 0 and self.failed > 0


Listener = Callable[[Second], None]


@dataclass(frozen=True)
class Ended:
    """The summary of a load, and whether it was interrupted."""

    record: LoadSummary
    interrupted: bool


class InterruptedLoadError(FiveninesError):
    """The load was interrupted before it had results."""

    exit_code = 130


def run(bench: Bench, out: Path, listener: Listener) -> Ended:
    """Run the load, with its files in `out`. SIGINT, SIGTERM and SIGHUP end it early.

    Raises:
        FiveninesError: it failed, with the reason; the message never shows the password.
        InterruptedLoadError: it was interrupted before it began.
    """
    # Files of an earlier load into the same folder.
    for stale in (LOAD_SUMMARY, "latency.hlog", "timeline.csv"):
        (out / stale).unlink(missing_ok=True)
    with _Program(bench.load_command(out), bench.dsn) as program, _stopping(program):
        with _patience(program, bench.bound + PATIENCE):
            for line in program.lines():
                if (event := event_of(line)) is not None:
                    listener(event)
                    if bench.transactions is not None and event.hopeless:
                        program.give_up()
            code = program.wait()
        interrupted = program.asked_to_end
    if not (out / LOAD_SUMMARY).is_file():
        if interrupted:
            raise InterruptedLoadError("interrupted before the load began: there are no results")
        raise _failure(code, f"the load on {bench.dsn}", program.output(), bench.dsn)
    (out / "ledger.csv").unlink(missing_ok=True)  # a bench has no ledger
    record = LoadSummary.read(out / LOAD_SUMMARY)
    if code != 0 and not (interrupted or program.given_up):
        raise _failure(code, f"the load on {bench.dsn}", program.output(), bench.dsn)
    return Ended(record, interrupted)


def prepare(command: list[str], dsn: Dsn, progress: Callable[[dict[str, Any]], None]) -> None:
    """Create and fill tables, by a command of `Bench.prepare_commands`.

    Raises:
        FiveninesError: it failed, with the reason.
        InterruptedLoadError: it was interrupted; another call continues it.
    """
    with _Program(command, dsn) as program, _stopping(program):
        for line in program.lines():
            if isinstance(found := _json(line), dict):
                progress(found)
        code = program.wait()
    if program.asked_to_end:
        raise InterruptedLoadError("interrupted while filling tables; --prepare continues it")
    if code != 0:
        raise _failure(code, f"preparing {dsn}", program.output(), dsn)


@contextmanager
def folder(out: Path | None) -> Iterator[Path]:
    """Return the folder of the files: `out`, or a temporary folder.

    Raises:
        FiveninesError: the folder cannot be created.
    """
    if out is None:
        with tempfile.TemporaryDirectory(prefix="fivenines-bench-") as made:
            yield Path(made)
        return
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FiveninesError(f"cannot create {out}: {error.strerror}") from None
    yield out


def event_of(line: str) -> Second | None:
    """Parse a live line of the output; None for other lines."""
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
            int(found.get("ok", 0)),
            int(found.get("failed", 0)),
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def without_password(text: str, dsn: Dsn) -> str:
    """Remove the password from a text, in case a server repeats it."""
    return text.replace(dsn.password, "***") if dsn.password else text


class _Program:
    """A running fivenines-core.

    The output of scripts goes to standard error. The reason of a failure is kept for
    the message.
    """

    def __init__(self, command: list[str], dsn: Dsn) -> None:
        self.asked_to_end = False
        self._asked = 0.0
        self.given_up = False
        self._output: deque[str] = deque(maxlen=KEPT)
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
        self._hears = Background(target=self._hear)
        self._hears.start()

    def _hear(self) -> None:
        assert self._process.stderr is not None
        ends = False
        for line in self._process.stderr:
            self._output.append(line)
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
        if code == 0:  # it was no reason of a failure
            for line in dropwhile(lambda line: not line.startswith((_PREFIX, _CLAP)), self._output):
                self._show(line)
        return code

    def end(self) -> None:
        """Stop the program; kill it on a second call that is not the first one repeated."""
        now = time.monotonic()
        if not self.asked_to_end:
            self._process.send_signal(signal.SIGTERM)
        elif now - self._asked >= SAME_SECONDS:
            self._process.send_signal(signal.SIGKILL)
        self.asked_to_end, self._asked = True, now

    def give_up(self) -> None:
        """Stop the program once; its results stay."""
        if not self.given_up:
            self.given_up = True
            self._process.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self._process.kill()

    def output(self) -> str:
        return "".join(self._output)


@contextmanager
def _stopping(program: _Program) -> Iterator[None]:
    """Stop the program on signals that would end this process."""

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
    """Kill the program if it hangs."""
    timer = threading.Timer(min(seconds, threading.TIMEOUT_MAX), program.kill)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _failure(code: int, what: str, output: str, dsn: Dsn) -> FiveninesError:
    reason = without_password(_reason(output), dsn)
    if code == USAGE:
        return UsageError(f"fivenines-core refuses the options: {reason}")
    return FiveninesError(f"{what} failed: {reason}{hint(reason)}")


def _reason(output: str) -> str:
    """Return the error message: clap's line with `error:`, or our line and all after it."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    if not lines:
        return "no error message"
    if (first := next((line for line in lines if line.startswith(_CLAP)), None)) is not None:
        return first.removeprefix(_CLAP)
    ours = [number for number, line in enumerate(lines) if line.startswith(_PREFIX)]
    last = ours[-1] if ours else len(lines) - 1
    return "\n    ".join(lines[last:]).removeprefix(_PREFIX)


def hint(reason: str) -> str:
    """Return a hint for a known error, on a separate line."""
    # An ODBC connection string contains the word, too.
    reason = re.sub(r"(?i)database\s*=", "", reason)
    # `--prepare` creates no missing function, nor a missing `column "x" of relation "y"`.
    named = re.search(r"(?i)(?<!of )\b(relation|table|view)\b.*(doesn't|does not) exist", reason)
    absent = named or any(code in reason for code in ("(1146)", "(42P01)"))
    if absent and "atabase" not in reason:
        return "\n    add --prepare to create and fill the workload's tables"
    if any(word in reason for word in ("insecure transport", "no encryption", "SSL off")):
        return "\n    add --tls require"
    if "pg_hba.conf" in reason and "SSL encryption" in reason:
        return "\n    add --tls disable if pg_hba.conf admits the account only without encryption"
    if any(word in reason for word in ("(53300)", "(1040)", "(1203)", "(1226)")):
        return "\n    lower --connections, or raise the server's limit"
    if "unsupported startup parameter" in reason:
        return "\n    leave the parameter out of the DSN, or add it to PgBouncer's ignore_startup_parameters"
    return ""


def _json(line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None
