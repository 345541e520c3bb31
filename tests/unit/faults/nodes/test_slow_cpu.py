"""Test the fault `slow-cpu`: what the hosts are asked, and what is said of it."""

from types import SimpleNamespace
from typing import Any

import pytest

from fivenines.base.errors import FiveninesError, UsageError
from fivenines.experiment.source import parse_experiment
from fivenines.faults.context import FaultContext
from fivenines.faults.nodes.slow_cpu import SlowCpu, SlowCpuSettings


class Limited:
    """A host whose CPU can be taken away."""

    def __init__(self, why: str = "") -> None:
        self.cpus: float | None = None
        self._why = why

    def take_cpu(self, cpus: float) -> None:
        if self._why:
            raise FiveninesError(self._why)
        self.cpus = cpus

    def give_cpu_back(self) -> tuple[int, int]:
        self.cpus = None
        return 50, 41


def _context(*hosts: Limited) -> FaultContext:
    nodes = [SimpleNamespace(name=f"node{number}") for number in range(1, len(hosts) + 1)]
    solution = SimpleNamespace(nodes=nodes, topology=SimpleNamespace(words=()))
    lab = SimpleNamespace(hosts={node.name: host for node, host in zip(nodes, hosts, strict=True)})
    deployed: Any = SimpleNamespace(solution=solution, lab=lab)
    return FaultContext(deployed)


def test_the_hosts_share_the_rest_of_a_core_each() -> None:
    hosts = Limited(), Limited()
    fault, here = SlowCpu(SlowCpuSettings(fault="slow-cpu", target="all", taken=0.95)), _context(*hosts)
    injection = fault.inject(here)
    assert injection.verified and injection.hosts == ("node1", "node2")
    assert [host.cpus for host in hosts] == [pytest.approx(0.05)] * 2
    assert injection.detail == "the processes of the host share 5% of a core"
    recovery = fault.recover(here, injection)
    assert recovery.verified and recovery.detail == "processes had to wait in 82 of 100 periods of 0.1 s"
    assert [host.cpus for host in hosts] == [None, None]


def test_without_permission_the_fault_is_not_injected() -> None:
    fault = SlowCpu(SlowCpuSettings(fault="slow-cpu", target="all"))
    with pytest.raises(FiveninesError, match="only root"):
        fault.inject(_context(Limited("only root")))


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("{fault: slow-cpu, taken: 100%}", "faults[0].taken"),
        ("{fault: slow-cpu, severity: {of: taken, at_least: 50%, at_most: 120%}}", "must be below 100%"),
    ],
)
def test_what_the_kernel_refuses_is_refused_before(fault: str, words: str) -> None:
    text = "name: x\ntrials: 8\nsolutions: [hot-standby]\nworkloads: [oltp_read_only]\nconnections: [1]\n"
    with pytest.raises(UsageError) as refused:
        parse_experiment(f"{text}faults: [{fault}]\ntiming: {{recovery: 30s}}\n", "x.yaml")
    assert words in " ".join(str(refused.value).split())
