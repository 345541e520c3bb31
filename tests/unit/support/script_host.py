"""Provide a host whose commands and scripts run on this machine, in a folder instead of /run/node."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

from fivenines.base.errors import FiveninesError
from fivenines.lab.host import NODE


class ScriptHost:
    """A host in a folder; it is its own `commands`."""

    def __init__(self, name: str, folder: Path, address: str = "10.99.0.11") -> None:
        self.name, self.node, self.address = name, folder / name, address
        for part in ("run", "log", "conf"):
            (self.node / part).mkdir(parents=True, exist_ok=True)

    @property
    def commands(self) -> "ScriptHost":
        return self

    def run(self, command: Sequence[str], *, stdin: str = "") -> str:
        """Run a command as a host does."""
        done = self.script(command, stdin)
        if done.returncode != 0:
            raise FiveninesError(done.stderr)
        return done.stdout

    def script(self, command: Sequence[str], stdin: str = "") -> "subprocess.CompletedProcess[str]":
        """Run a command with this folder in place of the host's own, to its end."""
        words = [word.replace(str(NODE), str(self.node)) for word in command]
        return subprocess.run(words, input=stdin, capture_output=True, text=True, timeout=20, check=False)
