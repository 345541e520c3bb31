#!/usr/bin/env python3
"""Compare the link emulator's settings with what ping and iperf3 measure.

Two sites have a host each. Nothing is asserted: settings and measurements are printed together, with the
targets. Requires ping and iperf3 (Debian: iputils-ping, iperf3).

    python3 tests/bench/wan.py [rtt] [bandwidth] [loss] [idle]
"""

import json
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from fivenines.base.units import format_rate
from fivenines.lab.host import Host, Root
from fivenines.lab.lab import Lab
from fivenines.lab.namespaces.lab import NamespaceLab
from fivenines.lab.settings import LinkSettings, NetworkSettings

ROUND_TRIPS_MS = (0, 1, 10, 100, 500, 2000)
BANDWIDTHS = (57_000, 1_000_000, 100_000_000, 1_000_000_000, None)
SECONDS = 8
# The share of a stream's payload in each full frame: without Ethernet's 14, IP's 20 and TCP's 32 bytes.
TCP_SHARE = 1448 / 1514


def main() -> None:
    """Run all parts, or the named ones."""
    parts: dict[str, Callable[[Lab], None]] = {
        "rtt": round_trips,
        "bandwidth": bandwidths,
        "loss": losses,
        "idle": idle,
    }
    for program in ("ping", "iperf3"):
        if not shutil.which(program):
            sys.exit(f"{program} is not installed: apt-get install iputils-ping iperf3")
    for name in sys.argv[1:] or parts:
        with _two_sites() as lab:
            parts[name](lab)


@contextmanager
def _two_sites() -> Iterator[Lab]:
    with (
        tempfile.TemporaryDirectory() as folder,
        NamespaceLab(Path(folder) / "lab", NetworkSettings(sites=["a", "b"])) as lab,
    ):
        lab.add_host("node1", Root())
        lab.add_host("node2", Root())
        yield lab


def round_trips(lab: Lab) -> None:
    """Print the median of many pings."""
    print(f"{'set ms':>8} {'median ms':>10} {'p95 ms':>8} {'off by':>8}   mark: 0.3 ms or 1 %")
    for ms in ROUND_TRIPS_MS:
        lab.network.impair(("a", "b"), LinkSettings(rtt=ms / 1000))
        seen = _pings(lab, count=20 if ms >= 500 else 100)[1:]
        median = statistics.median(seen)
        p95 = statistics.quantiles(seen, n=20)[-1]
        print(f"{ms:8} {median:10.3f} {p95:8.3f} {median - ms:8.3f}")


def bandwidths(lab: Lab) -> None:
    """Print one TCP stream's share of the link's bandwidth, and the emulator's CPU."""
    print(f"{'set':>12} {'ceiling':>12} {'seen':>12} {'ratio':>6} {'cores':>6}  mark: 0.95")
    for rate in BANDWIDTHS:
        lab.network.impair(("a", "b"), LinkSettings(bandwidth=rate))
        seconds = 3 * SECONDS if rate and rate < 100_000 else SECONDS
        before, began = _cpu(), time.monotonic()
        seen = _iperf(lab, seconds)
        cores = (_cpu() - before) / (time.monotonic() - began)
        if rate is None:
            print(f"{'no limit':>12} {'':>12} {seen / 1e6:8.0f}M {'':>8} {cores:6.2f}  mark: 2000M")
            continue
        ceiling = rate * TCP_SHARE
        print(
            f"{format_rate(rate):>12} {ceiling / 1e6:11.3f}M {seen / 1e6:11.3f}M "
            f"{seen / ceiling:6.3f} {cores:6.2f}"
        )
    print("dropped:", {f"{a} to {b}": one.dropped_queue for (a, b), one in lab.network.traffic().items()})


def losses(lab: Lab) -> None:
    """Print the share of pings that return over a link that loses frames in both directions."""
    print(f"{'loss':>6} {'back, expected':>15} {'seen':>6}")
    for loss in (0.0, 0.01, 0.1, 0.5):
        lab.network.impair(("a", "b"), LinkSettings(loss=loss))
        count = 1000
        print(f"{loss:6} {(1 - loss) ** 2:15.3f} {len(_pings(lab, count)) / count:6.3f}")


def idle(_lab: Lab) -> None:
    """Print the emulator's CPU on an idle link."""
    before = _cpu()
    time.sleep(5)
    print(f"idle: {(_cpu() - before) / 5:.4f} cores")


def _pings(lab: Lab, count: int) -> list[float]:
    """Return the round trips of answered pings, in ms."""
    output = _outside(lab, "node1", ["ping", "-i", "0.02", "-c", str(count), "-W", "3", _target(lab)])
    return [float(time) for time in re.findall(r"time=([\d.]+) ms", output)]


def _iperf(lab: Lab, seconds: int) -> float:
    """Return the receiver's bits per second in the second half of the time."""
    serve = ["iperf3", "-s", "-1"]
    with subprocess.Popen(lab.hosts["node2"].commands.outside(serve), stdout=subprocess.DEVNULL) as server:
        time.sleep(0.5)
        # The first half covers the stream's start.
        report = _outside(
            lab, "node1", ["iperf3", "-c", _target(lab), "-t", str(seconds), "-O", str(seconds // 2), "-J"]
        )
        server.wait(60)
    return float(json.loads(report)["end"]["sum_received"]["bits_per_second"])


def _target(lab: Lab) -> str:
    host: Host = lab.hosts["node2"]
    return host.address


def _outside(lab: Lab, host: str, command: list[str]) -> str:
    done = subprocess.run(
        lab.hosts[host].commands.outside(command), capture_output=True, text=True, timeout=300, check=False
    )
    return done.stdout


def _cpu() -> float:
    """Return CPU seconds of all emulators of this program."""
    used = 0.0
    for process in psutil.Process().children(recursive=True):
        if "wan" in process.cmdline()[:2]:
            times = process.cpu_times()
            used += times.user + times.system
    return used


if __name__ == "__main__":
    main()
