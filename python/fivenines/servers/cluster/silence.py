"""How long nodes have been silent: they run, and have not answered in time.

On a busy machine a live node is late now and then, so that its role is unknown, and not "down". One that
stays silent counts as down in the end. The time goes on from look to look, so that waits do not add up.
"""

import time
from typing import Literal

# What a node claims for itself. A silent one may be the primary.
Observed = Literal["primary", "replica", "down", "silent"]

# Seconds until a silent node counts as down, and between two looks that belong to the same silence.
SILENCE = 30.0


class Silence:
    """The silence of each node, from look to look."""

    def __init__(self) -> None:
        # Name: the begin of its silence, and the last look, in seconds of the monotonic clock.
        self._since: dict[str, tuple[float, float]] = {}

    def judged(self, observed: dict[str, Observed]) -> dict[str, Observed]:
        """Return what a look has found, with nodes that have been silent for too long as down."""
        return {name: self._judged(name, role) for name, role in observed.items()}

    def given_up(self) -> list[str]:
        """Return the nodes that count as down as they have been silent for too long."""
        return [name for name, (since, last) in list(self._since.items()) if last - since > SILENCE]

    def _judged(self, name: str, role: Observed) -> Observed:
        if role != "silent":
            self._since.pop(name, None)
            return role
        now = time.monotonic()
        since, last = self._since.get(name, (now, now))
        if now - last > SILENCE:
            since = now
        self._since[name] = since, now
        return "down" if now - since > SILENCE else "silent"
