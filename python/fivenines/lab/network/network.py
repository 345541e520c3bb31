"""The lab's network: a bridge for each site, a veth pair for each host, addresses 10.99.0.0/24.

All changes are made with `ip` and `tc` inside the lab's network namespaces. The machine's own network is
never changed.
"""

import subprocess
from pathlib import Path

from fivenines.base.errors import FiveninesError
from fivenines.lab.processes.enter import enter

PREFIX = "10.99.0"

# Network device of a host.
DEVICE = "eth0"

# Virtual address that a failover manager moves between hosts.
VIRTUAL = f"{PREFIX}.250"

# Exists if the kernel supports IPv6.
_IPV6 = Path("/proc/sys/net/ipv6")


def address(index: int) -> str:
    """Return the IPv4 address of the host with this index, counted from 1."""
    return f"{PREFIX}.{10 + index}"


def mac(index: int) -> str:
    """Return the MAC address of the host with this index, from the locally administered range."""
    return f"02:99:00:00:{index >> 8:02x}:{index & 255:02x}"


def bridge(site: int) -> str:
    """Return the bridge of the site with this index, counted from 0."""
    return f"br{site}"


def port(host: str) -> str:
    """Return the lab's end of a host's veth pair."""
    return f"v-{host}"


def into(pid: int) -> list[str]:
    """Return the command prefix that enters the network namespace of a first process."""
    return enter(pid, "user", "net")


def create_bridges(lab: int, sites: int) -> None:
    """Create the bridges of a lab, one per site."""
    commands = ["link set lo up"]
    for site in range(sites):
        commands.append(f"link add {bridge(site)} type bridge forward_delay 0")
        if site == 0:
            commands.append(f"addr add {PREFIX}.1/24 dev {bridge(site)}")
        commands.append(f"link set {bridge(site)} up")
    batch(lab, *commands)


def plug_in(lab: int, host: int, name: str, index: int, site: int, bandwidth: int | None) -> None:
    """Connect a host (PID of its first process) to its site's bridge.

    `index` selects the host's addresses; `bandwidth` is in bits per second, for each direction.
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
    """Limit a host to `bandwidth` bits per second in each direction; None removes the limit."""
    for pid, device in ((host, "eth0"), (lab, port(name))):
        if bandwidth is not None:
            _shape(pid, device, bandwidth)
        else:
            _run([*into(pid), "tc", "qdisc", "del", "dev", device, "root"])


def extra_address(index: int) -> str:
    """Return the extra address with this index, counted from 0, for any host."""
    return f"{PREFIX}.{249 - index}"


def give_address(host: int, extra: str) -> None:
    """Add an address to a host (PID of its first process)."""
    batch(host, f"addr add {extra}/24 dev eth0")


def keep_only(host: int, own: str) -> None:
    """Remove all addresses of a host except its own, as a reboot does."""
    listed = subprocess.run(
        [*into(host), "ip", "-4", "-o", "addr", "show", "dev", "eth0"],
        capture_output=True,
        text=True,
        check=False,
    )
    extra = [line.split()[3] for line in listed.stdout.splitlines() if line.split()[3] != f"{own}/24"]
    if extra:
        batch(host, *(f"addr del {address} dev eth0" for address in extra))


def add_trunk(lab: int, site: int) -> str:
    """Add a port to a site's bridge for a link emulator; return the name of its free end."""
    inner, outer = trunk(site)
    return _pair(lab, inner, outer, bridge(site))


def trunk(site: int) -> tuple[str, str]:
    """Return the two ends of a site's trunk: in the bridge, and outside it."""
    return f"s{site}", f"w{site}"


def detach(lab: int, host: str, site: int) -> str:
    """Disconnect a host from its bridge and add a port instead; return the name of the port's free end."""
    outer = _pair(lab, f"i-{host}", f"x-{host}", bridge(site))
    batch(lab, f"link set {port(host)} nomaster")
    return outer


def reattach(lab: int, host: str, site: int) -> None:
    """Undo `detach`."""
    batch(lab, f"link del i-{host}", f"link set {port(host)} master {bridge(site)}")


def allow_large_frames(pid: int, device: str, allowed: bool) -> None:
    """Allow or forbid frames on a device that the kernel has not segmented yet."""
    batch(pid, f"link set dev {device} gso_max_segs {65535 if allowed else 1}")


def _pair(lab: int, inner: str, outer: str, into_bridge: str) -> str:
    # Without an IPv6 address: otherwise the port itself would send frames, as only hosts should.
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
    # Token bucket: the burst must cover the traffic of one timer tick (4 ms), and one large packet.
    burst = max(bandwidth // 8 // 250, 64 * 1024)
    limit = ["rate", f"{bandwidth}bit", "burst", str(burst), "latency", "200ms"]
    _run([*into(pid), "tc", "qdisc", "add", "dev", device, "root", "tbf", *limit])


def _run(command: list[str], text: str = "") -> None:
    result = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise FiveninesError(
            f"the lab's network could not be set up: {result.stderr.strip()}\n"
            "run `fivenines doctor` to list what this machine lacks"
        )
