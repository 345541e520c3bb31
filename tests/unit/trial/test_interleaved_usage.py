"""Usage of the solutions of a block: a sample that comes late leaves both of its windows out."""

import csv
import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fivenines.trial.interleaved import usage
from fivenines.trial.interleaved.usage import Usage
from fivenines.trial.observers.processes import Look, Seen, Used


def test_a_late_sample_gives_no_window_what_another_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = iter((0.0, 1.0, 3.0, 6.0, 10.0, 15.0))

    def look(_self: object, hosts: dict[str, int]) -> Look:
        used = Used(cpu=next(seconds))
        return Look({name: {(7, 1): Seen(1, used)} for name in hosts}, {})

    monkeypatch.setattr(usage, "first_processes", lambda _hosts: {"node1": 7, "client": 8})
    monkeypatch.setattr(usage.Processes, "look", look)
    lab: Any = SimpleNamespace(hosts={})
    sampled = Usage([lab], tmp_path / "usage.csv")
    for position, latest in enumerate((math.inf, math.inf, -math.inf, math.inf, math.inf, math.inf)):
        sampled.look(position, latest)
    sampled.close()
    with (tmp_path / "usage.csv").open() as file:
        rows = [(row["position"], float(row["cpu_s"])) for row in csv.DictReader(file)]
    # The third sample was late: windows 1 and 2 are missing.
    assert rows == [("0", 1.0), ("3", 4.0), ("4", 5.0)]
