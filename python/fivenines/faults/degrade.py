"""Fault `degrade`: a host's link grows slow, thin or lossy for a while; nothing is cut."""

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from fivenines.faults import targets
from fivenines.faults.base import Fault, Mended, Strike, now
from fivenines.faults.settings import NodeFaultSettings
from fivenines.lab.settings import LinkSettings
from fivenines.units import Duration, Rate

if TYPE_CHECKING:
    from fivenines.faults.scene import Scene


class DegradeSettings(NodeFaultSettings):
    """All frames of a host pass a link emulator for a while, both ways."""

    fault: Literal["degrade"] = Field(description="latency, loss or little bandwidth for a while")
    target: targets.HostTarget = "primary"
    latency: Duration = Field(0.0, description="added to each round trip, half of it each way")
    jitter: Duration = Field(0.0, description="how much a frame's latency varies, each way")
    loss: Annotated[float, Field(ge=0, lt=1)] = Field(
        0.0, description="share of frames that are lost, from 0 to 1"
    )
    bandwidth: Rate | None = Field(None, description="of the link, as 1Mbit/s; null: not limited")
    duration: Duration | None = Field(
        5.0, description="time until the link is as before; null: it never is"
    )

    def problem(self) -> str | None:
        """What does not fit together."""
        if not self.link().changes:
            return "it degrades nothing: set latency, loss or bandwidth"
        return self.link().problem()

    def link(self) -> LinkSettings:
        """What the emulator is told."""
        return LinkSettings(
            rtt=self.latency, jitter=self.jitter, loss=self.loss, bandwidth=self.bandwidth
        )


class Degrade(Fault[DegradeSettings]):
    """Verified by the time that a frame takes where latency is added, else by the emulator's answer."""

    settings_type = DegradeSettings

    def strike(self, scene: "Scene") -> Strike:
        target = targets.resolve(self.settings.target, scene)
        moment = now()
        for host in target.hosts:
            scene.world.impair(host, self.settings.link())
        detail = f"{', '.join(target.hosts)}: {self._words()}"
        return Strike(target.hosts, target.role, moment, True, detail, target.servers)

    def mend(self, scene: "Scene", strike: Strike) -> Mended:
        moment = now()
        for host in strike.hosts:
            scene.world.restore(host)
        return Mended(True, "the link is as before", moment)

    def _words(self) -> str:
        shown = self.settings.model_dump(mode="json", exclude_defaults=True)
        keys = ("latency", "jitter", "loss", "bandwidth")
        return ", ".join(f"{key} {shown[key]}" for key in keys if key in shown)
