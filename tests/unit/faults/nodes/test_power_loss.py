"""Test the fault `power-loss`: its targets, its verification, and the restart of servers."""

from types import SimpleNamespace
from typing import Any

import pytest

from fivenines.base.errors import FiveninesError
from fivenines.faults import targets
from fivenines.faults.nodes import power_loss
from fivenines.faults.nodes.power_loss import PowerLoss, PowerLossSettings
from fivenines.lab.vm.host import VirtualMachine
from fivenines.lab.vm.power import VmPower
from fivenines.solutions.hot_standby.settings import HotStandbySettings
from fivenines.solutions.standalone import StandaloneSettings


class Power(VmPower):
    """The power of a virtual machine without a kernel."""

    def __init__(self, stays: bool) -> None:
        self._is_on, self._stays = True, stays

    @property
    def is_on(self) -> bool:
        return self._is_on

    def off(self) -> list[Any]:
        self._is_on = self._stays
        return ["a process"]

    def on(self) -> None:
        self._is_on = True


class Simulated(VirtualMachine):
    """A virtual machine of which only the power is simulated."""

    def __init__(self, name: str, stays: bool = False) -> None:
        self.name, self.power = name, Power(stays)


def _context(*vms: Any) -> Any:
    started: list[str] = []
    return SimpleNamespace(
        lab=SimpleNamespace(hosts={vm.name: vm for vm in vms}),
        access=SimpleNamespace(start_on=lambda server: started.append(server.name)),
        started=started,
    )


def _fault(monkeypatch: pytest.MonkeyPatch, target: targets.Target) -> PowerLoss:
    monkeypatch.setattr(power_loss.targets, "resolve", lambda _word, _context: target)
    return PowerLoss(PowerLossSettings(fault="power-loss", target="all"))


def test_switches_all_target_machines_off_and_on(monkeypatch: pytest.MonkeyPatch) -> None:
    vms = [Simulated("node1"), Simulated("node2")]
    fault = _fault(monkeypatch, targets.Target("all", ("node1", "node2", "client")))
    context = _context(*vms, SimpleNamespace(name="client"))
    injection = fault.inject(context)
    assert injection.hosts == ("node1", "node2") and injection.verified
    assert not any(vm.power.is_on for vm in vms)
    assert fault.recover(context, injection).verified
    assert all(vm.power.is_on for vm in vms)


def test_a_kernel_that_keeps_running_is_not_verified(monkeypatch: pytest.MonkeyPatch) -> None:
    fault = _fault(monkeypatch, targets.Target("primary", ("node1",)))
    injection = fault.inject(_context(Simulated("node1", stays=True)))
    assert not injection.verified and injection.detail == "not all virtual machines ended"


def test_refuses_hosts_that_are_not_virtual_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    fault = _fault(monkeypatch, targets.Target("site a", ("client",)))
    with pytest.raises(FiveninesError, match="site a has no virtual machine"):
        fault.inject(_context(SimpleNamespace(name="client")))


def test_the_plan_refuses_it_for_namespaces() -> None:
    settings = PowerLossSettings(fault="power-loss")
    (problem,) = settings.problems_with(StandaloneSettings(solution="standalone").topology())
    assert "`machines: virtual-machines`" in problem and "`host-kill`" in problem
    vms = HotStandbySettings(solution="hot-standby", machines="virtual-machines")
    assert settings.problems_with(vms.topology()) == []
