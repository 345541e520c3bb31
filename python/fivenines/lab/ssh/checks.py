"""Check what a machine of an inventory supports. Each check performs the real action."""

import secrets
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from fivenines.base.errors import FiveninesError
from fivenines.lab.host import Root
from fivenines.lab.settings import LinkSettings
from fivenines.lab.ssh import enrolled, ports_in_use
from fivenines.lab.ssh.connection import Connection
from fivenines.lab.ssh.host import SshHost
from fivenines.lab.ssh.network.cuts import IncomingCuts
from fivenines.lab.ssh.network.links import OutgoingLinks

State = Literal["ok", "warning", "failed"]
# Name of the check, state, finding, and remedy.
CheckResult = tuple[str, State, str, str]

_SPACE = 10 * 2**30
_GOOD_CLOCK = 5_000_000


def examine(on: Connection) -> list[CheckResult]:
    """Run all checks on one machine; later checks depend on earlier ones."""
    login = f"logged in at {on.machine.address} as {on.user}"
    try:
        enrolled.require(on)
    except FiveninesError as error:
        return [("SSH", "ok", login, ""), ("use", "failed", str(error), "run that command")]
    if on.chatter:
        first = on.chatter.splitlines()[0][:80]
        login += f"; ignored {first!r}, which the login shell prints before each command"
    results: list[CheckResult] = [("SSH", "ok", login, "")]
    results.append(("use", "ok", f"enrolled, fivenines uses {on.machine.folder}", ""))
    results += [_ports(on), _size(on), _space(on), _chrony(on)]
    with tempfile.TemporaryDirectory(prefix="fivenines-") as folder:
        return [*results, *_as_host(on, Path(folder))]


def _ports(on: Connection) -> CheckResult:
    try:
        ports_in_use.require_free(on)
    except FiveninesError as error:
        return ("ports", "failed", str(error), "stop that server or use another machine")
    return ("ports", "ok", "no server uses the ports of databases", "")


def _size(on: Connection) -> CheckResult:
    cores = on.need(["nproc"]).strip()
    memory = on.number(["sed", "-n", "s/^MemTotal: *\\([0-9]*\\).*/\\1/p", "/proc/meminfo"]) / 2**20
    used = f", of which fivenines uses {on.machine.processors}" if on.machine.processors else ""
    kernel = on.need(["uname", "-srm"]).strip()
    return ("machine", "ok", f"{kernel}, {cores} processors{used}, {memory:.1f} GiB of memory", "")


def _space(on: Connection) -> CheckResult:
    free = on.number(["sh", "-c", 'df --output=avail -B1 "$1" | tail -n 1', "sh", on.machine.folder])
    space = f"{free / 2**30:.1f} GiB free in {on.machine.folder}"
    if free < _SPACE:
        remedy = "an engine with its data needs about 2 GiB; set another `folder` in the inventory"
        return ("disk", "warning", space, remedy)
    return ("disk", "ok", space, "")


def _chrony(on: Connection) -> CheckResult:
    tracking = on.run(["chronyc", "-n", "tracking"])
    line = next((line for line in tracking.output.splitlines() if line.startswith("System time")), "")
    if tracking.code == 0 and line:
        return ("chrony", "ok", line.partition(":")[2].strip(), "")
    return ("chrony", "warning", "chrony does not run: the clocks can drift during a trial", "install chrony")


def _as_host(on: Connection, folder: Path) -> Iterator[CheckResult]:
    name = f"doctor-{secrets.token_hex(3)}"
    place = f"{on.machine.folder}/hosts/{name}"
    host = SshHost("doctor", folder / "doctor", Root(), on, place, 10.0, [])
    try:
        host.begin()
    except FiveninesError as error:
        yield ("host", "failed", str(error), "install Linux 5.12 or later with user namespaces")
        return
    try:
        host.commands.run(["true"], uid=999)
        yield ("host", "ok", "a host with separate namespaces starts, and programs run in it", "")
        reading = host.clock.measured.near(host.clock.measured.readings[-1].at)
        ahead, known = host.clock.measured.day_ahead() / 1e6, reading.error / 1e6
        state: State = "ok" if reading.error < _GOOD_CLOCK else "warning"
        yield ("clock", state, f"{ahead:+.2f} ms ahead of ours, error at most {known:.2f} ms", "")
        yield _cut(host, name)
        yield _link(host, name)
    except FiveninesError as error:
        yield ("host", "failed", str(error), "")
    finally:
        host.end()


def _cut(host: SshHost, name: str) -> CheckResult:
    cuts = IncomingCuts(host, f"fivenines_{name.partition('-')[2]}", [22])
    try:
        cuts.add(["192.0.2.1"])
        cuts.remove(["192.0.2.1"])
    except FiveninesError as error:
        return ("cuts", "warning", str(error), "install nftables there: sudo apt-get install nftables")
    return ("cuts", "ok", "nftables can drop packets", "")


def _link(host: SshHost, name: str) -> CheckResult:
    links = OutgoingLinks(host, f"fivenines_links_{name.partition('-')[2]}", [22])
    try:
        # To its own address, so that no other packets are delayed.
        links.use({host.address: LinkSettings(rtt=0.001)})
    except FiveninesError as error:
        problem = "links cannot be emulated: " + str(error)
        return ("links", "warning", problem, "install iproute2 and nftables there, and load the module tun")
    finally:
        links.end()
    return ("links", "ok", "links to other machines can have latency, loss and limited bandwidth", "")
