"""Programs of this machine that end with us: they are in no lab, whose end would end them."""

import shutil
import subprocess
import sys


def ends_with_us(number: str = "KILL") -> list[str]:
    """A prefix by which the kernel ends a program when we are killed, where the machine has it.

    It is told when the thread that has started it ends (prctl(2), PR_SET_PDEATHSIG): one that waits for
    it, or that lives as long as we do. The program's own children are not told.
    """
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", number, "--"] if setpriv else []


def pip(*arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run pip to its end, quietly; it ends with us."""
    command = [*ends_with_us(), sys.executable, "-m", "pip", *arguments, "--quiet"]
    return subprocess.run(command, capture_output=True, text=True, check=False)
