"""Fault `slow-disk`: every flush to disk takes longer, as on a disk that fails or is shared."""

from typing import Annotated, Literal

from pydantic import Field

from fivenines.faults import targets
from fivenines.faults.base import Fault, Injection, Recovery, now
from fivenines.faults.context import FaultContext
from fivenines.faults.disk import disks
from fivenines.faults.settings import DiskCalls, NodeFaultSettings
from fivenines.units import Duration, format_duration


class SlowDiskSettings(NodeFaultSettings):
    """fsync and fdatasync of a node's server take so much longer."""

    fault: Literal["slow-disk"] = Field(description="flushes to disk take longer")
    target: targets.NodeTarget = "primary"
    delay: Annotated[Duration, Field(gt=0)] = Field(0.1, description="added to each flush")
    duration: Duration | None = Field(5.0, description="time until the disk is as before; null: it never is")

    def disk_calls(self) -> frozenset[DiskCalls]:
        return frozenset(("sync",))


class SlowDisk(Fault[SlowDiskSettings]):
    """Verified by flushes that were delayed; none may be once it has ended."""

    settings_type = SlowDiskSettings

    def inject(self, context: FaultContext) -> Injection:
        target = targets.resolve(self.settings.target, context)
        hit = disks(target.servers)
        before = sum(disk.counts()[0] for disk in hit)
        moment = now()
        for disk in hit:
            disk.slow(self.settings.delay)
        seen = context.settles(lambda: sum(disk.counts()[0] for disk in hit) > before, 5.0)
        detail = f"each flush takes {format_duration(self.settings.delay)} longer"
        detail += "" if seen else ", but none was seen"
        return Injection(target.hosts, target.role, moment, seen, detail, target.servers, before)

    def recover(self, context: FaultContext, injection: Injection) -> Recovery:
        hit = disks(injection.servers)
        moment = now()
        for disk in hit:
            disk.normal()
        delayed = sum(disk.counts()[0] for disk in hit)
        return Recovery(True, f"{max(0, delayed - injection.held)} flushes were delayed", moment)
