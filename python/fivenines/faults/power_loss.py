"""Fault `power-loss`: virtual machines lose their power, and with it all that was not yet on their disks."""

from concurrent.futures import ThreadPoolExecutor
from typing import Literal

from pydantic import Field

from fivenines.cluster.topology import Topology
from fivenines.errors import FiveninesError
from fivenines.faults import targets
from fivenines.faults.base import Fault, Injection, Recovery, now
from fivenines.faults.context import FaultContext
from fivenines.faults.settings import NodeFaultSettings
from fivenines.lab.vm import VirtualMachine
from fivenines.servers.base import Server
from fivenines.units import Duration


class PowerLossSettings(NodeFaultSettings):
    """The kernels of nodes end at once: what a server has written, and nobody flushed to disk, is lost."""

    fault: Literal["power-loss"] = Field(description="virtual machines lose power, and what is not on disk")
    target: targets.NodeTarget = "primary"
    restart_after: Duration | None = Field(
        5.0, description="time until they have power again and their servers are started; null: never"
    )

    def problems_with(self, topology: Topology) -> list[str]:
        if topology.machines != "virtual-machines":
            return [
                "fault: power-loss: only virtual machines can lose their power: give the solution "
                "`machines: virtual-machines`, or use the fault host-kill"
            ]
        return super().problems_with(topology)


class PowerLoss(Fault[PowerLossSettings]):
    """Verified by the ends of the kernels."""

    settings_type = PowerLossSettings
    downs = True

    def inject(self, context: FaultContext) -> Injection:
        target = targets.resolve(self.settings.target, context)
        vms = _vms(context, target.hosts)
        if not vms:
            raise FiveninesError(f"no virtual machine is at {target.role}")
        moment = now()
        with ThreadPoolExecutor(len(vms)) as pool:
            hit = list(pool.map(lambda vm: vm.power_off(), vms))
        gone = not any(vm.powered for vm in vms)
        detail = f"the kernels of {len(vms)} virtual machines ended" if gone else "not all ended"
        return Injection(
            tuple(vm.name for vm in vms), target.role, moment, gone and all(hit), detail, target.servers
        )

    def recover(self, context: FaultContext, injection: Injection) -> Recovery:
        moment = now()
        vms = _vms(context, injection.hosts)
        with ThreadPoolExecutor(len(vms)) as pool:
            list(pool.map(lambda vm: vm.power_on(), vms))
        for server in injection.servers:
            if isinstance(server, Server):
                context.access.start_on(server)
        return Recovery(True, f"{len(vms)} virtual machines have started", moment)


def _vms(context: FaultContext, names: tuple[str, ...]) -> list[VirtualMachine]:
    hosts = (context.lab.hosts[name] for name in names)
    return [host for host in hosts if isinstance(host, VirtualMachine)]
