"""Virtual machines that fulfil the host's contract: commands, signals, files, network, power."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from lab_support import LIMIT

from fivenines.base.errors import FiveninesError
from fivenines.base.paths import short_path
from fivenines.base.waiting import wait_until
from fivenines.lab.host import Host, Root
from fivenines.lab.lab import Lab
from fivenines.lab.namespaces.lab import NamespaceLab
from fivenines.lab.processes import look
from fivenines.lab.processes.process import Process, all_in_state
from fivenines.lab.vm.disk_faults import VmDiskFaults
from fivenines.lab.vm.host import VirtualMachine
from fivenines.lab.vm.machine import Machine
from fivenines.software.engines.uml_kernel import UmlKernel
from fivenines.software.store import engine
from fivenines.trial.observers.processes import network


@dataclass
class Rig:
    """Hold a lab with two virtual machines (an engine's root, the machine's root) and a host."""

    lab: Lab
    first: VirtualMachine
    second: VirtualMachine
    host: Host


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    def quiet(_message: str, _fraction: float | None) -> None:
        return

    kernel, mariadb = engine("uml"), engine("mariadb-10.11")
    kernel.require(quiet)
    mariadb.require(quiet)
    assert isinstance(kernel, UmlKernel)
    machine = Machine(memory=256 * 2**20, disk=256 * 2**20, kernel=kernel.tree)
    folder = tmp_path_factory.mktemp("virtual-machines") / "lab"
    with NamespaceLab(folder) as lab:
        first = lab.add_host("node1", mariadb.root(), machine=machine)
        second = lab.add_host("node2", Root(), machine=machine)
        assert isinstance(first, VirtualMachine) and isinstance(second, VirtualMachine)
        yield Rig(lab, first, second, lab.add_host("client", Root()))
    assert not folder.exists()


def _sh(host: Host, script: str, uid: int | None = None) -> str:
    return host.commands.run(["sh", "-c", script], uid=uid).strip()


def _until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + LIMIT
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_virtual_machine_is_a_separate_machine(rig: Rig) -> None:
    for vm in (rig.first, rig.second):
        assert _sh(vm, "cat /proc/sys/kernel/hostname") == vm.name
        assert _sh(vm, "uname -r") == engine("uml").status().version
        assert vm.address in _sh(vm, "ip -4 -o addr show dev eth0")
        assert _sh(vm, "cat /proc/1/cmdline | tr '\\0' ' '").split()[1:3] == ["vm", "agent"]
        assert "ext4" in _sh(vm, "grep /run/node/data /proc/mounts")
    assert "10.11" in _sh(rig.first, "mariadbd --version"), "its root is the engine's"


def test_commands_have_input_users_environment_and_an_end(rig: Rig) -> None:
    assert rig.first.commands.run(["cat"], stdin="äß\n" * 50_000) == "äß\n" * 50_000
    assert _sh(rig.first, "id -u", uid=999) == "999"
    assert rig.first.commands.run(["sh", "-c", "echo $A $HOME"], env={"A": "b c"}) == "b c /tmp\n"
    with pytest.raises(FiveninesError, match=r"^node1: sh failed: no$"):
        rig.first.commands.run(["sh", "-c", "echo no >&2; exit 3"])
    # A few, because the collector of ended processes may be faster than their starter.
    for _ in range(10):
        with pytest.raises(FiveninesError, match="cannot run nothing-like-that: No such file"):
            rig.first.commands.run(["nothing-like-that"])
    ended = subprocess.run(rig.first.commands.inside(["sh", "-c", "kill -9 $$"], None), check=False)
    assert ended.returncode == -signal.SIGKILL


def _counting(vm: VirtualMachine) -> Process:
    script = "trap 'echo term; exit 4' TERM; sleep 1000 & while :; do echo .; sleep 0.02; done"
    started = vm.commands.spawn(["bash", "-c", script], log=f"counting-{time.monotonic_ns()}.out")
    assert started.log is not None
    _until(lambda: started.log and started.log.stat().st_size)
    return started


def _sleepers(vm: VirtualMachine) -> str:
    return _sh(vm, "pgrep -cx sleep || true")


def test_a_command_is_ended_frozen_and_killed_with_all_that_it_started(rig: Rig) -> None:
    counting = _counting(rig.first)
    assert counting.alive and _sleepers(rig.first) != "0"
    hit = counting.freeze()
    assert hit and all_in_state(hit, stopped=True) and counting.frozen
    assert counting.log is not None
    before = counting.log.stat().st_size
    time.sleep(0.3)
    assert counting.log.stat().st_size == before
    assert "T" in _sh(rig.first, "cut -d' ' -f3 /proc/$(pgrep -ox bash)/stat")
    assert all_in_state(counting.thaw(), stopped=False)
    _until(lambda: counting.log and counting.log.stat().st_size > before)
    counting.terminate()
    assert counting.popen.returncode == 4 and counting.log_tail(1) == "term"
    rig.first.processes.kill_all()
    counting = _counting(rig.first)
    hit = look.kill(look.look_at(counting))
    assert hit and counting.gone(hit)
    assert _sleepers(rig.first) == "0", "what it had started is gone, too"


def test_a_program_in_a_virtual_machine_ends_with_its_outer_process(rig: Rig) -> None:
    counting = _counting(rig.first)
    (end,) = counting.members()
    end.kill()
    _until(lambda: _sleepers(rig.first) == "0")


def test_a_host_kill_ends_all_processes_but_not_the_kernel(rig: Rig) -> None:
    booted = _sh(rig.first, "cut -d. -f1 /proc/uptime")
    (first, other) = (_counting(rig.first), _counting(rig.first))
    ends = rig.first.processes.kill_all()
    assert ends and first.gone(ends) and other.gone(ends)
    _until(lambda: not first.alive and not other.alive)
    assert int(_sh(rig.first, "cut -d. -f1 /proc/uptime")) >= int(booted)


def test_configuration_comes_in_and_logs_go_out(rig: Rig) -> None:
    (rig.first.node / "conf" / "a.cnf").write_text("1")
    (rig.first.node / "secret").mkdir(mode=0o700, exist_ok=True)
    (rig.first.node / "secret" / "key").write_text("s")
    (rig.first.node / "secret" / "key").chmod(0o600)
    look_in = "cat /run/node/conf/a.cnf /run/node/secret/key; stat -c %a:%u /run/node/secret/key"
    assert _sh(rig.first, look_in, uid=999) == "1s600:999"
    (rig.first.node / "conf" / "a.cnf").write_text("2")
    assert _sh(rig.first, look_in, uid=999) == "2s600:999"
    _sh(rig.first, "echo first > /run/node/log/output.log", uid=999)
    log = rig.first.node / "log" / "output.log"
    _until(lambda: log.exists() and log.read_text() == "first\n")
    _sh(rig.first, "echo second >> /run/node/log/output.log", uid=999)
    _until(lambda: log.read_text() == "first\nsecond\n")


def test_a_socket_in_the_vm_is_reached_from_outside(rig: Rig) -> None:
    rig.first.files.show_socket("echo.sock")
    rig.first.commands.spawn(["socat", "UNIX-LISTEN:/run/node/run/echo.sock,fork", "EXEC:cat"])
    answers: list[bytes] = []

    def answered() -> bool:
        with short_path(rig.first.node / "run") as folder, socket.socket(socket.AF_UNIX) as client:
            try:
                client.connect(f"{folder}/echo.sock")
                client.sendall(b"x" * 100_000)
                client.shutdown(socket.SHUT_WR)
                answers.append(b"".join(iter(lambda: client.recv(65536), b"")))
            except OSError:
                return False
            return bool(answers[-1])

    _until(answered)
    assert answers[-1] == b"x" * 100_000


def test_the_data_folder_is_the_disk(rig: Rig, tmp_path: Path) -> None:
    data = rig.second.data
    data.write_text("a", "text")
    assert data.exists("a") and data.read_text("a") == "text" == _sh(rig.second, "cat /run/node/data/a")
    data.remove("a")
    data.close_to_others()
    assert not data.exists("a") and data.read_text("a") == ""
    assert _sh(rig.second, "stat -c %a /run/node/data") == "700"
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "c").write_text("copied")
    data.fill(tmp_path)
    assert _sh(rig.second, "cat /run/node/data/b/c") == "copied"
    rig.first.data.fill(data)
    assert _sh(rig.first, "cat /run/node/data/b/c") == "copied"


def _reaches(rig: Rig, source: str, target: str) -> bool:
    """Return whether frames get through, with patience: the sender must start in the virtual machine."""
    return rig.lab.network.reaches(source, target, timeout=5.0)


def test_frames_cross_and_are_cut(rig: Rig) -> None:
    names = ["node1", "node2", "client"]
    pairs = [(a, b) for a in names for b in names if a != b]
    rig.second.power.on()
    assert all(_reaches(rig, *pair) for pair in pairs)
    rig.lab.network.cut([("node1", "node2"), ("client", "node1")])
    assert not rig.lab.network.reaches("node1", "node2") and not rig.lab.network.reaches("client", "node1")
    assert _reaches(rig, "node2", "node1") and _reaches(rig, "node1", "client")
    # The test uses another connection to look in.
    assert _sh(rig.first, "echo here") == "here"
    rig.lab.network.heal([("node1", "node2"), ("client", "node1")])
    assert _reaches(rig, "node1", "node2") and _reaches(rig, "client", "node1")


def test_a_disk_that_answers_is_sound(rig: Rig) -> None:
    _sh(rig.first, "sleep 1")
    assert 0 < rig.first.agent.disk_delay() < 5
    rig.lab.require_sound()


def test_its_clock_is_the_machines(rig: Rig) -> None:
    # The best of several: an answer that is late on a busy machine shows less of the clock.
    errors: list[float] = []

    def wrong() -> str:
        errors.append(abs(rig.first.agent.clock_error()))
        return "" if min(errors) < 0.02 else f"errors {errors}"

    wait_until(wrong, LIMIT, "the clock is right", 0.1)


def test_a_power_loss_takes_unflushed_writes_and_nothing_else(rig: Rig) -> None:
    boot = "cat /proc/sys/kernel/random/boot_id"
    first = _sh(rig.first, boot)
    rig.first.files.show_socket("late.sock")
    _sh(rig.first, "cd /run/node/data && echo kept > kept && sync && echo lost > lost && cat lost")
    _sh(rig.first, "echo gone > /etc/gone")
    assert rig.first.power.off() and not rig.first.power.is_on
    assert not rig.lab.network.reaches("node1", "client")
    with pytest.raises(FiveninesError, match=r"^node1 is switched off$"):
        rig.first.commands.run(["true"])
    rig.first.power.on()
    assert _sh(rig.first, boot) != first
    assert _sh(rig.first, "cd /run/node/data && cat kept; cat lost 2>&1 || true").split("\n")[0] == "kept"
    assert "lost\n" not in _sh(rig.first, "cat /run/node/data/lost 2>/dev/null || true") + "\n"
    assert _sh(rig.first, "ls /etc/gone 2>/dev/null || true") == "", "its root is in memory"
    assert _reaches(rig, "node1", "client") and _reaches(rig, "client", "node1")
    assert os.path.exists(rig.first.node / "run" / "late.sock")  # noqa: PTH110


def test_a_virtual_machine_that_cannot_start_reports_the_reason(rig: Rig, tmp_path: Path) -> None:
    wrong = Machine(2**20, 2**20, rig.first.machine.kernel)
    vm = rig.lab.add_host("node3", Root(), machine=wrong)
    with pytest.raises(FiveninesError, match=r"^node3: the virtual machine (did not start|has no network)\."):
        vm.commands.run(["true"])


def test_what_it_sends_and_receives_is_counted_as_of_any_host(rig: Rig) -> None:
    for vm in (rig.first, rig.second):
        vm.power.on()

    def seen() -> tuple[int, int]:
        counted = network(*rig.first.port.ear(rig.lab.pid))
        assert counted is not None
        return counted

    # The virtual machine has sent the bytes that the bridge's end has received.
    sent, received = seen()
    datagram = f"head -c 1000 /dev/zero > /dev/udp/{rig.second.address}/9"
    rig.first.commands.run(["bash", "-c", f"for n in 1 2 3 4 5 6 7 8 9 10; do {datagram} || true; done"])
    _until(lambda: seen()[0] - sent > 5000)
    # Each is answered by its refusal at most.
    assert seen()[1] - received < seen()[0] - sent


def test_its_disk_grows_slow_and_full_and_is_as_before(tmp_path: Path) -> None:
    kernel = engine("uml")
    assert isinstance(kernel, UmlKernel)
    machine = Machine(256 * 2**20, 64 * 2**20, kernel.tree, delayed=True)
    with NamespaceLab(tmp_path / "lab") as lab:
        host = lab.add_host("node1", Root(), machine=machine)
        assert isinstance(host, VirtualMachine)
        disk = VmDiskFaults(host)
        before = disk.counts()[0]
        assert _flushed(host) > 0
        assert disk.counts()[0] > before
        disk.slow(0.3)
        # A flush cannot be faster than its delay.
        assert _flushed(host) > 0.3
        disk.normal()
        disk.full()
        assert disk.counts()[1] == 1
        with pytest.raises(FiveninesError, match="No space left"):
            _sh(host, "dd if=/dev/zero of=/run/node/data/more bs=64k count=10")
        disk.normal()
        assert disk.counts()[1] == 0
        _sh(host, "dd if=/dev/zero of=/run/node/data/more bs=64k count=10 2> /dev/null")
        # A power loss removes a delay.
        disk.slow(30.0)
        host.power.off()
        host.power.on()
        assert _flushed(host) < 30


def _flushed(host: Host) -> float:
    """Return the seconds until a small write is on the disk."""
    began = time.monotonic()
    _sh(host, "dd if=/dev/zero of=/run/node/data/small bs=4k count=1 conv=fsync 2> /dev/null")
    return time.monotonic() - began


def test_a_disk_that_is_for_others_is_not_filled(tmp_path: Path) -> None:
    kernel = engine("uml")
    assert isinstance(kernel, UmlKernel)
    machine = Machine(256 * 2**20, 64 * 2**20, kernel.tree, mounted=False)
    with NamespaceLab(tmp_path / "lab") as lab:
        host = lab.add_host("node1", Root(), machine=machine)
        assert isinstance(host, VirtualMachine)
        with pytest.raises(FiveninesError, match="no file system is mounted on its disk"):
            VmDiskFaults(host).full()
