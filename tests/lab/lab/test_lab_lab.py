"""The private lab: hosts are isolated from the machine and from each other's files, and reach each other."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest
from lab_support import LIMIT

from fivenines.base.errors import FiveninesError
from fivenines.base.paths import short_path
from fivenines.lab import limits
from fivenines.lab.host import Host, Root
from fivenines.lab.lab import Lab
from fivenines.lab.namespaces.lab import NamespaceLab
from fivenines.lab.processes import look
from fivenines.lab.settings import NetworkSettings
from fivenines.software.store import engine


@dataclass
class Pair:
    """Run a lab with two hosts: one with an engine's root file system, one with the machine's."""

    lab: Lab
    engine: Host
    machine: Host


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    mariadb = engine("mariadb-10.11")
    mariadb.require(lambda _message, _fraction: None)
    folder = tmp_path_factory.mktemp("lab") / "lab"
    with NamespaceLab(folder) as lab:
        yield Pair(lab, lab.add_host("one", mariadb.root()), lab.add_host("two", Root()))
    assert not folder.exists()


def _sh(host: Host, script: str) -> str:
    return host.commands.run(["sh", "-c", script]).strip()


def test_hosts_have_separate_names_addresses_and_processes(pair: Pair) -> None:
    for host in (pair.engine, pair.machine):
        assert _sh(host, "cat /proc/sys/kernel/hostname") == host.name
        assert host.address in _sh(host, "ip -4 -o addr show dev eth0")
        devices = _sh(host, "ls /sys/class/net; ip -o link | wc -l").split()
        assert devices[-1] == "2", "lo and eth0, nothing of the machine's"
        pids = [int(pid) for pid in _sh(host, "ls /proc").split() if pid.isdigit()]
        assert pids[0] == 1 and len(pids) < 10
    assert pair.engine.address != pair.machine.address
    assert Path("/proc/sys/kernel/hostname").read_text().strip() not in ("one", "two")


@pytest.mark.parametrize("reverse", [False, True])
def test_hosts_reach_each_other_and_no_other_host(pair: Pair, reverse: bool) -> None:
    server, client = (pair.machine, pair.engine) if reverse else (pair.engine, pair.machine)
    with ThreadPoolExecutor() as pool:
        talk = [sys.executable, "-c", _LISTEN, server.address]
        heard = pool.submit(
            subprocess.run, server.commands.outside(talk), capture_output=True, text=True, timeout=LIMIT
        )
        call = [sys.executable, "-c", _CALL, server.address]
        result = subprocess.run(
            client.commands.outside(call), capture_output=True, text=True, timeout=LIMIT, check=True
        )
        assert result.stdout == "hello\n"
        assert heard.result().stdout == f"{client.address}\n"
    # There is no way out: hosts have no default route, and the machine does not see the hosts.
    assert "default" not in _sh(client, "ip route")
    assert (
        server.address
        not in subprocess.run(["ip", "-4", "addr"], capture_output=True, text=True, check=True).stdout
    )


_LISTEN = """
import socket, sys
with socket.create_server((sys.argv[1], 7777)) as listener:
    listener.settimeout(90)
    stream, peer = listener.accept()
    stream.sendall(b"hello")
    stream.close()
    print(peer[0])
"""
_CALL = """
import socket, sys, time
for attempt in range(900):
    try:
        stream = socket.create_connection((sys.argv[1], 7777), timeout=5)
        break
    except OSError:
        time.sleep(0.1)
print(stream.recv(100).decode())
"""
_GREET = """
import socket, sys
with socket.create_server((sys.argv[1], 7777)) as listener:
    while True:
        listener.accept()[0].sendall(b"hello")
