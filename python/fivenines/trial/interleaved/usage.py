"""Resources that each solution of a block uses while it or another one is loaded: idle solutions are not
free.
"""

import csv
import time
from collections.abc import Sequence
from pathlib import Path

from fivenines.lab.lab import Lab
from fivenines.results.layout import TABLES
from fivenines.trial.observers.hosts import first_processes
from fivenines.trial.observers.processes import Processes, Total, Used

# The load's host is not part of a solution.
_CLIENT = "client"


class Usage:
    """Samples all hosts between two windows, in the part that is excluded from the results.

    A sample that comes later, on a machine without CPU time for it, would give one window what another used:
    both are left out.
    """

    def __init__(self, labs: Sequence[Lab], file: Path) -> None:
        self._labs = labs
        self._processes = Processes()
        self._totals: dict[str, Total] = {}
        self._before: dict[int, Used] = {}
        self._stream = file.open("w", newline="")
        self._writer = csv.writer(self._stream)
        self._writer.writerow(TABLES["usage"])

    def look(self, position: int, latest: float) -> None:
        """Write the usage of the previous window; the window at this position begins now.

        `latest`: moment of CLOCK_MONOTONIC in seconds from which a sample belongs to neither of them.
        """
        firsts = {
            f"{side}/{name}": pid
            for side, lab in enumerate(self._labs)
            for name, pid in first_processes(lab.hosts).items()
            if name != _CLIENT
        }
        result = self._processes.look(firsts).hosts
        if not result:
            # Hosts on other machines are not sampled in windows as short as these.
            return
        now: dict[int, Used] = dict.fromkeys(range(len(self._labs)), Used())
        for key, processes in result.items():
            side = int(key.partition("/")[0])
            now[side] += self._totals.setdefault(key, Total()).update(processes)
        if time.monotonic() > latest:
            self._before = {}
            return
        if self._before:
            for side, used in now.items():
                before = self._before[side]
                row = (position - 1, side, round(used.cpu - before.cpu, 4), used.written - before.written)
                self._writer.writerow(row)
        self._before = now

    def close(self) -> None:
        """Close the file."""
        self._stream.close()
