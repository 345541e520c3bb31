"""`psql`: one process of psql for each transaction, as in a shell script; there is no pool.

It needs no packages: psql is a program of the runtime.
"""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence

from . import lines
from .lines import Attempt, Task

# Times in the settings.
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0}

# A line of psql's error output that says how far the script has got. The error output is not buffered: it is
# complete even if psql is killed.
_STAGE = re.compile(r"^stage (work|commit|release)$", re.MULTILINE)

# A message of the server, with its SQLSTATE.
_ANSWER = re.compile(r"^(?:psql: )?(?:ERROR|FATAL|PANIC): +([0-9A-Z]{5}): ", re.MULTILINE)

# Exit codes of psql: the server refused a command; the connection failed, or was lost.
_REFUSED, _LOST = 1, 2


class Psql:
    """Transactions by psql.

    Args:
        program: the command line of psql.
        task: the task.
    """

    def __init__(self, program: Sequence[str], task: Task) -> None:
        task.require(("connect", "pool"))
        pool = task.settings("pool")
        self._patience = _seconds(pool.pop("transaction_timeout", None))
        for name in pool:
            sys.exit(f"setting pool.{name}: psql has no pool, and this program has transaction_timeout")
        self._task = task
        # Neither the user's files nor variables of libpq change a result.
        options = ["--no-psqlrc", "--quiet", "--no-password"]
        options += ["--set=ON_ERROR_STOP=1", "--set=VERBOSITY=verbose", f"--dbname={_keywords(task)}"]
        self._command = [*program, *options]
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
        self._environment = {**kept, "PGPASSWORD": task.password, "PGPASSFILE": os.devnull, "LC_ALL": "C"}

    def version(self) -> str:
        """Return the version of psql; end the program if psql does not reach the server."""
        answer, errors = self._run("SHOW server_version")
        if answer != 0:
            sys.exit(" ".join(errors.split()) or f"psql ended with exit code {answer}")
        done = subprocess.run([*self._command, "--version"], capture_output=True, text=True, check=False)
        return done.stdout.strip()

    def transact(self, attempt: Attempt) -> tuple[BaseException | None, str, bool]:
        """Write a row; return the error, its code, and whether it is the server's answer."""
        row = f"VALUES ({attempt.n}, {attempt.number}) {self._task.suffix}"
        insert = f"INSERT INTO {self._task.table} (n, attempt) {row}"
        steps = (
            r"\warn stage work",
            "BEGIN",
            insert,
            r"\warn stage commit",
            "COMMIT",
            r"\warn stage release",
        )
        code, errors = self._run(*steps)
        for reached in _STAGE.finditer(errors):
            attempt.stage = reached[1]
        if code == 0:
            return None, "", True
        message = RuntimeError(
            " ".join(_STAGE.sub("", errors).split()) or f"psql ended with exit code {code}"
        )
        if (answer := _ANSWER.search(errors)) is not None:
            return message, answer[1], code == _REFUSED and lines.answers(answer[1])
        if code == _LOST:
            return message, "ConnectionFailed" if attempt.stage == "acquire" else "ConnectionLost", False
        return message, "Timeout" if code == -signal.SIGKILL else f"Exit{code}", False

    def _run(self, *steps: str) -> tuple[int, str]:
        """Run psql with commands; return its exit code and its error output, without waiting for ever."""
        command = [*self._command, *(f"--command={step}" for step in steps)]
        with subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            env=self._environment,
        ) as process:
            try:
                _, errors = process.communicate(timeout=self._patience)
            except subprocess.TimeoutExpired:
                process.kill()
                _, errors = process.communicate()
            return process.returncode, errors


def _seconds(text: str | None) -> float | None:
    """Return the seconds of a time such as "5s"."""
    if text is None:
        return None
    match = re.fullmatch(r"(\d+)(ms|s|m)", str(text))
    if match is None:
        sys.exit(f"setting pool.transaction_timeout: write a time such as 5s instead of {text}")
    return int(match[1]) * _UNITS[match[2]]


def _keywords(task: Task) -> str:
    """Return libpq's form of account and settings; of several hosts it looks for the writable one."""
    hosts = task.hosts
    known = {
        "host": ",".join(host for host, _ in hosts),
        "port": ",".join(port for _, port in hosts),
        "user": task.user,
        "dbname": task.database,
        **({"target_session_attrs": "read-write"} if len(hosts) > 1 else {}),
        **task.settings("connect"),
    }
    quoted = {name: str(value).replace("\\", r"\\").replace("'", r"\'") for name, value in known.items()}
    return " ".join(f"{name}='{value}'" for name, value in quoted.items())


def _work(psql: Psql, task: Task, worker: int) -> None:
    n, number = worker, 1
    while True:
        attempt = Attempt(n, worker, number)
        committed = attempt.write(*psql.transact(attempt))
        n, number = (n, number + 1) if task.repeat and not committed else (n + task.workers, 1)
        time.sleep((task.think_ms if committed else task.pause_ms) / 1000)


def main(program: Sequence[str]) -> None:
    """Run the stack `psql` until standard input ends."""
    task = Task.read()

    def start() -> None:
        try:
            psql = Psql(program, task)
            version = psql.version()
        except SystemExit as error:
            sys.stderr.write(f"{error}\n")
            sys.stderr.flush()
            lines.fail()
        lines.ready(version)
        for worker in range(task.workers):
            threading.Thread(target=_work, args=(psql, task, worker), daemon=True).start()
        threading.Event().wait()  # the kernel ends psql with the thread that started it

    threading.Thread(target=start, daemon=True).start()
    lines.live_until_the_end()
