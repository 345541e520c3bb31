"""The program of the scripted operator: `python -m … CONFIGURATION.json`.

Runs on a host of the lab. Prints each event as a JSON line (see `ManagerEvent`), and in the same way requests
to the lab to fence, stop or start a node, as an operator would with a power switch or a shell. One line on
its input is the answer. The input line `switchover` requests a switchover.
"""

import json
import math
import os
import select
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fivenines.load.commands import PASSWORD
from fivenines.servers.control import Address, Control, ServerFullError
from fivenines.servers.mariadb.control import MariadbControl
from fivenines.servers.mysql.control import MysqlControl
from fivenines.servers.postgres.control import PostgresControl

CONTROLS: dict[str, type[Control]] = {
    "mariadb": MariadbControl,
    "mysql": MysqlControl,
    "postgresql": PostgresControl,
}


class Operate:
    """Check, count failures, fence, promote, repoint."""

    def __init__(self, configuration: dict[str, Any], password: str) -> None:
        kind = CONTROLS[configuration["family"]]
        self.control = kind(configuration["timeout"], password, configuration.get("control"))
        self.nodes: dict[str, Address] = {
            name: (address, port) for name, (address, port) in configuration["nodes"].items()
        }
        self.interval: float = configuration["interval"]
        self.misses_allowed: int = configuration["misses"]
        self.fences: bool = configuration["fence"]
        self.synchronous: bool = configuration.get("synchronous", False)
        self.candidates: list[str] = configuration.get("candidates") or list(self.nodes)
        self.primary: str = configuration.get("primary") or next(iter(self.nodes))
        # Longest wait for the old primary after a failure of all servers; None: no wait.
        self.patience: float | None = configuration.get("total_failure_wait")
        # The last moment at which the primary worked, and the end of the wait for it; None: there is none.
        self.worked = time.monotonic()
        self.waits_until: float | None = None
        # The moment after which all servers failed, once it was waited for the primary: no second time.
        self.waited_since: float | None = None

    def watch(self) -> None:
        """Check the primary at every interval, for ever."""
        tell("watching", self.primary)
        misses, tick, full = 0, time.monotonic(), False
        while True:
            fault, was_full = "", full
            try:
                fault, full = self.control.check(self.nodes[self.primary]), False
            except ServerFullError as answer:
                # A dead server does not say so, and to fence this one would end a service that works.
                full = True
                if not was_full:
                    tell("full", self.primary, f"it runs: {answer}")
            misses = misses + 1 if fault else 0
            if fault:
                tell("missed", self.primary, f"{misses} of {self.misses_allowed}: {fault}")
            else:
                self.end_wait("it works again")
                self.worked = time.monotonic()
            if misses >= self.misses_allowed and self.fail_over():
                misses = 0
            # A check that took longer than the interval skips ticks, so that failures never come in a burst.
            tick += self.interval * max(1, math.ceil((time.monotonic() - tick) / self.interval))
            if command(max(0.0, tick - time.monotonic())) == "switchover":
                done = self.switch_over()
                tell("switched" if done else "not switched", self.primary)
                misses, tick = 0, time.monotonic()

    def fail_over(self) -> bool:
        """Replace the primary; return whether that worked."""
        old, answering = self.primary, None
        if self.waits_until is None:
            tell("decided", old, f"{old} is considered dead")
            if self.patience is not None and self.waited_since != self.worked:
                answering = list(self.positions())
                if self.all_were_down(answering):
                    self.waits_until = time.monotonic() + self.patience
                    self.waited_since = self.worked
                    tell("waiting", old, f"all servers were down: it has {self.patience:g} s to come back")
        if self.waits_until is not None and time.monotonic() < self.waits_until:
            return False
        self.end_wait("it did not come back")
        if self.fences and not ask("fence", old, "fenced"):
            # Two primaries are worse than none.
            return False
        return self.promote_best(self.positions(answering))

    def all_were_down(self, answering: Sequence[str]) -> bool:
        """Return whether no replica ran on while the primary failed: none answers that had run before.

        The old primary has everything that it acknowledged. A replica that was down, too, may not: the relay
        log of MariaDB does not survive a restart with GTID.
        """
        ups = [self.control.uptime(self.nodes[name]) for name in answering]
        since = time.monotonic() - self.worked
        return all(up is not None and up < since for up in ups)

    def end_wait(self, why: str) -> None:
        """Report the end of the wait for the old primary, if there is one."""
        if self.waits_until is not None:
            tell("waited", self.primary, why)
        self.waits_until = None

    def switch_over(self) -> bool:
        """Make a switchover to the most advanced replica without loss; return whether that worked."""
        old = self.primary
        tell("decided", old, "switchover")
        positions = self.positions()
        if not any(name in self.candidates for name in positions):
            tell("failed", old, f"{_no_candidate(positions)}: no switchover")
            return False
        final: int | None = 0
        try:
            final = self.control.demote(self.nodes[old])
            if final is None:
                # After a clean shutdown the replicas have everything (PostgreSQL manual).
                ask("stop", old, "stopped")
            positions = self.positions() if final is None else self.caught_up(final)
            if not positions:
                raise RuntimeError("no replica answers any more")
        except Exception as error:
            tell("failed", old, f"could not be demoted: {error}")
            self.undo_demote(stopped=final is None)
            return False
        if not self.promote_best(positions):
            return False
        if final is None:
            ask("start", old, "started")
        else:
            self.repoint(old, former=True)
        return True

    def undo_demote(self, stopped: bool) -> None:
        """Make the primary writable again after a switchover that ended before a promotion."""
        if stopped:
            ask("start", self.primary, "started")
            return
        try:
            self.control.undo_demote(self.nodes[self.primary])
        except Exception as error:
            tell("failed", self.primary, f"is not writable again: {error}")

    def positions(self, names: Sequence[str] | None = None) -> dict[str, int]:
        """Return the log position of each replica, or of each of these, that answers."""
        return {
            name: position
            for name in (self.nodes if names is None else names)
            if name != self.primary and (position := self.control.position(self.nodes[name])) is not None
        }

    def caught_up(self, final: int) -> dict[str, int]:
        """Return the positions once a replica has everything that the old primary had."""
        deadline = time.monotonic() + CATCH_UP
        while time.monotonic() < deadline:
            positions = self.positions()
            if any(at >= final for name, at in positions.items() if name in self.candidates):
                return positions
            time.sleep(0.01)
        raise RuntimeError(f"no replica had everything within {CATCH_UP:g} s")

    def promote_best(self, positions: dict[str, int]) -> bool:
        """Promote the most advanced replica and repoint the others; return whether that worked."""
        able = {name: at for name, at in positions.items() if name in self.candidates}
        if not able:
            tell("failed", self.primary, _no_candidate(positions))
            return False
        chosen = max(able, key=lambda name: able[name])
        others = [name for name in positions if name != chosen]
        awaited = [name for name in others if name in able] if self.synchronous else []
        try:
            self.control.promote(self.nodes[chosen], awaited)
        except Exception as error:
            tell("failed", chosen, f"could not be promoted: {error}")
            return False
        tell("promoted", chosen, f"most advanced of {len(able)}: {able[chosen]}")
        self.primary = chosen
        for name in others:
            self.repoint(name)
        return True

    def repoint(self, name: str, former: bool = False) -> None:
        """Make a replica, or the former primary, follow the new primary."""
        follow = self.control.repoint_former if former else self.control.repoint
        try:
            follow(self.nodes[name], name, self.nodes[self.primary])
            tell("repointed", name, f"follows {self.primary}")
        except Exception as error:
            tell("failed", name, f"could not be repointed: {error}")


