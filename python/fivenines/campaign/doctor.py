"""Check the prerequisites on this machine. Each check tries the operation and names a fix."""

# ruff: noqa: PLC0415  (a broken module must not prevent the other checks)

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from fivenines.base import paths
from fivenines.base.errors import FiveninesError

# `absent`: an optional program that is not installed.
State = Literal["ok", "absent", "warning", "failed"]

_LAB = [
    "unshare",
    "--user",
    "--map-root-user",
    "--net",
    "--mount",
    "--pid",
    "--fork",
    "--kill-child",
    "--mount-proc",
]
_PATIENCE = 15.0
_DISK_NEEDED = 3_000_000_000
_DISK_WISHED = 10_000_000_000


@dataclass(frozen=True)
class Check:
    """The result of a check: what was seen, and the fix (empty if there is no problem)."""

    name: str
    state: State
    seen: str
    remedy: str = ""


def examine() -> list[Check]:
    """Run all checks. `failed` means that no experiment can run on this machine."""
    checks: list[Callable[[], Check | list[Check]]] = [
        tools,
        namespaces,
        overlay,
        network,
        cuts,
        packets,
        user_ids,
        vms,
        limits,
        disk,
        core,
        engines,
        yardsticks,
        calibration_check,
    ]
    found: list[Check] = []
    for check in checks:
        result = check()
        found.extend(result if isinstance(result, list) else [result])
    return found


def tools() -> list[Check]:
    """Check for the programs that the lab starts."""
    needed = {"ip": "iproute2", "unshare": "util-linux"}
    found = [_tool(name, package, "failed") for name, package in needed.items()]
    why = "needed only to build MariaDB engines"
    return [*found, _tool("mmdebstrap", "mmdebstrap", "warning", why)]


def namespaces() -> Check:
    """Check for user, mount, PID and network namespaces, which every trial needs."""
    if not shutil.which("unshare"):
        return Check("namespaces", "failed", "not checked: unshare is missing", _install("util-linux"))
    done = _try([*_LAB, "true"])
    if done.ok:
        who = "as root" if os.geteuid() == 0 else "as an ordinary user"
        return Check("namespaces", "ok", f"namespaces work {who}")
    return Check("namespaces", "failed", f"unshare failed: {done.error}", _namespace_remedy())


def overlay() -> Check:
    """Check for overlay file systems in a user namespace, which every host needs."""
    script = (
        'mount -t tmpfs none "$1" && cd "$1" && '
        "mkdir lower upper work merged && echo a > lower/f && "
        "mount -t overlay -o userxattr,lowerdir=lower,upperdir=upper,workdir=work none merged && "
        "echo b > merged/f && rm merged/f"
    )
    with tempfile.TemporaryDirectory(prefix="fivenines-doctor-") as folder:
        return _in_lab(
            Check(
                "overlay",
                "failed",
                "mounting overlayfs in a user namespace failed",
                "use Linux 5.11 or later, and load the module: sudo modprobe overlay",
            ),
            "overlayfs with userxattr works in a user namespace",
            "sh",
            "-c",
            script,
            "sh",
            folder,
        )


def network() -> Check:
    """Check for network namespaces, bridges and veth pairs."""
    script = (
        "mount -t tmpfs none /run && ip link set lo up && ip netns add h1 && "
        "ip link add br0 type bridge && ip link add v0 type veth peer name v1 netns h1 && "
        "ip link set v0 master br0 up && ip link set br0 up && "
        "ip -n h1 addr add 10.99.0.1/24 dev v1 && ip -n h1 link set v1 up"
    )
    return _in_lab(
        Check(
            "network",
            "failed",
            "creating a bridge with a veth pair failed",
            "load the modules: sudo modprobe -a veth bridge",
        ),
        "network namespaces, veth and bridge work",
        "sh",
        "-c",
        script,
    )