"""


def test_a_host_over_an_engine_writes_into_its_own_layer_only(pair: Pair) -> None:
    tree = engine("mariadb-10.11").root().lower
    assert tree is not None
    _sh(pair.engine, "echo mine > /etc/fivenines-was-here; rm /etc/passwd")
    assert _sh(pair.engine, "cat /etc/fivenines-was-here; ls /etc/passwd || true") == "mine"
    assert not (tree / "etc/fivenines-was-here").exists()
    assert (tree / "etc/passwd").exists()
    assert not Path("/etc/fivenines-was-here").exists()
    assert engine("mariadb-10.11").status().installed


def test_a_host_with_the_machines_root_cannot_write_there(pair: Pair) -> None:
    for target in ("/etc/fivenines-was-here", "/usr/fivenines-was-here", f"{Path.cwd()}/x"):
        with pytest.raises(FiveninesError, match=r"(?i)read-only|nonexistent|no such|permission"):
            _sh(pair.machine, f"echo x > {target}")
        assert not Path(target).exists()
    _sh(pair.machine, "echo x > /tmp/fivenines-was-here; echo y > /run/node/data/file")
    assert not Path("/tmp/fivenines-was-here").exists()
    assert (pair.machine.node / "data/file").read_text() == "y\n"


def test_a_host_does_not_see_the_other_hosts_files_and_processes(pair: Pair) -> None:
    _sh(pair.engine, "echo secret > /run/node/data/secret")
    assert _sh(pair.machine, "ls /run/node/data") in ("", "file")
    sleeper = pair.engine.commands.spawn(["sleep", "1000"])
    assert "sleep 1000" not in _sh(pair.machine, "cat /proc/*/cmdline | tr '\\0' ' '")
    hit = sleeper.kill()
    assert len(hit) >= 1 and sleeper.gone(hit)


def test_failing_and_slow_commands_are_reported(pair: Pair) -> None:
    with pytest.raises(FiveninesError, match="one: sh failed: no way"):
        _sh(pair.engine, "echo no way >&2; exit 3")
    with pytest.raises(FiveninesError, match=r"sleep did not end within 0.3 s"):
        pair.machine.commands.run(["sleep", "20"], timeout=0.3)


FORKING = """
import os, time
for _ in range(20_000):
    if os.fork() == 0:
        time.sleep(600)
        os._exit(0)
    time.sleep(0.0005)
