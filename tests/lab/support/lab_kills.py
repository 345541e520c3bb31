"""Kill the program with SIGKILL during a trial, and look for leftovers on this machine."""

import json
import os
import signal
import subprocess
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

import psutil
from lab_support import OPERATOR, fivenines, program

# Seconds within which all processes and files of a killed run must disappear.
LIMIT = 5.0

_HEAD = """\
name: kills
trials: 1
workloads: [{workload: oltp_read_write, tables: 2, table_size: 500}]
connections: [4]
timing: {warmup: 500ms, steady: 1s, recovery: 7s, settle: 10s}
"""

_POSTGRES = f"{{solution: hot-standby, name: s, synchronous_commit: local, manager: {OPERATOR}}}"
_REPLICATION = f"{{solution: replication, name: s, mode: async, manager: {OPERATOR}}}"
_GALERA = "{solution: galera, name: s, access: {kind: haproxy, interval: 500ms}}"
_ARBITER = "{solution: galera, name: s, size: 2, arbiter: true}"
_PATRONI = "{solution: patroni, name: s, members: 3, access: {kind: haproxy, interval: 500ms}}"
_GROUP = "{solution: group-replication, name: s}"
_MHA = "{solution: replication, name: s, mode: after_sync, manager: {kind: mha, ping_interval: 1}}"
_PACEMAKER = (
    "{solution: replication, name: s, mode: after_sync, manager: {kind: pacemaker, token: 1s}, "
    "access: {kind: virtual-address}}"
)
_LIMITED = "{solution: hot-standby, name: s, synchronous_commit: local, limits: {memory: 1GiB, cpus: 1.5}}"

# A solution and a fault, by name. All kinds of faults occur, and a freeze of each kind of solution.
CASES: dict[str, tuple[str, str]] = {
    "none": (_LIMITED, "{fault: none}"),
    "kill": (_POSTGRES, "{fault: kill, restart_after: 4s}"),
    "host-kill": (_REPLICATION, "{fault: host-kill, restart_after: 4s}"),
    "stop": (_POSTGRES, "{fault: stop, restart_after: 4s}"),
    "restart": (_POSTGRES, "{fault: restart}"),
    "freeze": (_POSTGRES, "{fault: freeze, duration: 6s}"),
    "freeze, limited": (_LIMITED, "{fault: freeze, target: all, duration: 6s}"),
    "freeze, MariaDB": (_REPLICATION, "{fault: freeze, duration: 6s}"),
    "freeze, Galera": (_GALERA, "{fault: freeze, target: minority, duration: 6s}"),
    "freeze, Patroni": (_PATRONI, "{fault: freeze, duration: 6s}"),
    "freeze, Group Replication": (_GROUP, "{fault: freeze, duration: 6s}"),
    "freeze, MHA": (_MHA, "{fault: freeze, duration: 6s}"),
    "freeze, Pacemaker": (_PACEMAKER, "{fault: freeze, duration: 6s}"),
    "partition": (_REPLICATION, "{fault: partition, peers: all, duration: 6s}"),
    "degrade": (_POSTGRES, "{fault: degrade, latency: 100ms, duration: 6s}"),
    "slow-disk": (_POSTGRES, "{fault: slow-disk, delay: 200ms, duration: 6s}"),
    "full-disk": (_REPLICATION, "{fault: full-disk, duration: 6s}"),
    "connection-storm": (_POSTGRES, "{fault: connection-storm, connections: 80, duration: 5s}"),
    "long-transaction": (_POSTGRES, "{fault: long-transaction, duration: 6s}"),
    "stalled-replica": (_REPLICATION, "{fault: stalled-replica, duration: 6s}"),
    "switchover": (_POSTGRES, "{fault: switchover}"),
    "manager": (_POSTGRES, "{fault: manager, restart_after: 4s}"),
    "proxy": (_GALERA, "{fault: proxy, restart_after: 4s}"),
    "arbiter": (_ARBITER, "{fault: arbiter, restart_after: 4s}"),
    "command": (_POSTGRES, "{fault: command, inject: 'sleep 20; true', recover: 'true', duration: 3s}"),
    "sequence": (
        _REPLICATION,
        "{fault: sequence, steps: [{at: 0s, fault: {fault: freeze, target: replica, duration: 6s}}, "
        "{at: 1s, fault: {fault: partition, target: primary, peers: all, duration: 4s}}]}",
    ),
    "repeat": (
        _POSTGRES,
        "{fault: repeat, of: {fault: freeze, target: any, duration: 2s}, times: 2, every: 2s}",
    ),
}


@dataclass(frozen=True)
class FaultWindow:
    """Describe one kill: the case, and the moment."""

    case: str
    when: str
    """`setup`: seconds after the start of the program; `load`: seconds after the start of the load."""
    after: float
    resume: bool
    """Whether the run is resumed and completed afterwards."""


