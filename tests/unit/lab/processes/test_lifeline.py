"""The lifeline: a small Python program stands for the first process."""

import sys
import time
from pathlib import Path

import psutil
import pytest

from fivenines.base.errors import FiveninesError
from fivenines.lab.processes import lifeline

HOLDS = "import os, sys; n = int(sys.argv[2]); os.write(n, b'r'); os.read(n, 1)"
DEAF = "import os, sys, time; os.write(int(sys.argv[2]), b'r'); time.sleep(60)"
REFUSES = "import sys; print('first\\n\\n  no namespaces', file=sys.stderr); sys.exit(1)"
SILENT = "import time; time.sleep(60)"


def _program(text: str) -> list[str]:
    return [sys.executable, "-I", "-S", "-c", text]


def test_a_first_process_tells_its_pid_and_ends_with_its_lifeline(tmp_path: Path) -> None:
    first = lifeline.start(_program(HOLDS), tmp_path / "log")
    assert first.pid == first.waiter.pid
    assert psutil.pid_exists(first.pid)
    first.end()
    assert first.waiter.returncode == 0
    assert not psutil.pid_exists(first.pid)


def test_the_pid_is_that_of_who_writes_not_of_who_was_started(tmp_path: Path) -> None:
    forks = f"import os\nif os.fork(): os.wait()\nelse:\n  {HOLDS}"
    first = lifeline.start(_program(forks), tmp_path / "log")
    assert psutil.Process(first.pid).ppid() == first.waiter.pid
    first.end()


def test_who_does_not_notice_the_end_is_killed(tmp_path: Path) -> None:
    first = lifeline.start(_program(DEAF), tmp_path / "log")
    first.end(timeout=0.05)
    assert first.waiter.returncode == -9


def test_reports_a_refusal_with_its_message(tmp_path: Path) -> None:
    with pytest.raises(FiveninesError) as refused:
        lifeline.start(_program(REFUSES), tmp_path / "log")
    assert str(refused.value) == (
        "the lab could not be set up: first no namespaces\n"
        "run `fivenines doctor` to list what this machine lacks"
    )


def test_who_is_never_ready_is_given_up_and_killed(tmp_path: Path) -> None:
    begun = time.monotonic()
    with pytest.raises(FiveninesError, match="could not be set up: no answer"):
        lifeline.start(_program(SILENT), tmp_path / "log", timeout=0.15)
    assert time.monotonic() - begun < 5.0
    left = [child.cmdline() for child in psutil.Process().children()]
    assert not [command for command in left if SILENT in command]
