"""A network that begins with the load: deploying over a slow line is not what is measured."""

import time
from collections.abc import Sequence
from typing import Any

from fivenines.lab.lab import Lab
from fivenines.lab.settings import Beginning
from fivenines.results.records import Event

# The kind of its events.
NETWORK = "network"

# Seconds before the steady window: what was sent fast is done with, also where the machine is busy.
BEFORE_STEADY = 2.0

_BEGAN = "the links and bandwidths of the experiment are in force from now on"
_ENDED = "the links and bandwidths of the experiment are undone for the checks"


class NetworkOfLoad:
    """Begins just before t = 0, when all clients are connected, or with the steady window; ends for checks.

    It stays while nodes settle, as what replicas have to catch up with comes over the same lines. What is
    asked of servers afterwards comes as fast as it can: the verdict does not depend on it.
    """

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self._noted: list[tuple[int, str]] = []

    @property
    def begins(self) -> Beginning:
        """Return when the network begins."""
        return self._lab.network.begins

    def begin(self) -> None:
        """From now on the network is as it is written."""
        self._lab.begin_network()
        self._noted.append((time.monotonic_ns(), _BEGAN))

    def end(self) -> None:
        """From now on nothing is done to any frame; nothing to undo where it did not begin."""
        if self._noted:
            self._lab.end_network()
            self._noted.append((time.monotonic_ns(), _ENDED))

    def among(self, events: Sequence[Event], load: dict[str, Any]) -> list[Event]:
        """Return the events of a trial with its own, in the order of their moments."""
        zero = load.get("started_monotonic_ns", 0)
        own = [
            Event(t=round((moment - zero) / 1e6, 3), kind=NETWORK, detail=detail)
            for moment, detail in self._noted
        ]
        return sorted([*events, *own], key=lambda event: event.t) if own else list(events)