@dataclass
class Outcome:
    """Record what a kill left behind."""

    fault_window: FaultWindow
    hit: bool = True
    """False if the program had ended before."""
    processes: int = 0
    stopped: int = 0
    """Number of its processes that a signal had stopped when it was killed."""
    gone_after: float | None = None
    """Seconds until nothing was left; None if something was left after `LIMIT`."""
    left: list[str] = field(default_factory=list)
    trouble: str = ""
    """The problem with the run's folder or with the resumed run."""

    @property
    def good(self) -> bool:
        """Return whether nothing was left and the run can be resumed."""
        return not self.left and not self.trouble

    def as_json(self) -> str:
        """Return the outcome as one line of JSON."""
        return json.dumps(asdict(self))


def kill_run(fault_window: FaultWindow, folder: Path) -> Outcome:
    """Start a run in an empty folder, kill it as `fault_window` says, and look for leftovers."""
    folder.mkdir(parents=True)
    solution, fault = CASES[fault_window.case]
    text = f"{_HEAD}solutions: [{solution}]\nfaults: [{fault}]\n"
    (folder / "kills.yaml").write_text(text)
    with (folder / "output").open("ab") as log:
        running = subprocess.Popen(
            program("run", "kills.yaml", "--out", "run"),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    _await_moment(fault_window, folder, running)
    outcome = Outcome(fault_window)
    below = _below(running.pid)
    outcome.processes, outcome.stopped = len(below), sum(map(_is_stopped, below))
    outcome.hit = running.poll() is None
    running.send_signal(signal.SIGKILL)
    killed = time.monotonic()
    running.wait()
    controllers = {running.pid, *(process.pid for process in below)}
    while left := _left(folder, below, controllers):
        if time.monotonic() > killed + LIMIT:
            outcome.left = left
            return outcome
        time.sleep(0.05)
    outcome.gone_after = round(time.monotonic() - killed, 2)
    if outcome.hit and fault_window.resume:
        outcome.trouble = _resume(folder)
    return outcome


def clear(outcome: Outcome, folder: Path) -> None:
    """End the leftover processes of a run in this folder, by their ids."""
    for process in _of_folder(folder) if outcome.left else []:
        for number in (signal.SIGKILL, signal.SIGCONT):
            try:
                process.send_signal(number)
            except psutil.NoSuchProcess:
                break


def _await_moment(fault_window: FaultWindow, folder: Path, running: subprocess.Popen[bytes]) -> None:
    # The observers start together with the load.
    begun = folder / "run/trials/.0001.part/observed/hosts.csv"
    deadline = time.monotonic() + 90
    while fault_window.when == "load" and not begun.exists() and running.poll() is None:
        assert time.monotonic() < deadline, (folder / "output").read_text()
        time.sleep(0.02)
    until = time.monotonic() + fault_window.after
    while time.monotonic() < until and running.poll() is None:
        time.sleep(0.02)


def _resume(folder: Path) -> str:
    """Resume the run and return the problem, if any."""
    result = fivenines("run", "kills.yaml", "--out", "run", "--resume", cwd=folder, timeout=200)
    if result.returncode != 0:
        return f"--resume ended with {result.returncode}: {result.stderr.strip()[-500:]}"
    hidden = [path.name for path in (folder / "run").rglob(".*")]
    return f"after --resume there is still {', '.join(hidden)}" if hidden else ""


def _below(controller: int) -> list[psutil.Process]:
    try:
        return psutil.Process(controller).children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def _left(folder: Path, below: list[psutil.Process], controllers: set[int]) -> list[str]:
    processes = {process.pid: process for process in [*below, *_of_folder(folder)] if _runs(process)}
    left = [f"process {_named(process)}" for process in processes.values()]
    mounts = Path("/proc/self/mounts").read_text().splitlines()
    left += [f"mount {line.split()[1]}" for line in mounts if str(folder) in line]
    root = Path("/sys/fs/cgroup")
    groups = [path for stars in ("", "*/", "*/*/") for path in root.glob(f"{stars}fivenines-*")]
    return left + [f"control group {g}" for g in groups if int(g.name.split("-")[1]) in controllers]


def _of_folder(folder: Path) -> list[psutil.Process]:
    """Return the processes that refer to the folder: by arguments, by output, or by mounts."""
    processes = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            known = [(entry / "cmdline").read_text(errors="replace")]
            known += [str((entry / "fd" / number).readlink()) for number in ("1", "2")]
            known.append((entry / "mountinfo").read_text(errors="replace"))
        except OSError:
            continue
        if any(str(folder) in text for text in known):
            try:
                processes.append(psutil.Process(int(entry.name)))
            except psutil.NoSuchProcess:
                continue
    return processes


def _named(process: psutil.Process) -> str:
    try:
        about = f"{process.pid}, child of {process.ppid()}, {process.status()}, {process.name()}"
        return f"{about}: {' '.join(process.cmdline())[:120]}"
    except psutil.ZombieProcess:
        return about
    except psutil.NoSuchProcess:
        return f"{process.pid} (ended)"


def _is_stopped(process: psutil.Process) -> bool:
    try:
        return bool(process.status() == psutil.STATUS_STOPPED)
    except psutil.NoSuchProcess:
        return False


def _runs(process: psutil.Process) -> bool:
    try:
        # The process has ended and its parent must collect it: for children this program, for orphans init.
        collected = process.status() == psutil.STATUS_ZOMBIE and process.ppid() in (1, os.getpid())
        return process.is_running() and not collected
    except psutil.NoSuchProcess:
        return False
