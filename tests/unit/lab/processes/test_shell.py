"""Test custom commands: their end, and messages about them."""

import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from fivenines.base.errors import FiveninesError
from fivenines.base.waiting import wait_until
from fivenines.lab.processes import shell


def test_reports_a_failure_with_exit_code_and_last_lines(tmp_path: Path) -> None:
    log = tmp_path / "logs/hook.log"
    with pytest.raises(FiveninesError, match=r"^the hook failed: exit code 3 after .* s: it is on fire$"):
        shell.require("the hook", "echo it is on fire >&2; exit 3", log, 10.0, {})
    assert "$ echo it is on fire" in log.read_text()
    done = shell.run("true", log, 10.0)
    assert (done.code, done.last_lines) == (0, "")


def test_the_environment_is_added_to_our_own(tmp_path: Path) -> None:
    done = shell.run('echo "$FIVENINES_TARGET $HOME"', tmp_path / "log", 10.0, {"FIVENINES_TARGET": "x"})
    assert done.last_lines.startswith("x /")


def test_kills_a_command_and_its_children_at_the_time_limit(tmp_path: Path) -> None:
    begun = time.monotonic()
    done = shell.run(f"echo $$ > {tmp_path}/pid; sleep 600; true", tmp_path / "log", 0.3)
    assert done.code is None and "killed at its time limit" in done.summary
    assert time.monotonic() - begun < 60
    assert not psutil.pid_exists(int((tmp_path / "pid").read_text()))


def test_a_command_ends_when_we_are_killed(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from fivenines.lab.processes import shell\n"
        "folder = Path(sys.argv[1])\n"
        "shell.run(f'echo $$ > {folder}/new; mv {folder}/new {folder}/pid; sleep 600; :', folder / 'log', 9)"
    )
    ours = subprocess.Popen([sys.executable, "-c", script, str(tmp_path)])
    started = psutil.Process(ours.pid)

    def missing() -> str:
        # the command, and what ends it
        guarded = (tmp_path / "pid").exists() and len(started.children()) == 2
        return "" if guarded else "not begun"

    wait_until(missing, 60.0, "no command")
    command = psutil.Process(int((tmp_path / "pid").read_text()))
    ours.kill()
    ours.wait()
    command.wait(60.0)


def test_background_processes_of_a_command_keep_running(tmp_path: Path) -> None:
    done = shell.run(f"sleep 600 & echo $! > {tmp_path}/pid", tmp_path / "log", 30.0)
    left = psutil.Process(int((tmp_path / "pid").read_text()))
    try:
        assert done.code == 0 and left.is_running()
    finally:
        left.kill()
