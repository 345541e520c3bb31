"""DRBD's resource file (drbd.conf(5) of 8.4), and the state of the resource in /proc/drbd."""

import re
from collections.abc import Mapping

from fivenines.servers.cluster.replicated_disk import DiskStatus

RESOURCE = "r0"
DEVICE = "/dev/drbd0"
PORT = 7788

Value = str | int | float | bool

_FENCING = {"fencing": "resource-and-stonith"}
# From drbd-utils: asks Pacemaker to fence the peer with its power switch.
_HANDLER = '"/usr/lib/drbd/stonith_admin-fence-peer.sh"'


def resource_file(
    protocol: str,
    net: Mapping[str, Value],
    disk: Mapping[str, Value],
    nodes: Mapping[str, str],
    fence: bool = False,
    disk_device: str = "/dev/ubda",
) -> str:
    """Return the resource file for nodes (address by name), with a disk on each.

    With `fence`, a primary that loses its peer stops writing until the peer is switched off.
    """
    lines = [f"resource {RESOURCE} {{"]
    lines += _section("net", {"protocol": protocol, **net})
    lines += _section("disk", {**(_FENCING if fence else {}), **disk})
    lines += _section("handlers", {"fence_peer": _HANDLER} if fence else {})
    lines += [f"  device {DEVICE};", f"  disk {disk_device};", "  meta-disk internal;"]
    lines += [f"  on {name} {{ address {address}:{PORT}; }}" for name, address in nodes.items()]
    return "\n".join([*lines, "}"]) + "\n"


def _section(name: str, values: Mapping[str, Value]) -> list[str]:
    if not values:
        return []
    options = [f"    {key.replace('_', '-')} {_text(value)};" for key, value in values.items()]
    return [f"  {name} {{", *options, "  }"]


def _text(value: Value) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)


_STATE = re.compile(
    r"^ *0: cs:(?P<connection>\w+) ro:(?P<role>\w+)/(?P<peer_role>\w+) "
    r"ds:(?P<disk>\w+)/(?P<peer_disk>\w+) ",
    re.MULTILINE,
)
_COUNTER = re.compile(r"\b(?P<name>ns|nr|al|oos):(?P<value>\d+)")
_DONE = re.compile(r"(?:verified|sync'ed): *(?P<percent>[\d.]+)%")


def parse_status(text: str) -> DiskStatus | None:
    """Parse the state of the device in /proc/drbd; None: there is no device."""
    state = _STATE.search(text)
    if state is None:
        return None
    # Sizes are in KiB, updates are counts.
    rest = text[state.end() :]
    counters = {match["name"]: int(match["value"]) for match in _COUNTER.finditer(rest)}
    done = _DONE.search(rest)
    return DiskStatus(
        **state.groupdict(),
        sent=counters.get("ns", 0) * 1024,
        received=counters.get("nr", 0) * 1024,
        log_updates=counters.get("al", 0),
        out_of_sync=counters.get("oos", 0) * 1024,
        done=float(done["percent"]) if done is not None else None,
    )
