"""Bytes written, from three sources, and the plausibility of each.

Servers count bytes that they write to their files and logs: reports show this figure. The kernel charges a
process for each page that it dirties. Where the page cache has large folios (ext4 since Linux 6.16, XFS,
btrfs), a small write charges the whole folio, up to 2 MB: 4 MB written in pieces of 8 kB, each followed by
fdatasync, were charged as 539 MB, while the block device saw 8 MB. The block device counts the writes of all
processes on the machine. So a charge is plausible only if it exceeds neither the device's figure nor a
multiple of the servers' figure.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from fivenines.analysis.resources.series import Samples, Series, gain_between, summed

# Name of the sum of a server's counters of written bytes, as `server_written` computes it.
WRITTEN = "written_bytes"

DEVICE = "device_written_bytes"

POSTGRES = (
    "pg_stat_io.wal.write_bytes",
    "pg_stat_io.relation.write_bytes",
    "pg_stat_io.temp_relation.write_bytes",
)
MYSQL = ("file_summary_by_event_name.write_bytes",)
MARIADB = ("Innodb_data_written", "Innodb_os_log_written", "Binlog_bytes_written")
# Counters of each kind of server; in the first kind, all but the last counter may be missing.
KINDS = (POSTGRES, MYSQL, MARIADB)

COUNTERS = tuple(name for kind in KINDS for name in kind)

# Excess in bytes that is no contradiction: pages may not have been written yet.
SLACK = 8e6

OVER_DEVICE = 1.25
# A charge of this many times the device's or the servers' figure is implausible.
OVER_SERVERS = 4.0


@dataclass(frozen=True)
class Written:
    """Bytes written in a window, all database nodes together; None: unknown.

    `servers`: as servers count them. `charged`: to their processes, less cancelled writes. `device`: of the
    whole machine.
    """

    seconds: float
    servers: float | None
    charged: float | None
    device: float | None

    @property
    def charge_excess(self) -> float | None:
        """Return the factor by which the charge exceeds a plausible one; None: it may be right."""
        if self.charged is None:
            return None
        over = [
            self.charged / max(bound, 1.0)
            for factor, bound in ((OVER_DEVICE, self.device), (OVER_SERVERS, self.servers))
            if bound is not None and self.charged > factor * bound + SLACK
        ]
        return max(over, default=None)

    @property
    def charge_believed(self) -> bool:
        """Return whether there is a charge, a figure to compare it with, and no contradiction."""
        known = self.device is not None or self.servers is not None
        return self.charged is not None and known and self.charge_excess is None

    @property
    def servers_believed(self) -> bool:
        """Return whether the device's figure covers the servers' figure, apart from unwritten pages."""
        if self.servers is None:
            return False
        return self.device is None or self.servers <= OVER_DEVICE * self.device + SLACK


def server_written(counters: Samples) -> dict[str, Series]:
    """Return the bytes that each server reports as written, summed over its counters; {} without any."""
    for kind in KINDS:
        if nodes := counters.get(kind[0]):
            return {node: item for node, item in summed(counters, kind).items() if node in nodes}
    return {}


def written(
    servers: Mapping[str, Series],
    charged: Mapping[str, Series],
    device: Series | None,
    nodes: set[str],
    window: tuple[float, float],
) -> Written:
    """Return the three figures in a window (ms); all of the database nodes `nodes` must report."""
    start, end = window
    gained = gain_between(device, start, end) if device is not None else None
    return Written((end - start) / 1000, _sum(servers, nodes, window), _sum(charged, nodes, window), gained)


def _sum(series: Mapping[str, Series], nodes: set[str], window: tuple[float, float]) -> float | None:
    gained = [gain_between(series[node], *window) for node in nodes if node in series]
    known = [gain for gain in gained if gain is not None and np.isfinite(gain)]
    return sum(known) if known and len(known) == len(nodes) else None
