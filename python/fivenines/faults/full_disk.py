"""Fault `full-disk`: no file of the server can grow any more; what is there can be overwritten."""

from typing import Literal

from pydantic import Field

from fivenines.faults import targets
from fivenines.faults.base import Fault, Injection, Recovery, now
from fivenines.faults.context import FaultContext
from fivenines.faults.disk import disks
from fivenines.faults.settings import DiskCalls, NodeFaultSettings
from fivenines.units import Duration


class FullDiskSettings(NodeFaultSettings):
    """A node's server gets ENOSPC for what would make a file longer, until somebody makes room."""

    fault: Literal["full-disk"] = Field(description="no room is left on a node's disk")
    target: targets.NodeTarget = "primary"
    duration: Duration | None = Field(5.0, description="time until there is room again; null: there never is")

    def disk_calls(self) -> frozenset[DiskCalls]:
        return frozenset(("write",))


class FullDisk(Fault[FullDiskSettings]):
    """Verified by the first write that was refused: the server may need none for a while."""

    settings_type = FullDiskSettings

    def inject(self, context: FaultContext) -> Injection:
        target = targets.resolve(self.settings.target, context)
        hit = disks(target.servers)
        before = sum(disk.counts()[1] for disk in hit)
        moment = now()
        for disk in hit:
            disk.full()
        patience = min(5.0, self.settings.duration or 5.0)
        seen = context.settles(lambda: sum(disk.counts()[1] for disk in hit) > before, patience)
        detail = "no file can grow (ENOSPC)" + ("" if seen else ", but no write was refused yet")
        return Injection(target.hosts, target.role, moment, seen, detail, target.servers, before)

    def recover(self, context: FaultContext, injection: Injection) -> Recovery:
        hit = disks(injection.servers)
        moment = now()
        refused = sum(disk.counts()[1] for disk in hit)
        for disk in hit:
            disk.normal()
        counted = all(disk.counts_refusals for disk in hit)
        told = f"{max(0, refused - injection.held)} writes were refused"
        return Recovery(True, told if counted else "there is room again", moment)
