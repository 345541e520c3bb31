"""Fault `full-disk`: no file of the server can grow; existing blocks can be overwritten."""

from typing import Literal

from pydantic import Field

from fivenines.base.units import Duration
from fivenines.faults import targets
from fivenines.faults.base import Fault, Injection, Recovery, now
from fivenines.faults.context import FaultContext
from fivenines.faults.disks.disk import disks
from fivenines.faults.settings import DiskCalls, NodeFaultSettings


class FullDiskSettings(NodeFaultSettings):
    """Return ENOSPC for every write that would extend a file of a node's server, until space is available."""

    fault: Literal["full-disk"] = Field(description="fill a node's disk: writes that extend a file fail")
    target: targets.NodeTarget = "primary"
    duration: Duration | None = Field(
        5.0, description="time until space is available again; null: the disk stays full"
    )

    def disk_calls(self) -> frozenset[DiskCalls]:
        return frozenset(("write",))


class FullDisk(Fault[FullDiskSettings]):
    """Verified by the first refused write. The server may not extend a file for a while."""

    settings_type = FullDiskSettings

    def inject(self, context: FaultContext) -> Injection:
        target = targets.resolve(self.settings.target, context)
        filled = disks(target.servers)
        before = sum(disk.counts()[1] for disk in filled)
        moment = now()
        for disk in filled:
            disk.full()
        patience = min(5.0, self.settings.duration or 5.0)
        verified = context.settles(lambda: sum(disk.counts()[1] for disk in filled) > before, patience)
        detail = "no file can grow (ENOSPC)" + ("" if verified else ", but no write was refused yet")
        return Injection(target.hosts, target.role, moment, verified, detail, target.servers, before)

    def recover(self, context: FaultContext, injection: Injection) -> Recovery:
        filled = disks(injection.servers)
        moment = now()
        refused = sum(disk.counts()[1] for disk in filled)
        for disk in filled:
            disk.normal()
        counted = all(disk.counts_refusals for disk in filled)
        detail = f"{max(0, refused - injection.state)} writes were refused"
        return Recovery(True, detail if counted else "space is available again", moment)
