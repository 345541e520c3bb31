"""The scripted operator itself: `python -m fivenines.managers.operate CONFIGURATION.json`.

Runs on a host of the lab. Reports each step as a JSON line (see `ManagerEvent`) and asks for fencing in
the same way; one line on its input is the answer.
"""

import json
import math
import sys
import time
from pathlib import Path
from typing import Any

from fivenines.managers.control import Address, Control
from fivenines.managers.control_mariadb import MariadbControl
from fivenines.managers.control_postgres import PostgresControl

CONTROLS: dict[str, type[Control]] = {"mariadb": MariadbControl, "postgresql": PostgresControl}


class Operate:
    """Check, count, fence, promote, repoint."""

    def __init__(self, configuration: dict[str, Any]) -> None:
        kind = CONTROLS[configuration["family"]]
        self.control = kind(configuration["timeout"])
        self.nodes: dict[str, Address] = {
            name: (address, port) for name, (address, port) in configuration["nodes"].items()
        }
        self.interval: float = configuration["interval"]
        self.misses_allowed: int = configuration["misses"]
        self.fences: bool = configuration["fence"]
        self.synchronous: bool = configuration.get("synchronous", False)
        self.primary = next(iter(self.nodes))

    def watch(self) -> None:
        """Check the primary every interval, for ever."""
        tell("watching", self.primary)
        misses, tick = 0, time.monotonic()
        while True:
            fault = self.control.check(self.nodes[self.primary])
            misses = misses + 1 if fault else 0
            if fault:
                tell("missed", self.primary, f"{misses} of {self.misses_allowed}: {fault}")
            if misses >= self.misses_allowed and self.fail_over():
                misses = 0
            # a check that took longer than the interval skips ticks: misses never come in a burst
            tick += self.interval * max(1, math.ceil((time.monotonic() - tick) / self.interval))
            time.sleep(max(0.0, tick - time.monotonic()))

    def fail_over(self) -> bool:
        """Replace the primary; whether that worked."""
        old = self.primary
        tell("decided", old, f"{old} is taken for dead")
        if self.fences:
            fence(old)
        positions = {
            name: position
            for name, address in self.nodes.items()
            if name != old and (position := self.control.position(address)) is not None
        }
        if not positions:
            tell("failed", old, "no replica answers")
            return False
        chosen = max(positions, key=lambda name: positions[name])
        others = [name for name in positions if name != chosen]
        try:
            self.control.promote(self.nodes[chosen], others if self.synchronous else [])
        except Exception as error:
            tell("failed", chosen, f"could not be promoted: {error}")
            return False
        tell("promoted", chosen, f"most advanced of {len(positions)}: {positions[chosen]}")
        self.primary = chosen
        for name in others:
            self.repoint(name)
        return True

    def repoint(self, name: str) -> None:
        """Let a replica follow the new primary."""
        try:
            self.control.repoint(self.nodes[name], name, self.nodes[self.primary])
            tell("repointed", name, f"follows {self.primary}")
        except Exception as error:
            tell("failed", name, f"could not be repointed: {error}")


def tell(kind: str, node: str, detail: str = "") -> None:
    """One event, now."""
    event = {"monotonic_ns": time.monotonic_ns(), "kind": kind, "node": node, "detail": detail}
    sys.stdout.write(json.dumps(event) + "\n")
    sys.stdout.flush()


def fence(node: str) -> None:
    """Ask the lab to make sure that the node is dead, and wait for its answer."""
    tell("fence", node)
    sys.stdin.readline()
    tell("fenced", node)


if __name__ == "__main__":
    Operate(json.loads(Path(sys.argv[1]).read_text())).watch()
