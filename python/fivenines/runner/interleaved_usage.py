"""What each solution of an interleaved comparison uses while it or another is loaded: idle neighbours are not
free.
"""

import csv
from collections.abc import Sequence
from pathlib import Path

from fivenines.lab.lab import Lab
from fivenines.observe.hosts import first_processes
from fivenines.observe.processes import Processes, Total, Used
from fivenines.results.layout import TABLES

# The host of the load is not a part of a solution.
_CLIENT = "client"


class Usage:
    """Looks at all hosts when one window ends and the next begins, in its part that is left out anyway."""

    def __init__(self, labs: Sequence[Lab], file: Path) -> None:
        self._labs = labs
        self._processes = Processes()
        self._totals: dict[str, Total] = {}
        self._before: dict[int, Used] = {}
        self._stream = file.open("w", newline="")
        self._writer = csv.writer(self._stream)
        self._writer.writerow(TABLES["usage"])

    def look(self, position: int) -> None:
        """The window at this position begins now; what was used in the one before is written."""
        firsts = {
            f"{side}/{name}": pid
            for side, lab in enumerate(self._labs)
            for name, pid in first_processes(lab.hosts).items()
            if name != _CLIENT
        }
        result = self._processes.look(firsts).hosts
        if not result:
            # hosts on other machines: what they use is not looked at in windows as short as these
            return
        now: dict[int, Used] = dict.fromkeys(range(len(self._labs)), Used())
        for key, processes in result.items():
            side = int(key.partition("/")[0])
            now[side] += self._totals.setdefault(key, Total()).update(processes)
        if self._before:
            for side, used in now.items():
                before = self._before[side]
                row = (position - 1, side, round(used.cpu - before.cpu, 4), used.written - before.written)
                self._writer.writerow(row)
        self._before = now

    def close(self) -> None:
        """The file is whole."""
        self._stream.close()
