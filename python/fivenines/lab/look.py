"""A look at a command's processes, and a signal to all that it saw, and to those that begin meanwhile.

To look takes milliseconds where much runs, so a fault looks first, then notes its moment, then signals.
"""

import contextlib
import signal
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import psutil

from fivenines.lab.orphans import Orphans


class Command(Protocol):
    """A command at work, as far as one looks at it."""

    frozen: bool

    def members(self) -> Sequence[psutil.Process]:
        """All processes of it."""

    def send(self, process: psutil.Process, number: signal.Signals) -> None:
        """A signal to one of them, which may have ended."""


@dataclass(frozen=True)
class Look:
    """What a command's processes are at a moment."""

    process: Command
    members: tuple[psutil.Process, ...]
    orphans: Orphans


def look_at(*processes: Command | None) -> list[Look]:
    """A look at each of those that are there."""
    looks = []
    for process in filter(None, processes):
        members = tuple(process.members())
        looks.append(Look(process, members, Orphans.of(members)))
    return looks


def kill(looks: Sequence[Look]) -> list[psutil.Process]:
    """SIGKILL to every process of all these commands; returns those that were hit."""
    for look in looks:
        look.process.frozen = False
    return _hit(looks, signal.SIGKILL)


def freeze(looks: Sequence[Look]) -> list[psutil.Process]:
    """SIGSTOP to every process of all these commands; returns those that were hit."""
    hit = _hit(looks, signal.SIGSTOP)
    for look in looks:
        look.process.frozen = True
    return hit


def send(process: psutil.Process, number: signal.Signals) -> None:
    """A signal to a process that may have ended."""
    with contextlib.suppress(psutil.NoSuchProcess):
        process.send_signal(number)


def _hit(looks: Sequence[Look], number: signal.Signals) -> list[psutil.Process]:
    """All that were seen are signalled before anybody searches for those that began since."""
    hit: dict[psutil.Process, None] = {}
    fresh = {one: look.process for look in looks for one in look.members}
    while fresh:
        for process, command in fresh.items():
            command.send(process, number)
            hit[process] = None
        found = {one: look.process for look in looks for one in _now(look, hit)}
        fresh = {one: command for one, command in found.items() if one not in hit}
    return list(hit)


def _now(look: Look, hit: dict[psutil.Process, None]) -> list[psutil.Process]:
    return [*look.process.members(), *look.orphans.unseen(hit)]
