"""Curves of a replicated block device: bytes sent to the other node, and bytes out of sync."""

from collections.abc import Sequence

from fivenines.analysis.resources.series import Samples, Series
from fivenines.analysis.tables import Columns, by_trial, split
from fivenines.results.store import StoredTrial

# The names of the series among counters.
SENT, LOG_UPDATES, OUT_OF_SYNC = "disk_sent", "disk_log_updates", "disk_out_of_sync"

_ROWS = """
    SELECT trial, node, t_ms, sent_bytes, log_updates, out_of_sync_bytes
    FROM rows ORDER BY trial, node, t_ms
"""
_COLUMNS = {SENT: "sent_bytes", LOG_UPDATES: "log_updates", OUT_OF_SYNC: "out_of_sync_bytes"}


def disk_curves(trials: Sequence[StoredTrial]) -> dict[str, Samples]:
    """Return the curves of each trial whose nodes share a disk, by its folder's name."""
    return {trial: _curves(rows) for trial, rows in by_trial(trials, "disks", _ROWS).items()}


def _curves(columns: Columns) -> Samples:
    samples: Samples = {name: {} for name in _COLUMNS}
    for node, rows in split(columns, "node").items():
        for name, column in _COLUMNS.items():
            samples[name][node] = Series.of(rows["t_ms"], rows[column])
    return samples
