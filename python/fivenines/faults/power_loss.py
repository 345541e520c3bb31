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
from fivenines.lab.guest import Guest
from fivenines.servers.base import Server
from fivenines.units import Duration


class PowerLossSettings(NodeFaultSettings):
    """The kernels of nodes end at once: what a server has written, and nobody flushed to disk, is lost."""

    fault: Literal["power-loss"] = Field(
        description="virtual machines lose power, and what is not on disk"
    )
    target: targets.NodeTarget = "primary"
    restart_after: Duration | None = Field(
        5.0,
        description="time until they have power again and their servers are started; null: never",
    )

    def problems_with(self, topology: Topology) -> list[str]:
        if topology.machines != "guests":
            return [
                "fault: power-loss: only virtual machines can lose their power: give the solution "
                "`machines: guests`, or use the fault crash"
            ]
        return super().problems_with(topology)


class PowerLoss(Fault[PowerLossSettings]):
    """Verified by the ends of the kernels."""

    settings_type = PowerLossSettings
    downs = True

    def inject(self, context: FaultContext) -> Injection:
        target = targets.resolve(self.settings.target, context)
        guests = _guests(context, target.hosts)
        if not guests:
            raise FiveninesError(f"no virtual machine is at {target.role}")
        moment = now()
        with ThreadPoolExecutor(len(guests)) as pool:
            hit = list(pool.map(lambda guest: guest.power_off(), guests))
        gone = not any(guest.powered for guest in guests)
        detail = f"the kernels of {len(guests)} virtual machines ended" if gone else "not all ended"
        return Injection(
            tuple(guest.name for guest in guests), target.role, moment, gone and all(hit), detail,
            target.servers,
        )  # fmt: skip

    def recover(self, context: FaultContext, injection: Injection) -> Recovery:
        moment = now()
        guests = _guests(context, injection.hosts)
        with ThreadPoolExecutor(len(guests)) as pool:
            list(pool.map(lambda guest: guest.power_on(), guests))
        for server in injection.servers:
            if isinstance(server, Server):
                context.access.start_on(server)
        return Recovery(True, f"{len(guests)} virtual machines have started", moment)


def _guests(context: FaultContext, names: tuple[str, ...]) -> list[Guest]:
    hosts = (context.world.hosts[name] for name in names)
    return [host for host in hosts if isinstance(host, Guest)]
