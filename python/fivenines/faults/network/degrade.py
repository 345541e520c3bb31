"""Fault `degrade`: add latency or loss to a link, or limit its bandwidth; no link is cut."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar, Literal

from pydantic import Field

from fivenines.base.units import Duration, Fraction, Rate
from fivenines.faults import targets
from fivenines.faults.base import Fault, Injection, Recovery, now
from fivenines.faults.context import FaultContext
from fivenines.faults.network import roundtrip
from fivenines.faults.settings import NodeFaultSettings
from fivenines.faults.severity import Unit
from fivenines.lab.settings import LinkSettings


class DegradeSettings(NodeFaultSettings):
    """Pass all frames to and from a host through a link emulator for a while."""

    hits = "hosts"

    fault: Literal["degrade"] = Field(description="add latency or loss to a link, or limit its bandwidth")
    target: targets.HostTarget = "primary"
    latency: Duration = Field(0.0, description="added to each round trip, half of it each way")
    jitter: Duration = Field(0.0, description="variation of a frame's latency, each way")
    loss: Fraction = Field(0.0, lt=1, description="fraction of frames that are lost, below 1")
    bandwidth: Rate | None = Field(
        None, description="bandwidth of the link, such as 1Mbit/s; null: not limited"
    )
    duration: Duration | None = Field(
        5.0, description="time until the link is restored; null: it stays degraded"
    )

    severities: ClassVar[Mapping[str, Unit]] = {"latency": "time", "loss": "share"}

    def problems(self) -> list[str]:
        if self.severity is not None:
            return []
        if not self.link().changes:
            return ["it has no effect: set latency, loss or bandwidth"]
        return self.link().problems()

    def link(self) -> LinkSettings:
        """Return the settings of the link emulator."""
        return LinkSettings(rtt=self.latency, jitter=self.jitter, loss=self.loss, bandwidth=self.bandwidth)


class Degrade(Fault[DegradeSettings]):
    """Verified by round trips if latency is added, otherwise by the emulator's reply."""

    settings_type = DegradeSettings

    def inject(self, context: FaultContext) -> Injection:
        target = targets.resolve(self.settings.target, context)
        before = _round_trip(context, target.hosts[0])
        moment = now()
        for host in target.hosts:
            context.lab.network.impair(host, self.settings.link())
        detail = f"{', '.join(target.hosts)}: {self._words()}"
        after = _round_trip(context, target.hosts[0]) if self.settings.latency else None
        verified = after is None or after >= 900 * self.settings.latency
        if after is not None and before is not None:
            detail += f"; round trip {before:.1f} ms before, {after:.1f} ms now"
        return Injection(target.hosts, target.role, moment, verified, detail, target.servers, before)

    def recover(self, context: FaultContext, injection: Injection) -> Recovery:
        moment = now()
        for host in injection.hosts:
            context.lab.network.restore(host)
        after = _round_trip(context, injection.hosts[0])
        if after is None:
            return Recovery(False, "no answer after the link was restored", moment)
        restored = not self.settings.latency or after < 500 * self.settings.latency
        return Recovery(restored, f"round trip {after:.1f} ms", moment)

    def _words(self) -> str:
        shown = self.settings.model_dump(mode="json", exclude_defaults=True)
        keys = ("latency", "jitter", "loss", "bandwidth")
        return ", ".join(f"{key} {shown[key]}" for key in keys if key in shown)


def _round_trip(context: FaultContext, name: str) -> float | None:
    """Return the round trip in ms between a host and the client, or from the client to the first node."""
    hosts = context.lab.hosts
    client = context.client.name
    other = next(host for host in hosts if host != name) if name == client else client
    script = str(Path(roundtrip.__file__))
    command = hosts[other].commands.outside([sys.executable, "-I", "-S", script, hosts[name].address])
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60.0)
    return float(done.stdout) if done.stdout.strip() else None
