"""The lab's network: one bridge, a veth pair for each host, addresses 10.99.0.0/24.

Everything is done by `ip` and `tc` inside the world's network namespaces; the machine's own network is
never touched.
"""

import subprocess

from fivenines.errors import FiveninesError

PREFIX = "10.99.0"
BRIDGE = "br0"


def address(index: int) -> str:
    """The IPv4 address of the host with this index, counted from 1."""
    return f"{PREFIX}.{10 + index}"


def into(pid: int) -> list[str]:
    """The command prefix that enters the network namespace of a first process."""
    return ["nsenter", f"--target={pid}", "--user", "--net", "--preserve-credentials", "--"]


def create_bridge(world: int) -> None:
    """The bridge that all hosts of a world are plugged into."""
    _batch(
        world,
        "link set lo up",
        f"link add {BRIDGE} type bridge forward_delay 0",
        f"addr add {PREFIX}.1/24 dev {BRIDGE}",
        f"link set {BRIDGE} up",
    )


def plug_in(world: int, host: int, name: str, ip_address: str, bandwidth: int | None) -> None:
    """Join a host (PID of its first process) to the bridge; `bandwidth` in bits per second, both ways."""
    _batch(
        world,
        f"link add v-{name} type veth peer name eth0 netns {host}",
        f"link set v-{name} master {BRIDGE} up",
    )
    _batch(host, "link set lo up", f"addr add {ip_address}/24 dev eth0", "link set eth0 up")
    if bandwidth is not None:
        _shape(host, "eth0", bandwidth)
        _shape(world, f"v-{name}", bandwidth)


def _shape(pid: int, device: str, bandwidth: int) -> None:
    # a token bucket: its burst must hold what arrives in one timer tick (4 ms), and one large packet
    burst = max(bandwidth // 8 // 250, 64 * 1024)
    limit = ["rate", f"{bandwidth}bit", "burst", str(burst), "latency", "200ms"]
    _run([*into(pid), "tc", "qdisc", "add", "dev", device, "root", "tbf", *limit])


def _batch(pid: int, *commands: str) -> None:
    _run([*into(pid), "ip", "-batch", "-"], "\n".join(commands) + "\n")


def _run(command: list[str], text: str = "") -> None:
    result = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise FiveninesError(
            f"the lab's network could not be set up: {result.stderr.strip()}\n"
            "`fivenines doctor` says what this machine lacks"
        )