"""


@pytest.mark.parametrize("turn", range(3))
def test_a_kill_ends_processes_forked_at_that_moment(pair: Pair, turn: int) -> None:
    deadline = time.monotonic() + LIMIT
    bystander = pair.machine.commands.spawn(["sleep", "600"], log="bystander.out")
    while not (alive := bystander.members()):
        assert time.monotonic() < deadline
    process = pair.machine.commands.spawn(["python3", "-c", FORKING], log="forking.out")
    while len(process.members()) < 20 + turn:
        assert process.alive and time.monotonic() < deadline, process.log_tail()
    (seen,) = looks = look.look_at(process)
    while len(process.members()) == len(seen.members):
        assert time.monotonic() < deadline
    # This simulates that all processes since the listing were forked at the moment of the kill.
    hit = look.kill(looks)
    assert process.gone(hit)
    assert len(hit) > len(seen.members), "what was forked after the look is hit, too"
    left = [member for member in pair.machine.processes.running() if member.name().startswith("python")]
    assert not left and all(member.is_running() for member in alive)
    assert bystander.gone(bystander.kill())


def test_two_labs_do_not_meet(pair: Pair, tmp_path: Path) -> None:
    with NamespaceLab(tmp_path / "lab") as other:
        twin = other.add_host("one", Root())
        assert twin.address == pair.engine.address
        listening = pair.engine.commands.spawn_outside(
            [sys.executable, "-c", _GREET, pair.engine.address], log="listen.out"
        )
        # A host of the same lab gets through, so the refusal does not merely come too early.
        met = subprocess.run(
            pair.machine.commands.outside([sys.executable, "-c", _CALL, pair.engine.address]),
            capture_output=True,
            text=True,
            check=True,
            timeout=LIMIT,
        )
        assert met.stdout == "hello\n"
        refused = "import socket, sys; s = socket.socket(); print(s.connect_ex((sys.argv[1], 7777)))"
        result = subprocess.run(
            twin.commands.outside([sys.executable, "-c", refused, twin.address]),
            capture_output=True,
            text=True,
            check=True,
            timeout=LIMIT,
        )
        assert result.stdout.strip() != "0"
        listening.kill()
        assert other.pid != pair.lab.pid
    assert _sh(pair.engine, "echo lives") == "lives"


def test_a_folder_with_a_path_too_long_for_sockets(tmp_path: Path) -> None:
    folder = tmp_path / ("long-" * 20) / ("path-" * 20)
    with NamespaceLab(folder / "lab") as lab:
        host = lab.add_host("one", Root())
        listening = host.commands.spawn(
            [
                "/usr/bin/env",
                "python3",
                "-c",
                "import socket, time; s = socket.socket(socket.AF_UNIX); "
                "s.bind('/run/node/run/s'); s.listen(); time.sleep(30)",
            ],
            log="listen.out",
        )
        _until((host.node / "run/s").exists, listening.log_tail)
        with short_path(host.node / "run") as short:
            assert len(f"{short}/s") < 107 < len(str(host.node / "run/s"))
            assert Path(f"{short}/s").is_socket()
    assert not (folder / "lab").exists()


def test_nothing_of_a_lab_is_left_after_an_exception(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), NamespaceLab(tmp_path / "lab") as lab:
        host = lab.add_host("one", Root())
        sleeper = host.commands.spawn(["sleep", "1000"])
        members = _until(sleeper.members, sleeper.log_tail)
        raise ZeroDivisionError
    assert sleeper.gone(members)
    assert not (tmp_path / "lab").exists()


def test_a_lab_that_cannot_be_made_reports_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "core"
    broken.write_text("#!/bin/sh\necho no namespaces today >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setattr("fivenines.lab.namespaces.lab.core_binary", lambda: broken)
    with pytest.raises(FiveninesError, match=r"no namespaces today(.|\n)*fivenines doctor"):
        NamespaceLab(tmp_path / "lab")


def test_bandwidth_equals_the_setting(tmp_path: Path, pair: Pair) -> None:
    with NamespaceLab(tmp_path / "lab", NetworkSettings(bandwidth=20_000_000)) as lab:
        shaped = _bits_per_second(lab.add_host("one", Root()), lab.add_host("two", Root()))
    # Only shaping sets an upper bound on speed; on any machine one of three attempts without shaping is fast.
    free = max(_bits_per_second(pair.machine, pair.engine) for _ in range(3))
    assert 1e6 < shaped < 40e6
    assert free > 3 * shaped


def _bits_per_second(server: Host, client: Host) -> float:
    with ThreadPoolExecutor() as pool:
        command = server.commands.outside([sys.executable, "-c", _SINK, server.address])
        sink = pool.submit(subprocess.run, command, capture_output=True, text=True, timeout=LIMIT)
        subprocess.run(
            client.commands.outside([sys.executable, "-c", _SOURCE, server.address]), check=True, timeout=60
        )
        return float(sink.result().stdout)


_SINK = """
import socket, sys, time
with socket.create_server((sys.argv[1], 7788)) as listener:
    stream, _ = listener.accept()
    begun, size = time.monotonic(), 0
    while chunk := stream.recv(1 << 16):
        size += len(chunk)
    print(size * 8 / (time.monotonic() - begun))
"""
_SOURCE = """
import socket, sys, time
for attempt in range(150):
    try:
        stream = socket.create_connection((sys.argv[1], 7788), timeout=30)
        break
    except OSError:
        time.sleep(0.1)
stream.sendall(bytes(5_000_000))
"""


def test_limits_apply_or_the_reason_is_reported(tmp_path: Path) -> None:
    with NamespaceLab(tmp_path / "lab") as lab:
        host = lab.add_host("one", Root(), memory=64 * 2**20, cpus=0.5)
        if not limits.detect().usable:
            assert lab.limits_reason
            return
        assert lab.limits_reason == ""
        eater = host.commands.spawn(
            ["/usr/bin/env", "python3", "-c", "x = bytearray(300 << 20); print('ate it all')"],
            log="eater.out",
        )
        assert eater.wait(LIMIT)
        assert "ate it all" not in eater.log_tail()
        group = Path(host.group.folders[0])
        assert re.fullmatch(rf"fivenines-{os.getpid()}-.*one", group.name)
    assert not group.exists()


def _until(ask, describe, timeout: float = 60.0):  # type: ignore[no-untyped-def]
    import time  # noqa: PLC0415

    deadline = time.monotonic() + timeout
    while not (answer := ask()):
        assert time.monotonic() < deadline, describe()
        time.sleep(0.05)
    return answer