def _no_candidate(answering: dict[str, int]) -> str:
    """Return why no replica can be promoted, although these answer."""
    return "no replica answers that may be promoted" if answering else "no replica answers"


def tell(kind: str, node: str, detail: str = "") -> None:
    """Print an event with the current time."""
    event = {"monotonic_ns": time.monotonic_ns(), "kind": kind, "node": node, "detail": detail}
    sys.stdout.write(json.dumps(event) + "\n")
    sys.stdout.flush()


def ask(kind: str, node: str, answer: str) -> bool:
    """Send a request to the lab, wait for the answer and print it as an event; return whether it was done."""
    tell(kind, node)
    while (line := sys.stdin.readline().strip()) not in (answer, f"not {answer}", ""):
        _commands.append(line)
    done = not line.startswith("not ")
    if done:
        tell(answer, node)
    return done


def command(seconds: float) -> str:
    """Return the next command within this time; empty if there is none."""
    if _commands:
        return _commands.pop(0)
    try:
        readable, _, _ = select.select([sys.stdin], [], [], seconds)
    except (OSError, ValueError):
        # The input is no file descriptor (in tests), so no command can come.
        readable = []
        time.sleep(seconds)
    line = sys.stdin.readline() if readable else ""
    if readable and not line:
        time.sleep(seconds)
    return line.strip()


# Commands that came during the wait for an answer.
_commands: list[str] = []

# Longest wait, in seconds, until a replica has everything that the old primary had.
CATCH_UP = 60.0


if __name__ == "__main__":
    Operate(json.loads(Path(sys.argv[1]).read_text()), os.environ[PASSWORD]).watch()
