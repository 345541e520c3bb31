"""The look at idle hosts, at real processes; and proportional set sizes."""

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from fivenines.trial.observers.idle import idle_usage
from fivenines.trial.observers.processes import proportional


def test_nothing_is_looked_at_in_no_time() -> None:
    host: Any = SimpleNamespace(pid=os.getpid())
    assert idle_usage({"node1": host}, 0.0) == {}


def test_a_host_has_the_memory_of_its_processes() -> None:
    host: Any = SimpleNamespace(pid=os.getpid())  # All processes in this namespace, which are large enough.
    found = idle_usage({"node1": host}, 0.05)["node1"]
    assert found.seconds >= 0.05 and found.cpu_cores >= 0
    assert found.memory_bytes > 10_000_000
    assert found.pss_bytes is None or found.pss_bytes > 10_000_000


def test_proportional_size_is_at_most_the_resident_size() -> None:
    resident = int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    mine = proportional([(os.getpid(), 0)])
    assert mine is not None and 0 < mine < 1.2 * resident
    gone = 2**22 + 1  # above the largest PID
    assert proportional([(os.getpid(), 0), (gone, 0)]) is not None
