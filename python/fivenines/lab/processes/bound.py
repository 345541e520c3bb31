"""Run programs of this machine that end with the controller, although they are not in a lab."""

import shutil
import subprocess
import sys


def ends_with_us(number: str = "KILL") -> list[str]:
    """Return a command prefix that makes the kernel end a program when we are killed; empty if unavailable.

    The kernel sends the signal when the thread that started the program ends (prctl(2), PR_SET_PDEATHSIG).
    That thread must wait for the program or live as long as we do. The program's children get no signal.
    """
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", number, "--"] if setpriv else []


def pip(*arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run pip quietly to its end; it is killed if we are."""
    command = [*ends_with_us(), sys.executable, "-m", "pip", *arguments, "--quiet"]
    return subprocess.run(command, capture_output=True, text=True, check=False)
