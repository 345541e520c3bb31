"""The power of a machine of an inventory: only by commands that its owner has written there."""

import subprocess
import time

from fivenines.errors import FiveninesError
from fivenines.lab.ssh.connection import Connection

_COMMAND, _BOOT = 120.0, 300.0
"""Seconds until a command must have ended, and until a machine must be back."""


def run(of: Connection, command: str | None, key: str) -> None:
    """Run the command of a machine here, in a shell.

    Raises:
        FiveninesError: there is none, or it failed.
    """
    if command is None:
        raise FiveninesError(
            f"{of.name}: only a command can take its power: write `power_off` and `power_on` in the inventory"
        )
    try:
        done = subprocess.run(
            ["sh", "-c", command],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=_COMMAND,
        )
    except subprocess.TimeoutExpired:
        raise FiveninesError(f"{of.name}: {key} did not end within {_COMMAND:g} s") from None
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip()[-300:] or f"exit code {done.returncode}"
        raise FiveninesError(f"{of.name}: {key} failed: {said}")


def again(of: Connection) -> Connection:
    """Log in to a machine that was given its power back, as soon as it lets us.

    Raises:
        FiveninesError: it did not come back in time.
    """
    deadline = time.monotonic() + _BOOT
    while True:
        try:
            return Connection(of.name, of.machine)
        except FiveninesError as error:
            if time.monotonic() > deadline:
                raise FiveninesError(f"{of.name} did not come back: {error}") from error
            time.sleep(0.5)
