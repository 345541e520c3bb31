"""Samples of processes, taken of real ones; and totals that survive restarts."""

import csv
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_host import PlainHost

from fivenines.base.errors import FiveninesError
from fivenines.base.waiting import wait_until
from fivenines.experiment.sections.observe import ObserveSettings
from fivenines.trial.observers.hosts import HostObserver, controller_seconds
from fivenines.trial.observers.processes import Seen, Total, Used, memory, network

ISOLATED = ["unshare", "--user", "--map-root-user", "--pid", "--net", "--fork", "--mount-proc"]


class NotRunning(PlainHost):
    """A host that has ended."""

    @property
    def pid(self) -> int:
        raise FiveninesError("host gone is not running")


class Running(PlainHost):
    """A host with this first process."""

    def __init__(self, first: int) -> None:
        super().__init__()
        self._pid = first
        self.port: Any = SimpleNamespace(ear=lambda _lab: (first, "eth0"))

    @property
    def pid(self) -> int:
        return self._pid


@pytest.fixture
def busy() -> Iterator[int]:
    """The first process of a separate host: a shell with a child that spins and writes."""
    script = "sh -c 'while :; do :; done' & while :; do echo x; sleep 0.01; done > /dev/null"
    popen = subprocess.Popen([*ISOLATED, "sh", "-c", script], stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 5
    while not (children := _children(popen.pid)) and time.monotonic() < deadline:
        time.sleep(0.01)
    yield children[0]
    os.kill(children[0], 9)
    popen.wait()


def _children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _rows(file: Path) -> list[dict[str, Any]]:
    with file.open(newline="") as stream:
        return list(csv.DictReader(stream))


def test_all_processes_of_each_host_are_sampled(
    tmp_path: Path, busy: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    hosts = {"node1": Running(busy), "gone": NotRunning()}
    lab = SimpleNamespace(hosts=hosts, pid=busy, clocks=SimpleNamespace(differ=False))
    deployed: Any = SimpleNamespace(lab=lab)
    observer = HostObserver(deployed, tmp_path, ObserveSettings(interval=0.1))
    look = observer.look
    shares: list[float] = []

    def looked() -> dict[str, list[tuple[Any, ...]]]:
        found = look()
        shares.extend(float(row[cpu]) for row in found["hosts"])
        return found

    cpu = list(observer.columns_of("hosts")).index("cpu_cores")
    monkeypatch.setattr(observer, "look", looked)
    observer.start(time.monotonic_ns() - 10**9)
    # a busy machine may give the process nothing between two samples
    wait_until(lambda: "" if len(shares) > 3 and max(shares) > 0.05 else str(shares), 60.0, "no samples")
    observer.stop()
    rows = _rows(tmp_path / "hosts.csv")
    assert len(rows) >= 4
    assert {row["host"] for row in rows} == {"node1"}
    # the first sample has nothing to compare with
    assert float(rows[0]["cpu_cores"]) == 0.0
    assert max(float(row["cpu_cores"]) for row in rows) > 0.05
    assert all(100_000 < int(row["memory_bytes"]) < 50_000_000 for row in rows[1:])
    assert all(int(row["disk_written_bytes"]) >= 0 for row in rows)
    moments = [float(row["t_ms"]) for row in rows]
    assert moments == sorted(moments)
    assert 1000.0 <= moments[0] < 3000.0


def test_hosts_can_be_left_out(tmp_path: Path) -> None:
    deployed: Any = SimpleNamespace()
    assert not HostObserver(deployed, tmp_path, ObserveSettings(hosts=False)).wanted


def test_a_network_without_the_interface_has_no_bytes(busy: int) -> None:
    assert network(busy) is None
    assert network(2**22) is None


def test_shared_memory_counts_once() -> None:
    shares = [Seen(1, Used(), 10, 100), Seen(1, Used(), 20, 80)]
    assert memory(shares) == 130
    assert memory([]) == 0


def _seen(cpu: float, parent: int = 1) -> Seen:
    return Seen(parent, Used(cpu, round(cpu * 10), round(cpu * 100)))


def test_a_server_that_began_again_goes_on_counting() -> None:
    total = Total()
    assert total.update({(5, 1): _seen(7.0)}).cpu == 7.0
    assert total.update({}).cpu == 7.0
    assert total.update({(9, 2): _seen(0.5)}) == Used(7.5, 75, 750)


def test_a_child_that_ended_counts_in_its_parent_only() -> None:
    total = Total()
    total.update({(5, 1): _seen(1.0), (6, 1): _seen(2.0, parent=5)})
    # ended, but not yet waited for
    assert total.update({(5, 1): _seen(1.0)}).cpu == 3.0
    assert total.update({(5, 1): _seen(3.5)}).cpu == 3.5


def test_orphans_count_in_the_hosts_first_process() -> None:
    total = Total()
    first, server = (1, 0), (5, 1)
    total.update({first: _seen(0.0, parent=99), server: _seen(4.0, parent=98), (7, 3): _seen(1.0, parent=5)})
    # killed together; the first process has waited for the child
    assert total.update({first: _seen(1.0, parent=99)}).cpu == 5.0


@given(st.lists(st.dictionaries(st.integers(1, 4), st.floats(0, 100)), max_size=20))
def test_totals_never_shrink(looks: list[dict[int, float]]) -> None:
    total, before = Total(), Used()
    for look in looks:
        now = total.update({(pid, 0): _seen(cpu) for pid, cpu in look.items()})
        assert now.cpu >= before.cpu
        assert now.written >= before.written
        assert now.cpu >= max(look.values(), default=0.0)
        before = now


@given(st.lists(st.lists(st.floats(0, 10), min_size=1, max_size=4), min_size=1, max_size=6))
def test_restarts_add_up(lives: list[list[float]]) -> None:
    """Each life of a server is what it used from sample to sample; the total is that of all lives."""
    total, expected = Total(), 0.0
    for start, life in enumerate(lives):
        used = 0.0
        for step in life:
            used += step
            total.update({(5, start): _seen(used)})
        expected += used
    assert total.update({}).cpu == pytest.approx(expected)


def test_the_controllers_own_cost_grows_with_its_work() -> None:
    before = controller_seconds()
    deadline = time.process_time() + 0.05
    while time.process_time() < deadline:
        pass
    assert controller_seconds() - before >= 0.04
