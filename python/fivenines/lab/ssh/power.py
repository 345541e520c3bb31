"""Switch machines of an inventory off and on, with commands from the inventory."""

import subprocess
import time

from fivenines.base.errors import FiveninesError
from fivenines.lab.ssh.connection import Connection

# Time limits in seconds: for a command, and for a machine's boot.
_COMMAND, _BOOT = 120.0, 300.0


def run(of: Connection, command: str | None, key: str) -> None:
    """Run a power command of a machine here, in a shell.

    Raises:
        FiveninesError: the inventory has no such command, or it failed.
    """
    if command is None:
        raise FiveninesError(
            f"{of.name}: the inventory has no command to switch it off: set `power_off` and `power_on`"
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
        reason = (done.stderr or done.stdout).strip()[-300:] or f"exit code {done.returncode}"
        raise FiveninesError(f"{of.name}: {key} failed: {reason}")


def again(of: Connection) -> Connection:
    """Log in to a machine that was switched on, as soon as it accepts logins.

    Raises:
        FiveninesError: the machine did not boot in time.
    """
    deadline = time.monotonic() + _BOOT
    while True:
        try:
            return Connection(of.name, of.machine)
        except FiveninesError as error:
            if time.monotonic() > deadline:
                raise FiveninesError(f"{of.name} did not boot within {_BOOT:g} s: {error}") from error
            time.sleep(0.5)