def cuts() -> Check:
    """Check for bridge tables of nftables, which network faults need."""
    if not shutil.which("nft"):
        seen = "not found; network faults are not possible without it"
        return Check("network cuts", "warning", seen, _install("nftables"))
    rules = (
        "add table bridge t; add set bridge t s { type ether_addr . ether_addr; }; "
        "add chain bridge t c { type filter hook forward priority 0; }; "
        "add rule bridge t c ether saddr . ether daddr @s counter drop"
    )
    return _in_lab(
        Check(
            "network cuts",
            "warning",
            "nft cannot drop frames on a bridge",
            "network faults are not possible; load the module: sudo modprobe nf_tables",
        ),
        "nft can drop frames on a bridge",
        "nft",
        rules,
    )


def packets() -> Check:
    """Check for packet sockets, which networks with several sites need."""
    script = "import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)"
    return _in_lab(
        Check(
            "links",
            "warning",
            "packet sockets do not work",
            "networks with several sites are not possible; load the module: sudo modprobe af_packet",
        ),
        "packet sockets work, networks with several sites are possible",
        sys.executable,
        "-I",
        "-S",
        "-c",
        script,
    )


def user_ids() -> Check:
    """Check whether the lab can use all user ids, which some failover managers need."""
    from fivenines.lab.processes.ids import problem

    lacking = problem()
    if not lacking:
        return Check("user ids", "ok", "the lab can use all user ids")
    return Check(
        "user ids", "warning", "the lab has only one user id", f"needed only for Pacemaker; {lacking}"
    )


def vms() -> Check:
    """Check whether hosts can be virtual machines."""
    from fivenines.lab.vm.requirements import problem

    lacking = problem()
    if not lacking:
        return Check("virtual machines", "ok", "hosts can be virtual machines")
    return Check(
        "virtual machines",
        "warning",
        "hosts cannot be virtual machines",
        f"needed only for `machines: virtual-machines`; {lacking}",
    )


def limits() -> Check:
    """Check whether control groups can limit the memory and CPU of a host."""
    from fivenines.lab.limits import detect

    groups = detect()
    if groups.usable:
        return Check("limits", "ok", f"hosts can be limited (control groups, version {groups.version})")
    remedy = (
        "needed only for `limits:` and the fault slow-cpu; run in a delegated control group:\n"
        "systemd-run --user --scope -p Delegate=yes fivenines run FILE"
    )
    return Check("limits", "warning", f"hosts cannot be limited: {groups.reason}", remedy)


def disk() -> Check:
    """Check the free space for engines, data sets and running servers."""
    folder = paths.cache()
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    free = shutil.disk_usage(existing).free
    seen = f"{free / 1e9:.1f} GB free for the cache in {folder}"
    remedy = "free some space, or set FIVENINES_CACHE to a folder on a larger disk"
    if not os.access(existing, os.W_OK):
        return Check("disk", "failed", f"{existing} is not writable", remedy)
    if free < _DISK_NEEDED:
        return Check("disk", "failed", f"only {seen}", f"{remedy} (3 GB are needed)")
    return Check(
        "disk",
        "ok" if free >= _DISK_WISHED else "warning",
        seen,
        "" if free >= _DISK_WISHED else f"{remedy} (10 GB are recommended)",
    )


def core() -> Check:
    """Check that fivenines-core starts."""
    from fivenines.base.core import core_binary

    remedy = "install fivenines with `pip install .` (it builds it), or set FIVENINES_CORE to its path"
    try:
        program = core_binary()
    except FiveninesError as error:
        return Check("fivenines-core", "failed", str(error), remedy)
    done = _try([str(program), "--version"])
    if done.ok:
        return Check("fivenines-core", "ok", f"{done.output or 'starts'} ({program})")
    return Check("fivenines-core", "failed", f"{program} does not start: {done.error}", remedy)


