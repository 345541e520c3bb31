"""How much of the load was served during a hiccup."""

from dataclasses import replace

import numpy as np

from fivenines.analysis.availability.availability import Timeline, steady_window
from fivenines.analysis.availability.needless import Response
from fivenines.results.records import TrialRecord

# A shorter window, in ms, says little: transactions that began before it end in it.
_LEAST = 2000.0


def with_served(response: Response | None, record: TrialRecord, line: Timeline) -> Response | None:
    """Return the response with the share of the steady rate that was served during the hiccup.

    The window ends with the hiccup, or with the response if that came earlier: what a failover serves is not
    what a hiccup lets through.
    """
    if response is None or response.hiccup_ms is None or record.fault is None:
        return response
    at = record.fault.at
    length = min(response.hiccup_ms, response.hiccup_ms if response.ms is None else response.ms)
    start, end = steady_window(record)
    before = _rate(line, start, end)
    if length < _LEAST or not before:
        return response
    return replace(response, served=round(_rate(line, at, at + length) / before, 4))


def _rate(line: Timeline, start: float, end: float) -> float:
    """Return the transactions per ms in a window."""
    within = (line.slot >= start) & (line.slot < end)
    return float(np.sum(line.transactions[within])) / (end - start) if end > start else 0.0
