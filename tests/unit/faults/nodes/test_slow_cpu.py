"""Test the fault `slow-cpu`: limits of hosts, and how it is verified."""

from types import SimpleNamespace
from typing import Any

import pytest

from fivenines.base.errors import FiveninesError, UsageError
from fivenines.experiment.source import parse_experiment
from fivenines.faults.context import FaultContext
from fivenines.faults.nodes import slow_cpu
from fivenines.faults.nodes.slow_cpu import SlowCpu, SlowCpuSettings


class Limited:
    """A host that has counted 30 periods before, and counts 10 with each reading."""

    def __init__(self, why: str = "", waits: bool = True) -> None:
        self.cpus: float | None = None
        self._why, self._waits = why, waits
        self._wanted = self._waited = 30

    def take_cpu(self, cpus: float) -> None:
        if self._why:
            raise FiveninesError(self._why)
        self.cpus = cpus

    def give_cpu_back(self) -> None:
        self.cpus = None

    def cpu_periods(self) -> tuple[int, int]:
        self._wanted += 10
        self._waited += 8 if self._waits else 0
        return self._wanted, self._waited


def _context(*hosts: Limited) -> FaultContext:
    nodes = [SimpleNamespace(name=f"node{number}") for number in range(1, len(hosts) + 1)]
    solution = SimpleNamespace(nodes=nodes, topology=SimpleNamespace(words=()))
    lab = SimpleNamespace(hosts={node.name: host for node, host in zip(nodes, hosts, strict=True)})
    deployed: Any = SimpleNamespace(solution=solution, lab=lab)
    return FaultContext(deployed)


def test_the_hosts_share_the_rest_of_a_core_each() -> None:
    hosts = Limited(), Limited()
    fault, here = SlowCpu(SlowCpuSettings(fault="slow-cpu", target="all", taken=0.985)), _context(*hosts)
    injection = fault.inject(here)
    assert injection.verified and injection.hosts == ("node1", "node2")
    assert [host.cpus for host in hosts] == [pytest.approx(0.015)] * 2
    assert injection.detail == "the processes of the host share 1.5 % of a core"
    recovery = fault.recover(here, injection)
    # Each host was read once before, once to verify, and once at the end.
    assert recovery.verified and recovery.detail == "processes had to wait in 32 of 40 periods of 0.1 s"
    assert [host.cpus for host in hosts] == [None, None]


def test_a_fault_for_which_nothing_had_to_wait_is_not_verified(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slow_cpu, "_PATIENCE", 0.1)
    fault, here = SlowCpu(SlowCpuSettings(fault="slow-cpu", target="all")), _context(Limited(waits=False))
    injection = fault.inject(here)
    assert not injection.verified and injection.detail.endswith(", and none had to wait")


def test_a_target_without_a_server_is_refused() -> None:
    with pytest.raises(FiveninesError, match="the target all has no server"):
        SlowCpu(SlowCpuSettings(fault="slow-cpu", target="all")).inject(_context())


def test_without_permission_the_fault_is_not_injected() -> None:
    fault = SlowCpu(SlowCpuSettings(fault="slow-cpu", target="all"))
    with pytest.raises(FiveninesError, match="only root"):
        fault.inject(_context(Limited("only root")))


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("{fault: slow-cpu, taken: 100%}", "faults[0].taken"),
        ("{fault: slow-cpu, severity: {of: taken, at_least: 50%, at_most: 120%}}", "must be below 100%"),
        ("{fault: slow-cpu, severity: {of: taken, at_least: 50%, at_most: 99.9%}}", "99.9% is not permitted"),
    ],
)
def test_what_the_kernel_refuses_is_refused_before(fault: str, words: str) -> None:
    text = "name: x\ntrials: 8\nsolutions: [hot-standby]\nworkloads: [oltp_read_only]\nconnections: [1]\n"
    with pytest.raises(UsageError) as refused:
        parse_experiment(f"{text}faults: [{fault}]\ntiming: {{recovery: 30s}}\n", "x.yaml")
    assert words in " ".join(str(refused.value).split())


@pytest.mark.parametrize(
    "fault",
    [
        "{fault: slow-cpu, taken: 50%}",
        "{fault: slow-cpu, severity: {of: taken, at_least: 50%, at_most: 99%}}",
    ],
)
def test_a_fault_that_leaves_more_than_the_limits_is_refused(fault: str) -> None:
    text = "name: x\ntrials: 8\nsolutions: [{solution: hot-standby, limits: {cpus: 0.5}}]\n"
    text += f"workloads: [oltp_read_only]\nconnections: [1]\nfaults: [{fault}]\ntiming: {{recovery: 30s}}\n"
    with pytest.raises(UsageError, match="would be left, and `limits` leave"):
        parse_experiment(text, "x.yaml")
