"""Virtual machines behind the host's contract: commands, signals, files, network, power."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from fivenines.errors import FiveninesError
from fivenines.lab import look
from fivenines.lab.guest import Guest, Machine
from fivenines.lab.guest_disk_faults import GuestDiskFaults
from fivenines.lab.host import Host, Root
from fivenines.lab.process import Process, all_in_state
from fivenines.lab.world import World
from fivenines.observe.processes import network
from fivenines.paths import short_path
from fivenines.software.store import engine
from fivenines.software.uml_kernel import UmlKernel


@dataclass
class Lab:
    """A world with two guests, one with an engine's root and one with the machine's, and a host."""

    world: World
    one: Guest
    two: Guest
    host: Host


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    def quiet(_message: str, _fraction: float | None) -> None:
        return

    kernel, mariadb = engine("uml"), engine("mariadb-10.11")
    kernel.require(quiet)
    mariadb.require(quiet)
    assert isinstance(kernel, UmlKernel)
    machine = Machine(memory=256 * 2**20, disk=256 * 2**20, kernel=kernel.tree)
    folder = tmp_path_factory.mktemp("guests") / "lab"
    with World(folder) as world:
        one = world.add_host("node1", mariadb.root(), machine=machine)
        two = world.add_host("node2", Root(), machine=machine)
        assert isinstance(one, Guest) and isinstance(two, Guest)
        yield Lab(world, one, two, world.add_host("client", Root()))
    assert not folder.exists()


def _sh(host: Host, script: str, uid: int | None = None) -> str:
    return host.run(["sh", "-c", script], uid=uid).strip()


def _until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 90
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_guest_is_a_machine_of_its_own(lab: Lab) -> None:
    for guest in (lab.one, lab.two):
        assert _sh(guest, "cat /proc/sys/kernel/hostname") == guest.name
        assert _sh(guest, "uname -r") == engine("uml").status().version
        assert guest.address in _sh(guest, "ip -4 -o addr show dev eth0")
        assert _sh(guest, "cat /proc/1/cmdline | tr '\\0' ' '").split()[1:3] == ["guest", "agent"]
        assert "ext4" in _sh(guest, "grep /run/node/data /proc/mounts")
    assert "10.11" in _sh(lab.one, "mariadbd --version"), "its root is the engine's"


def test_commands_have_input_users_environment_and_an_end(lab: Lab) -> None:
    assert lab.one.run(["cat"], stdin="äß\n" * 50_000) == "äß\n" * 50_000
    assert _sh(lab.one, "id -u", uid=999) == "999"
    assert lab.one.run(["sh", "-c", "echo $A $HOME"], env={"A": "b c"}) == "b c /tmp\n"
    with pytest.raises(FiveninesError, match=r"^node1: sh failed: no$"):
        lab.one.run(["sh", "-c", "echo no >&2; exit 3"])
    # a few, as whoever collects the ended may be quicker than who had started one
    for _ in range(10):
        with pytest.raises(FiveninesError, match="cannot run nothing-like-that: No such file"):
            lab.one.run(["nothing-like-that"])
    ended = subprocess.run(lab.one.inside(["sh", "-c", "kill -9 $$"], None), check=False)
    assert ended.returncode == -signal.SIGKILL


def _counting(guest: Guest) -> Process:
    script = "trap 'echo term; exit 4' TERM; sleep 1000 & while :; do echo .; sleep 0.02; done"
    started = guest.spawn(["bash", "-c", script], log=f"counting-{time.monotonic_ns()}.out")
    assert started.log is not None
    _until(lambda: started.log and started.log.stat().st_size)
    return started


def _sleepers(guest: Guest) -> str:
    return _sh(guest, "pgrep -cx sleep || true")


def test_a_command_is_ended_frozen_and_killed_with_all_that_it_started(lab: Lab) -> None:
    counting = _counting(lab.one)
    assert counting.alive and _sleepers(lab.one) != "0"
    hit = counting.freeze()
    assert hit and all_in_state(hit, stopped=True) and counting.frozen
    assert counting.log is not None
    before = counting.log.stat().st_size
    time.sleep(0.3)
    assert counting.log.stat().st_size == before
    assert "T" in _sh(lab.one, "cut -d' ' -f3 /proc/$(pgrep -ox bash)/stat")
    assert all_in_state(counting.thaw(), stopped=False)
    _until(lambda: counting.log and counting.log.stat().st_size > before)
    counting.terminate()
    assert counting.popen.returncode == 4 and counting.log_tail(1) == "term"
    lab.one.kill_all()
    counting = _counting(lab.one)
    hit = look.kill(look.look_at(counting))
    assert hit and counting.gone(hit)
    assert _sleepers(lab.one) == "0", "what it had started is gone, too"


def test_who_loses_its_end_out_here_ends_in_there(lab: Lab) -> None:
    counting = _counting(lab.one)
    (end,) = counting.members()
    end.kill()
    _until(lambda: _sleepers(lab.one) == "0")


def test_a_crash_ends_all_processes_but_not_the_kernel(lab: Lab) -> None:
    booted = _sh(lab.one, "cut -d. -f1 /proc/uptime")
    (one, other) = (_counting(lab.one), _counting(lab.one))
    ends = lab.one.kill_all()
    assert ends and one.gone(ends) and other.gone(ends)
    _until(lambda: not one.alive and not other.alive)
    assert int(_sh(lab.one, "cut -d. -f1 /proc/uptime")) >= int(booted)


def test_configuration_comes_in_and_logs_go_out(lab: Lab) -> None:
    (lab.one.node / "conf" / "a.cnf").write_text("1")
    (lab.one.node / "secret").mkdir(mode=0o700, exist_ok=True)
    (lab.one.node / "secret" / "key").write_text("s")
    (lab.one.node / "secret" / "key").chmod(0o600)
    look_in = "cat /run/node/conf/a.cnf /run/node/secret/key; stat -c %a:%u /run/node/secret/key"
    assert _sh(lab.one, look_in, uid=999) == "1s600:999"
    (lab.one.node / "conf" / "a.cnf").write_text("2")
    assert _sh(lab.one, look_in, uid=999) == "2s600:999"
    _sh(lab.one, "echo first > /run/node/log/said.log", uid=999)
    said = lab.one.node / "log" / "said.log"
    _until(lambda: said.exists() and said.read_text() == "first\n")
    _sh(lab.one, "echo second >> /run/node/log/said.log", uid=999)
    _until(lambda: said.read_text() == "first\nsecond\n")


def test_a_socket_in_the_guest_is_reached_from_outside(lab: Lab) -> None:
    lab.one.show_socket("echo.sock")
    lab.one.spawn(["socat", "UNIX-LISTEN:/run/node/run/echo.sock,fork", "EXEC:cat"])
    answers: list[bytes] = []

    def answered() -> bool:
        with short_path(lab.one.node / "run") as folder, socket.socket(socket.AF_UNIX) as client:
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


def test_the_data_folder_is_the_disk(lab: Lab, tmp_path: Path) -> None:
    data = lab.two.data
    data.write_text("a", "text")
    assert data.exists("a") and data.read_text("a") == "text" == _sh(
        lab.two, "cat /run/node/data/a"
    )
    data.remove("a")
    data.close_to_others()
    assert not data.exists("a") and data.read_text("a") == ""
    assert _sh(lab.two, "stat -c %a /run/node/data") == "700"
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "c").write_text("copied")
    data.fill(tmp_path)
    assert _sh(lab.two, "cat /run/node/data/b/c") == "copied"
    lab.one.data.fill(data)
    assert _sh(lab.one, "cat /run/node/data/b/c") == "copied"


def _reaches(lab: Lab, source: str, target: str) -> bool:
    """Whether frames get through, with patience: who sends is a program that has to start in the guest."""
    return lab.world.reaches(source, target, timeout=5.0)


def test_frames_cross_and_are_cut(lab: Lab) -> None:
    names = ["node1", "node2", "client"]
    pairs = [(a, b) for a in names for b in names if a != b]
    lab.two.power_on()
    assert all(_reaches(lab, *pair) for pair in pairs)
    lab.world.cut([("node1", "node2"), ("client", "node1")])
    assert not lab.world.reaches("node1", "node2") and not lab.world.reaches("client", "node1")
    assert _reaches(lab, "node2", "node1") and _reaches(lab, "node1", "client")
    # the way that we look in by is another one
    assert _sh(lab.one, "echo here") == "here"
    lab.world.heal([("node1", "node2"), ("client", "node1")])
    assert _reaches(lab, "node1", "node2") and _reaches(lab, "client", "node1")


def test_a_disk_that_answers_is_sound(lab: Lab) -> None:
    _sh(lab.one, "sleep 1")
    assert 0 < lab.one.disk_delay() < 5
    lab.world.require_sound()


def test_its_clock_is_the_machines(lab: Lab) -> None:
    errors = [abs(lab.one.clock_error()) for _ in range(10)]
    # the best of them: an answer that is late on a busy machine says less of the clock
    assert min(errors) < 0.02, errors


def test_power_takes_what_was_not_flushed_and_nothing_else(lab: Lab) -> None:
    boot = "cat /proc/sys/kernel/random/boot_id"
    first = _sh(lab.one, boot)
    lab.one.show_socket("late.sock")
    _sh(lab.one, "cd /run/node/data && echo kept > kept && sync && echo lost > lost && cat lost")
    _sh(lab.one, "echo gone > /etc/gone")
    assert lab.one.power_off() and not lab.one.powered
    assert not lab.world.reaches("node1", "client")
    with pytest.raises(FiveninesError, match=r"^node1 has no power$"):
        lab.one.run(["true"])
    lab.one.power_on()
    assert _sh(lab.one, boot) != first
    assert (
        _sh(lab.one, "cd /run/node/data && cat kept; cat lost 2>&1 || true").split("\n")[0]
        == "kept"
    )
    assert "lost\n" not in _sh(lab.one, "cat /run/node/data/lost 2>/dev/null || true") + "\n"
    assert _sh(lab.one, "ls /etc/gone 2>/dev/null || true") == "", "its root is in memory"
    assert _reaches(lab, "node1", "client") and _reaches(lab, "client", "node1")
    assert os.path.exists(lab.one.node / "run" / "late.sock")  # noqa: PTH110


def test_a_guest_that_cannot_start_says_why(lab: Lab, tmp_path: Path) -> None:
    wrong = Machine(2**20, 2**20, lab.one.machine.kernel)
    guest = lab.world.add_host("node3", Root(), machine=wrong)
    with pytest.raises(FiveninesError, match=r"^node3: the guest (did not start|has no network)\."):
        guest.run(["true"])


def test_what_it_sends_and_receives_is_counted_as_of_any_host(lab: Lab) -> None:
    for guest in (lab.one, lab.two):
        guest.power_on()

    def seen() -> tuple[int, int]:
        found = network(*lab.one.ear(lab.world.pid))
        assert found is not None
        return found

    # what the bridge's end has received, the guest has sent
    sent, received = seen()
    datagram = f"head -c 1000 /dev/zero > /dev/udp/{lab.two.address}/9"
    lab.one.run(["bash", "-c", f"for n in 1 2 3 4 5 6 7 8 9 10; do {datagram} || true; done"])
    _until(lambda: seen()[0] - sent > 5000)
    # each is answered by its refusal at the most
    assert seen()[1] - received < seen()[0] - sent


def test_its_disk_grows_slow_and_full_and_is_as_before(tmp_path: Path) -> None:
    kernel = engine("uml")
    assert isinstance(kernel, UmlKernel)
    machine = Machine(256 * 2**20, 64 * 2**20, kernel.tree, delayed=True)
    with World(tmp_path / "lab") as world:
        host = world.add_host("node1", Root(), machine=machine)
        assert isinstance(host, Guest)
        disk = GuestDiskFaults(host)
        before = disk.counts()[0]
        assert _flushed(host) > 0
        assert disk.counts()[0] > before
        disk.slow(0.3)
        # a flush cannot be faster than its delay
        assert _flushed(host) > 0.3
        disk.normal()
        disk.full()
        assert disk.counts()[1] == 1
        with pytest.raises(FiveninesError, match="No space left"):
            _sh(host, "dd if=/dev/zero of=/run/node/data/more bs=64k count=10")
        disk.normal()
        assert disk.counts()[1] == 0
        _sh(host, "dd if=/dev/zero of=/run/node/data/more bs=64k count=10 2> /dev/null")
        # with the power a delay is gone
        disk.slow(30.0)
        host.power_off()
        host.power_on()
        assert _flushed(host) < 30


def _flushed(host: Host) -> float:
    """Seconds that a small write takes until it is on the disk."""
    began = time.monotonic()
    _sh(host, "dd if=/dev/zero of=/run/node/data/small bs=4k count=1 conv=fsync 2> /dev/null")
    return time.monotonic() - began


def test_a_disk_that_is_for_others_is_not_filled(tmp_path: Path) -> None:
    kernel = engine("uml")
    assert isinstance(kernel, UmlKernel)
    machine = Machine(256 * 2**20, 64 * 2**20, kernel.tree, mounted=False)
    with World(tmp_path / "lab") as world:
        host = world.add_host("node1", Root(), machine=machine)
        assert isinstance(host, Guest)
        with pytest.raises(FiveninesError, match="no file system on its disk"):
            GuestDiskFaults(host).full()
