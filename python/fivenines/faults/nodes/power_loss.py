"""Fault `power-loss`: switch off virtual machines. All data that was not flushed to their disks is lost."""

from concurrent.futures import ThreadPoolExecutor
from typing import Literal

from pydantic import Field

from fivenines.base.errors import FiveninesError
from fivenines.base.units import Duration
from fivenines.faults import targets
from fivenines.faults.base import Fault, Injection, Recovery, now
from fivenines.faults.context import FaultContext
from fivenines.faults.settings import NodeFaultSettings
from fivenines.lab.vm.host import VirtualMachine
from fivenines.servers.base import Server
from fivenines.servers.cluster.topology import Topology


class PowerLossSettings(NodeFaultSettings):
    """Switch off virtual machines. Data that a server has written but not flushed to disk is lost."""

    fault: Literal["power-loss"] = Field(description="switch off virtual machines; unflushed data is lost")
    target: targets.NodeTarget = "primary"
    restart_after: Duration | None = Field(
        5.0, description="time until the machines boot and their servers start; null: never"
    )

    def problems_with(self, topology: Topology) -> list[str]:
        if topology.machines != "virtual-machines":
            return [
                "fault: power-loss: only virtual machines can lose power: set the solution's "
                "`machines: virtual-machines`, or use the fault `host-kill`, which keeps the page cache"
            ]
        return super().problems_with(topology)


class PowerLoss(Fault[PowerLossSettings]):
    """Verified when the kernels of the virtual machines have ended."""

    settings_type = PowerLossSettings
    stops_servers = True

    def inject(self, context: FaultContext) -> Injection:
        target = targets.resolve(self.settings.target, context)
        vms = _vms(context, target.hosts)
        if not vms:
            raise FiveninesError(f"the target {target.role} has no virtual machine")
        moment = now()
        with ThreadPoolExecutor(len(vms)) as pool:
            switched_off = list(pool.map(lambda vm: vm.power.off(), vms))
        ended = not any(vm.power.is_on for vm in vms)
        detail = f"switched off {len(vms)} virtual machines" if ended else "not all virtual machines ended"
        verified = ended and all(switched_off)
        return Injection(tuple(vm.name for vm in vms), target.role, moment, verified, detail, target.servers)

    def recover(self, context: FaultContext, injection: Injection) -> Recovery:
        moment = now()
        vms = _vms(context, injection.hosts)
        with ThreadPoolExecutor(len(vms)) as pool:
            list(pool.map(lambda vm: vm.power.on(), vms))
        for server in injection.servers:
            if isinstance(server, Server):
                context.access.start_on(server)
        return Recovery(True, f"{len(vms)} virtual machines have started", moment)


def _vms(context: FaultContext, names: tuple[str, ...]) -> list[VirtualMachine]:
    hosts = (context.lab.hosts[name] for name in names)
    return [host for host in hosts if isinstance(host, VirtualMachine)]