def engines() -> list[Check]:
    """List the installed engines; missing ones are fetched on demand."""
    from fivenines.software.store import engines as known

    found: list[Check] = []
    for engine in known():
        status = engine.status()
        name = f"engine {engine.name}"
        if status.installed:
            found.append(Check(name, "ok", f"{status.version}, {status.path}".strip(", ")))
        elif engine.name.startswith("host"):
            found.append(Check(name, "absent", f"optional: {status.detail}"))
        else:
            seen = f"{status.detail or 'not installed yet'}; fetched by the first experiment that needs it"
            found.append(Check(name, "ok", seen))
    return found


def yardsticks() -> list[Check]:
    """Check for other load generators, which only tests/bench uses."""
    missing = "optional: only tests/bench uses it"
    places = {name: shutil.which(name) for name in ("sysbench", "pgbench")}
    return [Check(name, "ok" if path else "absent", path or missing) for name, path in places.items()]


def calibration_check() -> Check:
    """Summarise the calibration of this machine."""
    from datetime import UTC, datetime

    from fivenines import __version__
    from fivenines.analysis.calibration import HOW, doubts, verdict
    from fivenines.lab.machine import describe
    from fivenines.results.calibrations import load

    machine = describe()
    found = load(machine)
    if found is None:
        remedy = f"{HOW} (about three minutes) measures the accuracy on this machine"
        return Check("calibration", "warning", "this machine has not been calibrated", remedy)
    caveats = doubts(found, machine, __version__, datetime.now(UTC).isoformat(timespec="seconds"))
    seen = f"{verdict(found)} ({found.steps[0].at[:10]})" + "".join(f"; {caveat}" for caveat in caveats)
    if found.sound and not caveats:
        return Check("calibration", "ok", seen)
    remedy = f"{HOW} --show lists the values that are out of bounds" if not found.sound else f"{HOW} again"
    return Check("calibration", "warning", seen, remedy)


@dataclass(frozen=True)
class _Done:
    ok: bool
    output: str
    error: str


def _try(command: list[str]) -> _Done:
    """Run a short program; return its output, or the reason of its failure."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_PATIENCE, check=False, stdin=subprocess.DEVNULL
        )
    except OSError as error:
        return _Done(False, "", f"{command[0]}: {error.strerror}")
    except subprocess.TimeoutExpired:
        return _Done(False, "", f"no answer in {_PATIENCE:.0f} s")
    last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
    reason = "".join(last) or f"exit code {done.returncode}"
    return _Done(done.returncode == 0, done.stdout.strip(), reason)


def _in_lab(failure: Check, success: str, *command: str) -> Check:
    """Run a command in namespaces; return a check with the text `success`, or `failure` with the reason."""
    done = _try([*_LAB, *command])
    if done.ok:
        return Check(failure.name, "ok", success)
    return replace(failure, seen=f"{failure.seen}: {done.error}")


def _tool(name: str, package: str, otherwise: State, why: str = "") -> Check:
    path = shutil.which(name)
    if path:
        return Check(name, "ok", path)
    seen = "not found" + (f"; {why}" if why else "")
    return Check(name, otherwise, seen, _install(package))


def _install(package: str) -> str:
    return f"install it: sudo apt-get install {package}"


def _namespace_remedy() -> str:
    """Return the settings that forbid user namespaces, and how to change them."""
    forbidding = [
        ("kernel.unprivileged_userns_clone", "0", "1"),
        ("user.max_user_namespaces", "0", "15000"),
        ("kernel.apparmor_restrict_unprivileged_userns", "1", "0"),
    ]
    lines = []
    for name, forbids, allows in forbidding:
        if _words(Path("/proc/sys") / name.replace(".", "/")) == [forbids]:
            lines.append(f"{name} is {forbids}: sudo sysctl -w {name}={allows}")
    if not lines:
        lines.append(
            "no sysctl forbids user namespaces; in a container, the seccomp or AppArmor profile "
            "does:\n"
            "docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined "
            "--security-opt systempaths=unconfined"
        )
    return "\n".join(lines)


def _words(path: Path) -> list[str]:
    try:
        return path.read_text().split()
    except OSError:
        return []
