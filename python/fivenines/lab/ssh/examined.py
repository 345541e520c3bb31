"""What a machine of an inventory can do. Each check really tries the thing."""

import secrets
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from fivenines.errors import FiveninesError
from fivenines.lab.host import Root
from fivenines.lab.settings import LinkSettings
from fivenines.lab.ssh import enrolled, taken
from fivenines.lab.ssh.connection import Connection
from fivenines.lab.ssh.cuts import IncomingCuts
from fivenines.lab.ssh.host import SshHost
from fivenines.lab.ssh.links import OutgoingLinks

State = Literal["ok", "warning", "failed"]
Told = tuple[str, State, str, str]
"""What was tried, how it went, what was seen, and the remedy."""

_SPACE = 10 * 2**30
_GOOD_CLOCK = 5_000_000


def examine(on: Connection) -> list[Told]:
    """All checks on one machine; the later ones need the earlier."""
    login = f"logged in at {on.machine.address} as {on.user}"
    try:
        enrolled.require(on)
    except FiveninesError as error:
        return [("SSH", "ok", login, ""), ("use", "failed", str(error), "see there")]
    if on.chatter:
        first = on.chatter.splitlines()[0][:80]
        login += f"; the login shell prints {first!r} before each command, which is passed over"
    found: list[Told] = [("SSH", "ok", login, "")]
    found.append(("use", "ok", f"enrolled: {on.machine.folder} is ours", ""))
    found += [_ports(on), _size(on), _space(on), _chrony(on)]
    with tempfile.TemporaryDirectory(prefix="fivenines-") as folder:
        return [*found, *_as_host(on, Path(folder))]


def _ports(on: Connection) -> Told:
    try:
        taken.require_free(on)
    except FiveninesError as error:
        return ("ports", "failed", str(error), "stop that server, or take another machine")
    return ("ports", "ok", "nobody listens where databases do", "")


def _size(on: Connection) -> Told:
    cores = on.need(["nproc"]).strip()
    memory = on.number(["sed", "-n", "s/^MemTotal: *\\([0-9]*\\).*/\\1/p", "/proc/meminfo"]) / 2**20
    used = f", of which fivenines uses {on.machine.processors}" if on.machine.processors else ""
    kernel = on.need(["uname", "-srm"]).strip()
    return ("machine", "ok", f"{kernel}, {cores} processors{used}, {memory:.1f} GiB of memory", "")


def _space(on: Connection) -> Told:
    free = on.number(["sh", "-c", 'df --output=avail -B1 "$1" | tail -n 1', "sh", on.machine.folder])
    said = f"{free / 2**30:.1f} GiB free in {on.machine.folder}"
    if free < _SPACE:
        return ("disk", "warning", said, "an engine with its data takes some 2 GiB; name another `folder`")
    return ("disk", "ok", said, "")


def _chrony(on: Connection) -> Told:
    told = on.run(["chronyc", "-n", "tracking"])
    line = next((one for one in told.output.splitlines() if one.startswith("System time")), "")
    if told.code == 0 and line:
        return ("chrony", "ok", line.partition(":")[2].strip(), "")
    return ("chrony", "warning", "no chrony: its clocks may drift while a trial runs", "install chrony")


def _as_host(on: Connection, folder: Path) -> Iterator[Told]:
    name = f"doctor-{secrets.token_hex(3)}"
    place = f"{on.machine.folder}/hosts/{name}"
    host = SshHost("doctor", folder / "doctor", Root(), on, place, 10.0, [])
    try:
        host.begin()
    except FiveninesError as error:
        yield ("host", "failed", str(error), "Linux 5.12 or later with user namespaces is needed")
        return
    try:
        host.run(["true"], uid=999)
        yield ("host", "ok", "a host of its own namespaces starts, and programs in it", "")
        reading = host.clock.near(host.clock.readings[-1].at)
        ahead, known = host.clock.day_ahead() / 1e6, reading.error / 1e6
        state: State = "ok" if reading.error < _GOOD_CLOCK else "warning"
        yield ("clock", state, f"{ahead:+.2f} ms against ours, known to {known:.2f} ms", "")
        yield _cut(host, name)
        yield _link(host, name)
    except FiveninesError as error:
        yield ("host", "failed", str(error), "")
    finally:
        host.end()


def _cut(host: SshHost, name: str) -> Told:
    cuts = IncomingCuts(host, f"fivenines_{name.partition('-')[2]}", [22])
    try:
        cuts.add(["192.0.2.1"])
        cuts.remove(["192.0.2.1"])
    except FiveninesError as error:
        return ("cuts", "warning", str(error), "install nftables there: sudo apt-get install nftables")
    return ("cuts", "ok", "nftables can drop packets", "")


def _link(host: SshHost, name: str) -> Told:
    links = OutgoingLinks(host, f"fivenines_links_{name.partition('-')[2]}", [22])
    try:
        # to itself, so that nobody's packets wait
        links.use({host.address: LinkSettings(rtt=0.001)})
    except FiveninesError as error:
        said = "its links cannot be made slow: " + str(error)
        return ("links", "warning", said, "ip, nft and /dev/net/tun are needed there")
    finally:
        links.end()
    return ("links", "ok", "the way to others can be made slow, thin and lossy", "")
