"""Samples of the servers' processes, taken of real ones."""

import csv
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fivenines.lab.process import Process
from fivenines.observe.hosts import HostObserver, controller_seconds
from fivenines.observe.settings import ObserveSettings


@pytest.fixture
def busy() -> Iterator[Process]:
    """A shell as nsenter, below it one that spins."""
    popen = subprocess.Popen(["sh", "-c", "sh -c 'while :; do :; done'; exit"])
    process = Process(popen, None)
    yield process
    process.kill()
    popen.wait()


def _rows(file: Path) -> list[dict[str, Any]]:
    with file.open(newline="") as stream:
        return list(csv.DictReader(stream))


def _observer(nodes: list[Any], folder: Path) -> HostObserver:
    deployed: Any = SimpleNamespace(solution=SimpleNamespace(nodes=nodes))
    return HostObserver(deployed, folder, ObserveSettings(interval=0.1))


def test_cpu_and_memory_of_each_node_are_sampled(tmp_path: Path, busy: Process) -> None:
    nodes: Any = [
        SimpleNamespace(name="node1", process=busy), SimpleNamespace(name="node2", process=None),
    ]  # fmt: skip
    observer = _observer(nodes, tmp_path)
    observer.start(time.monotonic_ns() - 10**9)
    time.sleep(0.45)
    observer.stop()
    rows = _rows(tmp_path / "hosts.csv")
    assert [row["host"] for row in rows] == ["node1", "node2"] * (len(rows) // 2)
    assert len(rows) >= 4
    spinning = [row for row in rows if row["host"] == "node1"]
    # the first sample has nothing to compare with
    assert float(spinning[0]["cpu_cores"]) == 0.0
    assert 0.05 < max(float(row["cpu_cores"]) for row in spinning) < 1.6
    assert all(10_000 < int(row["memory_bytes"]) < 50_000_000 for row in spinning[1:])
    assert {(row["cpu_cores"], row["memory_bytes"]) for row in rows if row["host"] == "node2"} == {
        ("0.0", "0")
    }
    moments = [float(row["t_ms"]) for row in rows]
    assert moments == sorted(moments)
    assert 1000.0 <= moments[0] < 3000.0


def test_a_server_that_began_again_never_has_negative_cpu(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[float] = []

    def usage(node: Any) -> tuple[float, int]:
        seen.append(5.0 if not seen else 0.5)
        return seen[-1], 1

    monkeypatch.setattr("fivenines.observe.hosts._usage", usage)
    node: Any = SimpleNamespace(name="node1", process=None)
    observer = _observer([node], tmp_path)
    observer.start(time.monotonic_ns())
    deadline = time.monotonic() + 5.0
    while len(seen) < 4 and time.monotonic() < deadline:
        time.sleep(0.01)
    observer.stop()
    assert len(seen) >= 4
    assert {row["cpu_cores"] for row in _rows(tmp_path / "hosts.csv")} == {"0.0"}


def test_the_controllers_own_cost_grows_with_its_work() -> None:
    before = controller_seconds()
    deadline = time.process_time() + 0.05
    while time.process_time() < deadline:
        pass
    assert controller_seconds() - before >= 0.04
