"""The lab's network: a bridge for each site, a veth pair for each host, addresses 10.99.0.0/24.

Everything is done by `ip` and `tc` inside the lab's network namespaces; the machine's own network is
never touched.
"""

import subprocess
from pathlib import Path

from fivenines.errors import FiveninesError
from fivenines.lab.enter import enter

PREFIX = "10.99.0"

DEVICE = "eth0"
"""A host's network card."""

VIRTUAL = f"{PREFIX}.250"
"""An address that no host has of its own: a failover manager moves it."""

_IPV6 = Path("/proc/sys/net/ipv6")
"""Is there where the kernel has IPv6."""


def address(index: int) -> str:
    """The IPv4 address of the host with this index, counted from 1."""
    return f"{PREFIX}.{10 + index}"


def mac(index: int) -> str:
    """The MAC address of the host with this index: of the range that belongs to nobody."""
    return f"02:99:00:00:{index >> 8:02x}:{index & 255:02x}"


def bridge(site: int) -> str:
    """The bridge of the site with this index, counted from 0."""
    return f"br{site}"


def port(host: str) -> str:
    """The lab's end of a host's veth pair."""
    return f"v-{host}"


def into(pid: int) -> list[str]:
    """The command prefix that enters the network namespace of a first process."""
    return enter(pid, "user", "net")


def create_bridges(lab: int, sites: int) -> None:
    """The bridges that the hosts of a lab are plugged into, one for each site."""
    commands = ["link set lo up"]
    for site in range(sites):
        commands.append(f"link add {bridge(site)} type bridge forward_delay 0")
        if site == 0:
            commands.append(f"addr add {PREFIX}.1/24 dev {bridge(site)}")
        commands.append(f"link set {bridge(site)} up")
    batch(lab, *commands)


def plug_in(lab: int, host: int, name: str, index: int, site: int, bandwidth: int | None) -> None:
    """Join a host (PID of its first process) to its site's bridge; `bandwidth` in bits per second, both ways.

    `index` is the host's, of its addresses.
    """
    end = port(name)
    batch(
        lab,
        f"link add {end} type veth peer name eth0 address {mac(index)} netns {host}",
        f"link set {end} master {bridge(site)} up",
    )
    batch(host, "link set lo up", f"addr add {address(index)}/24 dev eth0", "link set eth0 up")
    if bandwidth is not None:
        shape(lab, host, name, bandwidth)


def shape(lab: int, host: int, name: str, bandwidth: int | None) -> None:
    """Let a host send and receive so many bits per second; None: as many as it can, after it was shaped."""
    for pid, device in ((host, "eth0"), (lab, port(name))):
        if bandwidth is not None:
            _shape(pid, device, bandwidth)
        else:
            _run([*into(pid), "tc", "qdisc", "del", "dev", device, "root"])


def extra_address(index: int) -> str:
    """The further address with this index, counted from 0, that some host has beside its own."""
    return f"{PREFIX}.{249 - index}"


def give_address(host: int, extra: str) -> None:
    """Let a host (PID of its first process) answer at one more address."""
    batch(host, f"addr add {extra}/24 dev eth0")


def keep_only(host: int, own: str) -> None:
    """Take from a host every address but its own, as a loss of power does."""
    listed = subprocess.run(
        [*into(host), "ip", "-4", "-o", "addr", "show", "dev", "eth0"],
        capture_output=True,
        text=True,
        check=False,
    )
    extra = [line.split()[3] for line in listed.stdout.splitlines() if line.split()[3] != f"{own}/24"]
    if extra:
        batch(host, *(f"addr del {one} dev eth0" for one in extra))


def add_trunk(lab: int, site: int) -> str:
    """Give a site's bridge a port whose other end is free, for a link emulator; that end's name."""
    inner, outer = trunk(site)
    return _pair(lab, inner, outer, bridge(site))


def trunk(site: int) -> tuple[str, str]:
    """The ends of a site's trunk: in the bridge, and outside it."""
    return f"s{site}", f"w{site}"


def detach(lab: int, host: str, site: int) -> str:
    """Take a host out of its bridge, which gets a port with a free end instead; that end's name."""
    outer = _pair(lab, f"i-{host}", f"x-{host}", bridge(site))
    batch(lab, f"link set {port(host)} nomaster")
    return outer


def reattach(lab: int, host: str, site: int) -> None:
    """Undo `detach`."""
    batch(lab, f"link del i-{host}", f"link set {port(host)} master {bridge(site)}")


def allow_large_frames(pid: int, device: str, allowed: bool) -> None:
    """Whether a device may be given frames that are still to be cut into segments."""
    batch(pid, f"link set dev {device} gso_max_segs {65535 if allowed else 1}")


def _pair(lab: int, inner: str, outer: str, into_bridge: str) -> str:
    # no address of IPv6 of its own, or it would speak where only hosts do
    quiet = [f"link set dev {end} addrgenmode none" for end in (inner, outer) if _IPV6.exists()]
    batch(
        lab,
        f"link add {inner} type veth peer name {outer}",
        *quiet,
        f"link set {outer} up",
        f"link set {inner} master {into_bridge} up",
    )
    return outer


def batch(pid: int, *commands: str) -> None:
    """Run commands of `ip` in the network of a first process."""
    _run([*into(pid), "ip", "-batch", "-"], "\n".join(commands) + "\n")


def _shape(pid: int, device: str, bandwidth: int) -> None:
    # a token bucket: its burst must hold what arrives in one timer tick (4 ms), and one large packet
    burst = max(bandwidth // 8 // 250, 64 * 1024)
    limit = ["rate", f"{bandwidth}bit", "burst", str(burst), "latency", "200ms"]
    _run([*into(pid), "tc", "qdisc", "add", "dev", device, "root", "tbf", *limit])


def _run(command: list[str], text: str = "") -> None:
    result = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise FiveninesError(
            f"the lab's network could not be set up: {result.stderr.strip()}\n"
            "`fivenines doctor` says what this machine lacks"
        )
