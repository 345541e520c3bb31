"""Calibration of the lab's link emulator: links of 0.5, 10 and 100 ms, and of 10 and 100 Mbit/s."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from fivenines.base.errors import FiveninesError
from fivenines.base.waiting import wait_until
from fivenines.campaign.calibration import link_probe
from fivenines.campaign.calibration.base import CalibrationContext, Calibrator
from fivenines.campaign.calibration.judging import judge_bandwidth, judge_round_trip
from fivenines.lab.host import Host, Root
from fivenines.lab.namespaces.lab import NamespaceLab
from fivenines.lab.settings import LinkSettings, NetworkSettings
from fivenines.results.calibration import Line

# Seconds.
ROUND_TRIPS = (0.0005, 0.01, 0.1)

# bit/s.
BANDWIDTHS = (10_000_000, 100_000_000)

_SEGMENT = 1500 - 20 - 32
# Bytes of payload in a full TCP segment with time stamps, and of its whole frame, which a link counts.
_FRAME = 1514

_PATIENCE = 60.0
_EAST, _WEST = "east", "west"


class Links(Calibrator):
    """Plants latencies and bandwidths."""

    name = "links"
    title = "Links between sites"
    order = 4
    seconds = (16.0, 9.0)

    def measure(self, context: CalibrationContext) -> list[Line]:
        sites = NetworkSettings(sites={_EAST: ["node1"], _WEST: ["node2"]}, link=LinkSettings())
        seconds = 1.0 if context.short else 2.0
        lines = []
        with NamespaceLab(context.folder / "lab", sites) as lab:
            server, client = (lab.add_host(name, Root()) for name in ("node1", "node2"))
            _serve(server)
            for rtt in ROUND_TRIPS:
                context.tell(f"round trip of {rtt * 1000:g} ms")
                lab.network.impair((_EAST, _WEST), LinkSettings(rtt=rtt))
                result = _ask(client, server, "trips", seconds)
                lines.append(judge_round_trip(rtt * 1000, result["trips_ms"]))
            for bandwidth in BANDWIDTHS:
                context.tell(f"bandwidth of {bandwidth / 1e6:g} Mbit/s")
                lab.network.impair((_EAST, _WEST), LinkSettings(bandwidth=bandwidth))
                result = _ask(client, server, "flow", 2 * seconds)
                frames = 8 * result["bytes"] / result["seconds"] * _FRAME / _SEGMENT
                lines.append(judge_bandwidth(bandwidth, frames))
            lab.require_sound()
        return lines


def _program(*arguments: str) -> list[str]:
    return [sys.executable, "-I", "-S", str(Path(link_probe.__file__)), *arguments]


def _serve(host: Host) -> None:
    started = host.commands.spawn_outside(_program("serve", host.address), log="probe.out")
    wait_until(
        lambda: "" if "ready" in started.log_tail() else "it does not listen",
        15.0,
        "the probe at the far end of the link did not start",
    )


def _ask(client: Host, server: Host, what: str, seconds: float) -> dict[str, Any]:
    command = client.commands.outside(_program("ask", server.address, what, f"{seconds:g}"))
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_PATIENCE, check=False, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired as error:
        raise FiveninesError(f"nothing came through the link within {_PATIENCE:.0f} s") from error
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no reason was given"])[-1]
        raise FiveninesError(f"nothing came through the link: {last}")
    loads: dict[str, Any] = json.loads(done.stdout)
    return loads
