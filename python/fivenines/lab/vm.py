"""A host that is a virtual machine: a kernel of its own, in user mode, with a disk that outlives its power.

Around the kernel stand a host's namespaces as ever: its hostfs shows the files of these as its root, and
what reaches into it goes over a network port between the two, never over the network under test. Commands
inside are seen from here as one process each (`fivenines-core agent run`), which ends as they end.

Source: the kernel's documentation, "UML HowTo", and `linux.uml --help`, both of Linux 7.2.
"""

import contextlib
import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from fivenines.core import core_binary
from fivenines.errors import FiveninesError
from fivenines.lab import network
from fivenines.lab.data_folder import copy
from fivenines.lab.host import NODE, Host, Root
from fivenines.lab.limits import HostGroup
from fivenines.lab.process import Process, end_within, start_logged, tail
from fivenines.lab.vm_disk import DISKS, Disk
from fivenines.lab.vm_process import AttachedProcess, VmProcess

_KERNEL = Path("/run/uml")
_CORE = Path("/run/fivenines")
_PRIVATE = "agent0"
_OURS = "169.254.99.1"
_PATIENCE = 30.0
"""Seconds until a virtual machine must answer."""


_CLOCK, _TRIES = 0.003, 10
"""Seconds by which a virtual machine's clock may be wrong, and how often it is set for that."""


@dataclass(frozen=True)
class Machine:
    """What a virtual machine is: bytes of memory and disk, its kernel's folder, and the modules that it loads."""

    memory: int
    disk: int
    kernel: Path
    modules: tuple[str, ...] = ()
    mounted: bool = True
    """Whether its disk is its data folder; else it is for others to use."""
    delayed: bool = False
    """Whether flushes of its disk can be delayed."""

    @property
    def device(self) -> str:
        """What its disk is called inside."""
        return "/dev/dm-0" if self.delayed else "/dev/ubda"


