"""Network conditions that apply during the load only: deployment over a slow line is not measured."""

import time
from collections.abc import Sequence

from fivenines.lab.lab import Lab
from fivenines.lab.settings import Beginning
from fivenines.results.load_summary import LoadSummary
from fivenines.results.records import Event

# Kind of the network's events.
NETWORK = "network"

# Seconds before the steady window, in which frames from before the change arrive even on a busy machine.
BEFORE_STEADY = 2.0

_BEGAN = "the links and bandwidths of the experiment are in force from now on"
_ENDED = "the links and bandwidths of the experiment are undone for the checks"


class NetworkOfLoad:
    """Applies just before t = 0, when all clients are connected, or with the steady window; ends for checks.

    The conditions stay while nodes settle, as replicas catch up over the same lines. Later checks run at full
    speed, as verdicts do not depend on the network.
    """

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self._noted: list[tuple[int, str]] = []

    @property
    def begins(self) -> Beginning:
        """Return when the network begins."""
        return self._lab.network.settings.begins

    def begin(self) -> None:
        """Apply the network conditions of the experiment."""
        self._lab.network.begin()
        self._noted.append((time.monotonic_ns(), _BEGAN))

    def end(self) -> None:
        """Remove the network conditions; do nothing if they were not applied."""
        if self._noted:
            self._lab.network.end()
            self._noted.append((time.monotonic_ns(), _ENDED))

    def among(self, events: Sequence[Event], load: LoadSummary) -> list[Event]:
        """Return the events of a trial and of the network, in chronological order."""
        zero = load.started_monotonic_ns
        own = [
            Event(t=round((moment - zero) / 1e6, 3), kind=NETWORK, detail=detail)
            for moment, detail in self._noted
        ]
        return sorted([*events, *own], key=lambda event: event.t) if own else list(events)
