"""Fault `slow-disk`: delay every flush to disk, as on a failing or shared disk."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from fivenines.base.units import Duration, format_duration
from fivenines.faults import targets
from fivenines.faults.base import Fault, Injection, Recovery, now
from fivenines.faults.context import FaultContext
from fivenines.faults.disks.disk import disks
from fivenines.faults.settings import DiskCalls, NodeFaultSettings
from fivenines.faults.severity import Unit


class SlowDiskSettings(NodeFaultSettings):
    """Delay fsync and fdatasync of a node's server."""

    fault: Literal["slow-disk"] = Field(description="delay every flush to disk")
    target: targets.NodeTarget = "primary"
    delay: Annotated[Duration, Field(gt=0)] = Field(0.1, description="time added to each flush")
    duration: Duration | None = Field(
        5.0, description="time until the disk has its normal speed again; null: it stays slow"
    )

    severities: ClassVar[Mapping[str, Unit]] = {"delay": "time"}

    def disk_calls(self) -> frozenset[DiskCalls]:
        return frozenset(("sync",))


class SlowDisk(Fault[SlowDiskSettings]):
    """Verified by delayed flushes; after the end no flush may be delayed."""

    settings_type = SlowDiskSettings

    def inject(self, context: FaultContext) -> Injection:
        target = targets.resolve(self.settings.target, context)
        slowed = disks(target.servers)
        before = sum(disk.counts()[0] for disk in slowed)
        moment = now()
        for disk in slowed:
            disk.slow(self.settings.delay)
        verified = context.settles(lambda: sum(disk.counts()[0] for disk in slowed) > before, 5.0)
        detail = f"each flush takes {format_duration(self.settings.delay)} longer"
        detail += "" if verified else ", but no flush was seen"
        return Injection(target.hosts, target.role, moment, verified, detail, target.servers, before)

    def recover(self, context: FaultContext, injection: Injection) -> Recovery:
        slowed = disks(injection.servers)
        moment = now()
        for disk in slowed:
            disk.normal()
        delayed = sum(disk.counts()[0] for disk in slowed)
        return Recovery(True, f"{max(0, delayed - injection.state)} flushes were delayed", moment)
