"""A host that is a virtual machine: a separate kernel, in user mode, with a disk that survives a power loss.

The kernel runs inside the usual namespaces of a host, and its hostfs mounts their files as its root. Control
traffic uses a private network port, never the network under test. Each command inside is represented here by
one process (`fivenines-core agent run`), which ends with the command.

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

from fivenines.base.core import core_binary
from fivenines.base.errors import FiveninesError
from fivenines.lab.disks.data_folder import copy
from fivenines.lab.host import NODE, Host, Root
from fivenines.lab.limits import HostGroup
from fivenines.lab.network import network
from fivenines.lab.processes.process import Process, end_within, start_logged, tail
from fivenines.lab.vm.disk import DISKS, Disk
from fivenines.lab.vm.process import AttachedProcess, VmProcess

_KERNEL = Path("/run/uml")
_CORE = Path("/run/fivenines")
_PRIVATE = "agent0"
_OURS = "169.254.99.1"
# Seconds until a virtual machine must answer.
_PATIENCE = 30.0


# Permitted error of a virtual machine's clock in seconds, and the number of attempts to set it.
_CLOCK, _TRIES = 0.003, 10


@dataclass(frozen=True)
class Machine:
    """Memory and disk of a virtual machine in bytes, its kernel's folder, and the modules to load."""

    memory: int
    disk: int
    kernel: Path
    modules: tuple[str, ...] = ()
    # Whether the disk is mounted as the data folder. Otherwise other software uses it.
    mounted: bool = True
    # Whether flushes of the disk can be delayed.
    delayed: bool = False

    @property
    def device(self) -> str:
        """Return the device of the disk inside the virtual machine."""
        return "/dev/dm-0" if self.delayed else "/dev/ubda"


class VirtualMachine(Host):
    """A virtual machine. Its kernel starts with the first command, so that the disk can be created before.

    Args:
        machine: its size and kernel; for the other arguments see `Host`.
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

    # network

    def start(self, lab: int) -> None:
        # Only our program, not the other files in its folder.
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

    # power

    @property
    def powered(self) -> bool:
        """Whether its kernel runs."""
        return self._kernel is not None and self._kernel.poll() is None

    def power_on(self) -> None:
        """Start its kernel unless it runs; return when it accepts commands.

        Raises:
            FiveninesError: it did not start; the message has its last lines.
        """
        with self._booting:
            if not self.powered:
                self._boot()

    def power_off(self) -> list[psutil.Process]:
        """Switch it off: data that its kernel has not yet written to the disk is lost."""
        killed = super().kill_all()
        if self._kernel is not None:
            end_within(self._kernel, 10.0)
        # The last of the kernel's threads releases the network port.
        psutil.wait_procs(killed, timeout=10.0)
        return killed

    def kill_all(self) -> list[psutil.Process]:
        """Kill all processes in it, but not its kernel; return the local processes that represent them."""
        if not self.powered:
            return []
        clients = [process for process in self.processes() if _is_client(process)]
        self.ask("kill-all")
        return clients

    def delay_flushes(self, seconds: float) -> None:
        """Set the delay of each flush of its disk, in seconds."""
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
                lines = log.read_text(errors="replace")[before:].strip().splitlines()
                raise FiveninesError(
                    f"{self.name}: the virtual machine did not start.\n" + "\n".join(lines[-8:])
                )
        self._set_clock()
        self._relays = [self._relay(name) for name in self._sockets]

    def _kernel_command(self) -> list[str]:
        machine = self.machine
        agent = [
            f"--name={self.name}",
            f"--address={self.address}",
            "--mask=255.255.255.0",
            *(f"--module={module}" for module in machine.modules),
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
            # s: each write is on this machine's disk before the virtual machine gets its completion (O_SYNC).
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
        """Connect the ports that its starter creates: to its site's bridge, and to the private network."""
        port = network.port(self.name)
        while not (_has(self._lab, port) and _has(self.pid, _PRIVATE)):
            if not self.powered or time.monotonic() > deadline:
                lines = tail(self.node / "log" / "kernel.log", 4)
                raise FiveninesError(f"{self.name}: the virtual machine has no network.\n{lines}")
            time.sleep(0.005)
        network.batch(self._lab, f"link set {port} master {network.bridge(self._site)} up")
        network.batch(
            self.pid,
            "link set lo up",
            f"addr replace {_OURS}/30 dev {_PRIVATE}",
            f"link set {_PRIVATE} up",
            # Tools outside the virtual machine reach its address over the private network.
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

    # commands

    def inside(self, command: Sequence[str], uid: int | None) -> list[str]:
        self._require_power()
        return self._client(command, uid)

    def _require_power(self) -> None:
        """Start the virtual machine on first use; raise if it was switched off since."""
        if self._kernel is None:
            self.power_on()
        if not self.powered:
            raise FiveninesError(f"{self.name} is switched off")

    def _client(self, command: Sequence[str], uid: int | None) -> list[str]:
        user = [] if uid is None else [f"--uid={uid}"]
        return self.outside([str(core_binary()), "agent", "run", *user, "--", *command])

    def _attach(self, program: str, seen: Path) -> "subprocess.Popen[bytes]":
        """Start the local process of a supervised program; it writes to `seen` once the program runs."""
        command = self.outside([str(core_binary()), "agent", "run", f"--attach={program}"])
        return start_logged(command, seen, env={"PATH": "/usr/bin:/bin"})

    def adopt(self, program: str, log: Path) -> Process:
        return AttachedProcess(
            lambda seen: self._attach(program, seen),
            lambda: self.powered,
            self.node / "log" / f"{program}.pid",
            log,
        )

    def ask(self, *question: str) -> str:
        """Send a request to its first process and return the answer, see `fivenines-core agent ask`.

        Raises:
            FiveninesError: the request failed; the message gives the reason.
        """
        command = self.outside([str(core_binary()), "agent", "ask", *question])
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60.0)
        if done.returncode != 0:
            raise FiveninesError(f"{self.name}: {done.stderr.strip()}")
        return done.stdout.strip()

    def own(self, *parts: str, uid: int) -> None:
        """Change the owner of folders; a virtual machine has all user ids."""
        self._require_power()
        self.ask("own", f"--uid={uid}", f"--folders={','.join(parts)}")

    def clock_error(self) -> float:
        """Return its wall clock minus ours, in seconds; the error is at most half of the answer's time."""
        before = time.time_ns()
        clock = int(self.ask("clock"))
        return (clock - (before + time.time_ns()) / 2) / 1e9

    def _set_clock(self) -> None:
        """Set its clock to ours: the kernel's own clock is inaccurate after the start."""
        for _ in range(_TRIES):
            self.ask("set-clock")
            if abs(self.clock_error()) < _CLOCK:
                return

    def disk_delay(self) -> float:
        """Return the longest response time of its disk since the start, in seconds."""
        return float(self.ask("disk-delay"))

    def load_module(self, name: str) -> None:
        """Load a module of its kernel unless it is loaded; its dependencies must be loaded.

        Raises:
            FiveninesError: the module could not be loaded.
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
ip -4 -o addr show dev "$1" | while read -r _ _ _ address _; do
  [ "$address" = "$2" ] || ip addr del "$address" dev "$1"
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
    """Return a command of the host with its path in the virtual machine."""
    return [f"/run/machine{command[0]}", *command[1:]]
