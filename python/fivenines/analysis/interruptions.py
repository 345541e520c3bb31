"""All times in which a service stood still, not the longest alone, and what each belongs to.

Interruption
    A gap between two successes that is longer than the floor, which the gaps of the trial's own
    steady window give (see `ordinary`): so a slow workload is not called away.
Stall
    The same in the steady window, before any fault, of the load's own transactions.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from fivenines.analysis.availability import Gap, Ints, Timeline
from fivenines.analysis.ordinary import floor_ms, ordinary_ms
from fivenines.results.records import Windows

Cause = Literal["fault", "return", "switch back", "none"]
"""The event that an interruption belongs to: the fault, the return of a node, a switch back, or none."""


@dataclass(frozen=True)
class Interruption:
    """A time without success after a fault, and the event that it belongs to.

    `cause` is the kind of that event, `event` says which, as "kill primary" or "node1 rejoined".
    """

    gap: Gap
    cause: Cause
    event: str = ""

    @property
    def ms(self) -> float:
        """Its length; a lower bound unless the gap is closed."""
        return self.gap.ms


def stalls(line: Timeline, windows: Windows, fault_at: float | None = None) -> list[Gap]:
    """The stalls of the steady window (it ends at the fault): no transaction of the load succeeded.

    Ascending and disjoint; exact to one slot (10 ms) either way. What touches an end of the window is
    cut there. [] where the load did nothing at all in the window: that is no stall.
    """
    end = windows.steady_end if fault_at is None else min(windows.steady_end, fault_at)
    gaps = steady_gaps(line.slot[line.transactions > 0], windows.warmup_end, end)
    floor = floor_ms(ordinary_ms([gap.ms for gap in gaps]))
    return [gap for gap in gaps if gap.ms > floor]


def steady_gaps(successes: Ints, start: float, end: float) -> list[Gap]:
    """All gaps between successes in a window, its ends included; [] where nothing succeeded in it."""
    inside = successes[(successes >= start) & (successes < end)]
    if not len(inside):
        return []
    edges = np.concatenate(([start], inside, [end]))
    return [Gap(float(low), float(high)) for low, high in pairwise(edges) if high > low]