class VirtualMachine(Host):
    """A virtual machine. Its kernel is started when it is needed first, so that its disk can be made before.

    Args:
        machine: what it is; for the rest see `Host`.
    """

    shared = Path("/run/machine") / NODE.relative_to("/")
    process_inside = VmProcess

    def __init__(
        self, name: str, address: str, folder: Path, root: Root, group: HostGroup, machine: Machine
    ) -> None:
        super().__init__(name, address, folder, root, group, all_ids=True)
        self.machine = machine
        self.disk = Disk(self, machine.disk)
        self.data = self.disk
        (self.node / DISKS).mkdir()
        self._core = folder / "core"
        self._kernel: subprocess.Popen[bytes] | None = None
        self._sockets: list[str] = []
        self._relays: list[Process] = []
        self._booting = threading.Lock()

    # its place in the lab

    def start(self, lab: int) -> None:
        # our program alone, not all that is beside it on this machine
        self._core.mkdir(exist_ok=True)
        copy(str(core_binary()), self._core)
        super().start(lab)
        self._lab = lab

    def plug_in(self, lab: int, index: int, site: int, bandwidth: int | None) -> None:
        if bandwidth is not None:
            raise FiveninesError(f"{self.name}: `bandwidth` cannot be set for virtual machines")
        self._index, self._site = index, site

    def ear(self, lab: int) -> tuple[int, str]:
        return lab, network.port(self.name)

    def knocking(self, frame: bytes, seconds: float) -> list[str]:
        if self._kernel is not None and not self.powered:
            return ["true"]
        knock = [str(_CORE / core_binary().name), "vm", "knock", "--device", network.DEVICE]
        return self.inside([*_outside(knock), "--frame", frame.hex(), "--seconds", f"{seconds:g}"], None)

    def give_address(self, extra: str) -> None:
        self.run(["ip", "addr", "add", f"{extra}/24", "dev", network.DEVICE])
        self.extra_addresses.append(extra)

    def keep_only_its_address(self) -> None:
        if self.powered:
            own = f"{self.address}/24"
            self.run(["sh", "-c", _KEEP_ONLY, "sh", network.DEVICE, own])

    def _shown(self) -> dict[Path, Path]:
        return {**super()._shown(), self.machine.kernel: _KERNEL, self._core: _CORE}

    # its power

    @property
    def powered(self) -> bool:
        """Whether its kernel runs."""
        return self._kernel is not None and self._kernel.poll() is None

    def power_on(self) -> None:
        """Start its kernel, unless it runs; returns when it can be asked for commands.

        Raises:
            FiveninesError: it did not start; with what it said.
        """
        with self._booting:
            if not self.powered:
                self._boot()

    def power_off(self) -> list[psutil.Process]:
        """Take its power away: what its kernel has not yet written to the disk is lost."""
        hit = super().kill_all()
        if self._kernel is not None:
            end_within(self._kernel, 10.0)
        # the last of the kernel's threads lets go of the network port
        psutil.wait_procs(hit, timeout=10.0)
        return hit

    def kill_all(self) -> list[psutil.Process]:
        """SIGKILL to all processes in it, whose kernel goes on; returns their ends out here."""
        if not self.powered:
            return []
        ends = [one for one in self.processes() if _is_client(one)]
        self.ask("kill-all")
        return ends

    def delay_flushes(self, seconds: float) -> None:
        """Let each flush of its disk take so much longer from now on; whatever it was before."""
        core = NODE.parent / "machine" / _CORE.relative_to("/") / core_binary().name
        milliseconds = round(seconds * 1000)
        self.run([str(core), "vm", "delay", f"--milliseconds={milliseconds}"], timeout=30.0)

    def end(self) -> None:
        super().end()
        if self._kernel is not None:
            end_within(self._kernel, 10.0)

    def _boot(self) -> None:
        if not self.disk.image.exists():
            self.disk.make(None)
        log = self.node / "log" / "kernel.log"
        before = log.stat().st_size if log.exists() else 0
        command = [str(core_binary()), "vm", "start", f"--lab={self._lab}", f"--host={self.pid}"]
        command += [f"--port={network.port(self.name)}", f"--private={_PRIVATE}", "--"]
        environment = {"PATH": "/usr/bin:/bin", "HOME": "/", "TMPDIR": "/dev/shm"}
        environment["LD_LIBRARY_PATH"] = str(_KERNEL)
        self._kernel = start_logged(
            self.group.wrap([*command, *self._kernel_command()]), log, env=environment
        )
        deadline = time.monotonic() + _PATIENCE
        self._plug(deadline)
        while not self._answers():
            if not self.powered or time.monotonic() > deadline:
                said = log.read_text(errors="replace")[before:].strip().splitlines()
                raise FiveninesError(
                    f"{self.name}: the virtual machine did not start.\n" + "\n".join(said[-8:])
                )
        self._set_clock()
        self._relays = [self._relay(name) for name in self._sockets]

    def _kernel_command(self) -> list[str]:
        machine = self.machine
        agent = [
            f"--name={self.name}",
            f"--address={self.address}",
            "--mask=255.255.255.0",
            *(f"--module={one}" for one in machine.modules),
        ]
        if machine.mounted:
            agent.append("--disk")
        if machine.delayed:
            agent.append("--delayed")
        mac = network.mac(self._index)
        return [
            str(_KERNEL / "linux.uml"),
            f"mem={machine.memory // 2**20}M",
            "quiet",
            "noreboot",
            "panic=1",
            "seccomp=on",
            "root=/dev/root",
            "rootfstype=hostfs",
            "rootflags=/",
            "rw",
            # s: each write is on the disk of this machine before the virtual machine hears that it is (O_SYNC)
            f"ubd0s={NODE / DISKS / self.disk.image.name}",
            f"vec0:transport=fd,fd={{network}},vec=0,mac={mac}",
            "vec1:transport=fd,fd={private},vec=0",
            "con=null",
            "con0=null,fd:1",
            f"umid={self.name}",
            "uml_dir=/tmp/uml",
            f"init={_CORE / core_binary().name}",
            "--",
            "vm",
            "agent",
            *agent,
        ]

    def _plug(self, deadline: float) -> None:
        """Join its ports, which its starter makes: to its site's bridge, and to us."""
        port = network.port(self.name)
        while not (_has(self._lab, port) and _has(self.pid, _PRIVATE)):
            if not self.powered or time.monotonic() > deadline:
                said = tail(self.node / "log" / "kernel.log", 4)
                raise FiveninesError(f"{self.name}: the virtual machine has no network.\n{said}")
            time.sleep(0.005)
        network.batch(self._lab, f"link set {port} master {network.bridge(self._site)} up")
        network.batch(
            self.pid,
            "link set lo up",
            f"addr replace {_OURS}/30 dev {_PRIVATE}",
            f"link set {_PRIVATE} up",
            # tools beside it find it at its own address, by the private way
            f"route replace {self.address} dev {_PRIVATE} src {_OURS}",
        )

    def _answers(self) -> bool:
        with contextlib.suppress(FiveninesError, subprocess.TimeoutExpired):
            done = subprocess.run(
                self._client(["true"], None),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=False,
                env={"PATH": "/usr/bin:/bin"},
                timeout=_PATIENCE,
            )
            return done.returncode == 0
        return False

    # commands in it

    def inside(self, command: Sequence[str], uid: int | None) -> list[str]:
        self._require_power()
        return self._client(command, uid)

    def _require_power(self) -> None:
        """Nobody has started it yet: then we do. Its power was taken: then it is not ours to give it back."""
        if self._kernel is None:
            self.power_on()
        if not self.powered:
            raise FiveninesError(f"{self.name} has no power")

    def _client(self, command: Sequence[str], uid: int | None) -> list[str]:
        who = [] if uid is None else [f"--uid={uid}"]
        return self.beside([str(core_binary()), "agent", "run", *who, "--", *command])

    def _attach(self, program: str, said: Path) -> "subprocess.Popen[bytes]":
        """Start what is the end out here of a program that others start; it says when it has seen it."""
        way = self.beside([str(core_binary()), "agent", "run", f"--attach={program}"])
        return start_logged(way, said, env={"PATH": "/usr/bin:/bin"})

    def adopt(self, program: str, log: Path) -> Process:
        return AttachedProcess(
            lambda said: self._attach(program, said),
            lambda: self.powered,
            self.node / "log" / f"{program}.pid",
            log,
        )

    def ask(self, *question: str) -> str:
        """The answer of its first process to what is no command, see `fivenines-core agent ask`.

        Raises:
            FiveninesError: it could not do what it was asked for; says why.
        """
        command = self.beside([str(core_binary()), "agent", "ask", *question])
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60.0)
        if done.returncode != 0:
            raise FiveninesError(f"{self.name}: {done.stderr.strip()}")
        return done.stdout.strip()

    def own(self, *parts: str, uid: int) -> None:
        """As on any host; a virtual machine has all users."""
        self._require_power()
        self.ask("own", f"--uid={uid}", f"--folders={','.join(parts)}")

    def clock_error(self) -> float:
        """How far its clock of the day is ahead of ours, in seconds; known to half the time of the answer."""
        before = time.time_ns()
        told = int(self.ask("clock"))
        return (told - (before + time.time_ns()) / 2) / 1e9

    def _set_clock(self) -> None:
        """Let it have our clock: its own begins with what the kernel thought while it started."""
        for _ in range(_TRIES):
            self.ask("set-clock")
            if abs(self.clock_error()) < _CLOCK:
                return

    def disk_delay(self) -> float:
        """The longest time in seconds that its disk took to answer since it was started."""
        return float(self.ask("disk-delay"))

    def load_module(self, name: str) -> None:
        """Load a module of its kernel, if it is not there yet; what it needs must be there.

        Raises:
            FiveninesError: it could not be loaded.
        """
        self._require_power()
        self.ask("load", f"--module={name}")

    def show_socket(self, name: str) -> None:
        self._sockets.append(name)
        if self.powered:
            self._relays.append(self._relay(name))

    def _relay(self, name: str) -> Process:
        folder = self.node / "run"
        command = [str(core_binary()), "agent", "relay", f"--folder={folder}", f"--name={name}"]
        return self.spawn_outside([*command, f"--inside={NODE / 'run'}"], log="relay.log")


_KEEP_ONLY = """
ip -4 -o addr show dev "$1" | while read -r _ _ _ one _; do
  [ "$one" = "$2" ] || ip addr del "$one" dev "$1"
done
"""


def _has(pid: int, device: str) -> bool:
    names = Path(f"/proc/{pid}/net/dev").read_text()
    return any(line.split(":")[0].strip() == device for line in names.splitlines())


def _is_client(process: psutil.Process) -> bool:
    with contextlib.suppress(psutil.Error):
        return process.cmdline()[1:3] == ["agent", "run"]
    return False


def _outside(command: Sequence[str]) -> list[str]:
    """A command of the host's files, as the virtual machine sees them."""
    return [f"/run/machine{command[0]}", *command[1:]]
