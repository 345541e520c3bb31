"""List a command's processes, then signal all of them and those that start meanwhile.

Listing takes milliseconds on a busy machine. So a fault lists first, then records the time, then signals.
"""

import contextlib
import signal
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import psutil

from fivenines.lab.processes.orphans import Orphans


class Command(Protocol):
    """A running command."""

    frozen: bool

    def members(self) -> Sequence[psutil.Process]:
        """Return all processes of the command."""

    def send(self, process: psutil.Process, number: signal.Signals) -> None:
        """Send a signal to one of its processes, which may have ended."""


@dataclass(frozen=True)
class Look:
    """The processes of a command at one time."""

    process: Command
    members: tuple[psutil.Process, ...]
    orphans: Orphans


def look_at(*processes: Command | None) -> list[Look]:
    """List the processes of each command that is not None."""
    looks = []
    for process in filter(None, processes):
        members = tuple(process.members())
        looks.append(Look(process, members, Orphans.of(members)))
    return looks


def kill(looks: Sequence[Look]) -> list[psutil.Process]:
    """Send SIGKILL to every process of these commands; return the signalled processes."""
    for look in looks:
        look.process.frozen = False
    return _signal(looks, signal.SIGKILL)


def freeze(looks: Sequence[Look]) -> list[psutil.Process]:
    """Send SIGSTOP to every process of these commands; return the signalled processes."""
    signalled = _signal(looks, signal.SIGSTOP)
    for look in looks:
        look.process.frozen = True
    return signalled


def send(process: psutil.Process, number: signal.Signals) -> None:
    """Send a signal to a process that may have ended."""
    with contextlib.suppress(psutil.NoSuchProcess):
        process.send_signal(number)


def _signal(looks: Sequence[Look], number: signal.Signals) -> list[psutil.Process]:
    """Signal all listed processes first, then search for processes that started since."""
    signalled: dict[psutil.Process, None] = {}
    fresh = {process: look.process for look in looks for process in look.members}
    while fresh:
        for process, command in fresh.items():
            command.send(process, number)
            signalled[process] = None
        running = {process: look.process for look in looks for process in _now(look, signalled)}
        fresh = {process: command for process, command in running.items() if process not in signalled}
    return list(signalled)


def _now(look: Look, signalled: dict[psutil.Process, None]) -> list[psutil.Process]:
    return [*look.process.members(), *look.orphans.unseen(signalled)]
