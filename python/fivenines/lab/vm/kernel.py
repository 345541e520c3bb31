"""The kernel of a virtual machine, in user mode: start it and wait until it accepts commands.

Source: the kernel's documentation, "UML HowTo", and `linux.uml --help`, both of Linux 7.2.
"""

import contextlib
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from fivenines.base.core import core_binary
from fivenines.base.errors import FiveninesError
from fivenines.lab.host import NODE
from fivenines.lab.hosts.place import HostNamespaces
from fivenines.lab.limits import HostGroup
from fivenines.lab.network import network
from fivenines.lab.processes.process import end_within, start_logged, tail
from fivenines.lab.vm.agent import VmAgent
from fivenines.lab.vm.image import DISKS, DiskImage
from fivenines.lab.vm.machine import CORE, KERNEL, Machine

_PRIVATE = "agent0"
_OURS = "169.254.99.1"
# Seconds until a virtual machine must answer.
_PATIENCE = 30.0
# Seconds until a killed kernel must have ended.
_END = 10.0


@dataclass(frozen=True)
class Plug:
    """Where the kernel's port is connected: PID of the lab's first process, number of the host, its site."""

    lab: int
    index: int
    site: int


class Kernel:
    """The kernel of a virtual machine, which can start again after it has ended.

    Args:
        name: name of the host.
        address: its address in the lab.
        node: its folder.
        machine: its size and kernel.
        image: its disk.
        namespaces: the namespaces that it runs in.
        group: control groups of the kernel.
        agent: its first process.
    """

    def __init__(
        self,
        name: str,
        address: str,
        node: Path,
        machine: Machine,
        image: DiskImage,
        namespaces: HostNamespaces,
        group: HostGroup,
        agent: VmAgent,
    ) -> None:
        self._name, self._address, self._node = name, address, node
        self._machine, self._image = machine, image
        self._namespaces, self._group, self._agent = namespaces, group, agent
        self._process: subprocess.Popen[bytes] | None = None
        self._plug = Plug(0, 0, 0)

    def plug_in(self, plug: Plug) -> None:
        """Note where the port of the kernel will be connected."""
        self._plug = plug

    @property
    def started(self) -> bool:
        """Whether the kernel was ever started."""
        return self._process is not None

    @property
    def runs(self) -> bool:
        """Whether the kernel runs."""
        return self._process is not None and self._process.poll() is None

    def await_end(self) -> None:
        """Wait until the kernel has ended; kill it if it takes long."""
        if self._process is not None:
            end_within(self._process, _END)

    def boot(self) -> None:
        """Start the kernel and return when it accepts commands.

        Raises:
            FiveninesError: it did not start; the message has its last lines.
        """
        if not self._image.path.exists():
            self._image.make(None)
        log = self._node / "log" / "kernel.log"
        before = log.stat().st_size if log.exists() else 0
        command = [str(core_binary()), "vm", "start", f"--lab={self._plug.lab}"]
        command += [f"--host={self._namespaces.pid}", f"--port={network.port(self._name)}"]
        command += [f"--private={_PRIVATE}", "--"]
        environment = {"PATH": "/usr/bin:/bin", "HOME": "/", "TMPDIR": "/dev/shm"}
        environment["LD_LIBRARY_PATH"] = str(KERNEL)
        self._process = start_logged(self._group.wrap([*command, *self.command()]), log, env=environment)
        deadline = time.monotonic() + _PATIENCE
        self._connect(deadline)
        while not self._answers():
            if not self.runs or time.monotonic() > deadline:
                lines = log.read_text(errors="replace")[before:].strip().splitlines()
                raise FiveninesError(
                    f"{self._name}: the virtual machine did not start.\n" + "\n".join(lines[-8:])
                )
        self._agent.set_clock()

    def command(self) -> list[str]:
        """Return the command line of the kernel."""
        machine = self._machine
        agent = [
            f"--name={self._name}",
            f"--address={self._address}",
            "--mask=255.255.255.0",
            *(f"--module={module}" for module in machine.modules),
        ]
        if machine.mounted:
            agent.append("--disk")
        if machine.delayed:
            agent.append("--delayed")
        mac = network.mac(self._plug.index)
        return [
            str(KERNEL / "linux.uml"),
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
            f"ubd0s={NODE / DISKS / self._image.path.name}",
            f"vec0:transport=fd,fd={{network}},vec=0,mac={mac}",
            "vec1:transport=fd,fd={private},vec=0",
            "con=null",
            "con0=null,fd:1",
            f"umid={self._name}",
            "uml_dir=/tmp/uml",
            f"init={CORE / core_binary().name}",
            "--",
            "vm",
            "agent",
            *agent,
        ]

    def _connect(self, deadline: float) -> None:
        """Connect the ports that its starter creates: to its site's bridge, and to the private network."""
        port, lab, host = network.port(self._name), self._plug.lab, self._namespaces.pid
        while not (_has(lab, port) and _has(host, _PRIVATE)):
            if not self.runs or time.monotonic() > deadline:
                lines = tail(self._node / "log" / "kernel.log", 4)
                raise FiveninesError(f"{self._name}: the virtual machine has no network.\n{lines}")
            time.sleep(0.005)
        network.batch(lab, f"link set {port} master {network.bridge(self._plug.site)} up")
        network.batch(
            host,
            "link set lo up",
            f"addr replace {_OURS}/30 dev {_PRIVATE}",
            f"link set {_PRIVATE} up",
            # Tools outside the virtual machine reach its address over the private network.
            f"route replace {self._address} dev {_PRIVATE} src {_OURS}",
        )

    def _answers(self) -> bool:
        with contextlib.suppress(FiveninesError, subprocess.TimeoutExpired):
            done = subprocess.run(
                self._agent.client(["true"], None),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=False,
                env={"PATH": "/usr/bin:/bin"},
                timeout=_PATIENCE,
            )
            return done.returncode == 0
        return False


def _has(pid: int, device: str) -> bool:
    names = Path(f"/proc/{pid}/net/dev").read_text()
    return any(line.split(":")[0].strip() == device for line in names.splitlines())
