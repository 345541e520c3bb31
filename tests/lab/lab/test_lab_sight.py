"""A server's view of the machine, and its permissions: its engine, its own folders, and nothing else.

Each server is queried by its own SQL, as an intruder would.
"""

import platform
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from lab_sight import CONNECT, HARMLESS, TRIES, Privileges, mounted, programs_inside, seen_by, tries
from lab_support import LIMIT

from fivenines.base.errors import FiveninesError
from fivenines.base.waiting import wait_until
from fivenines.experiment.source import solution_from
from fivenines.lab.processes import ids
from fivenines.load.workloads.oltp import Oltp
from fivenines.servers.local import LocalServer
from fivenines.software.store import engine
from fivenines.trial.deployment.deployed import Deployed, data_set, engines_of

# The tests share running servers.
pytestmark = pytest.mark.lasts(1.5)

WORKLOAD = Oltp(workload="oltp_read_write", name="oltp", tables=2, table_size=500)
SECRET = "fivenines' planted secret"
ENGINES = ("postgres-18", "host-postgres", "mariadb-10.11", "mysql-9.7")


def _deployed(settings: dict[str, object], folder: Path) -> Deployed:
    solution = solution_from(settings, "test")
    for needed in engines_of(solution):
        needed.require(lambda _message, _fraction: None)
    data = data_set(solution, WORKLOAD, lambda _message, _fraction: None)
    return Deployed(solution, data, folder / "lab")


@pytest.fixture(scope="module")
def secrets(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Path]]:
    """Provide files that all accounts may read: in a home, /tmp, /var/tmp, here, and in another run."""
    tops = [
        Path(tempfile.mkdtemp(prefix="fivenines-sight-", dir=place))
        for place in (Path.home(), "/tmp", "/var/tmp", Path.cwd())
    ]
    other = tmp_path_factory.mktemp("other-run") / "trials/.0001.part/lab/node1/node/data"
    other.mkdir(parents=True)
    for folder in (*tops, other):
        folder.chmod(0o755)
        (folder / "secret").write_text(SECRET)
        (folder / "secret").chmod(0o644)
    yield [folder / "secret" for folder in (*tops, other)]
    for top in tops:
        shutil.rmtree(top)


@dataclass
class Subject:
    """Provide one server, alone in its lab."""

    deployed: Deployed
    server: LocalServer

    def program(self, *command: str, uid: int | None = None) -> str:
        """Run a program like the server, or as the host's root (`uid` 0), and return its output."""
        as_root = None if uid == 0 else self.server.uid
        return self.server.host.commands.run(list(command), uid=as_root)

    def machine_program(self, *command: str) -> str:
        """Run a program of the machine on the client's host, as not all engines contain it."""
        assert self.deployed.client is not None
        return self.deployed.client.commands.run(list(command), uid=self.server.uid)


@pytest.fixture(scope="module", params=ENGINES)
def subject(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Subject]:
    """Provide each engine; the MySQL family with the setting under which it reads any file."""
    if not engine(request.param).status().installed and request.param.startswith("host-"):
        pytest.fail("PostgreSQL is not installed on this machine: `make tools` installs it")
    settings: dict[str, object] = {"solution": "standalone", "engine": request.param}
    if "postgres" not in request.param:
        settings["server"] = {"secure_file_priv": ""}
    with _deployed(settings, tmp_path_factory.mktemp("sight")) as deployed:
        deployed.bring_up()
        (server,) = deployed.solution.nodes
        yield Subject(deployed, server)


def test_a_server_has_no_privileges_and_can_gain_none(subject: Subject) -> None:
    nothing = Privileges(effective=0, bounding=0, no_new=1, filtered=2, uid=subject.server.uid)
    status = seen_by(subject.server, "/proc/self/status")
    assert status is not None
    assert replace(Privileges.read(status), uid=nothing.uid) == nothing
    assert Privileges.read(subject.program("cat", "/proc/self/status")) == nothing
    as_root = Privileges.read(subject.program("cat", "/proc/self/status", uid=0))
    assert as_root == replace(nothing, uid=0), "what the lab starts as root there has no more"


def test_a_server_sees_nothing_of_the_machines_files(subject: Subject, secrets: list[Path]) -> None:
    server = subject.server
    for path in secrets:
        # A tool outside the host sees the machine's files: the secret is readable.
        assert _output(server.host.commands.outside(["cat", str(path)])) == SECRET
        assert seen_by(server, path) is None, path
        with pytest.raises(FiveninesError, match="No such file"):
            subject.program("cat", str(path), uid=0)
    assert subject.program("sh", "-c", "ls -A /root /home /tmp /sys /var/tmp | grep -v :").split() == []
    assert set(subject.program("ls", "/run").split()) <= {"node", "engine"}
    assert seen_by(server, "/etc/passwd") != Path("/etc/passwd").read_text()


def test_only_a_few_harmless_things_are_mounted(subject: Subject) -> None:
    text = seen_by(subject.server, "/proc/self/mountinfo")
    assert text is not None
    mounts = mounted(text)
    assert [point for point in mounts if not HARMLESS.fullmatch(point)] == []
    assert mounts["/dev"][0] == "tmpfs" and mounts["/"][0] in ("tmpfs", "overlay")
    writable = {
        point for point, (kind, options) in mounts.items() if "ro" not in options and kind != "devtmpfs"
    }
    own = {"/run/node", "/run", "/tmp", "/dev/shm", "/proc"}
    assert writable - own <= ({"/"} if mounts["/"][0] == "overlay" else set())
    devices = set(subject.program("ls", "/dev").split())
    assert devices <= {
        "null",
        "zero",
        "full",
        "random",
        "urandom",
        "tty",
        "shm",
        "fd",
        "stdin",
        "stdout",
        "stderr",
    }
    for path in ("/proc/sys/kernel/hostname", "/proc/sys/net/ipv4/ip_forward"):
        with pytest.raises(FiveninesError, match="Read-only"):
            subject.program("sh", "-c", f"echo 1 > {path}", uid=0)
    assert subject.program("cat", "/proc/keys") == ""


def test_others_are_not_seen_and_not_reached_through_proc(subject: Subject, secrets: list[Path]) -> None:
    host = subject.server.host
    tool = host.commands.spawn_outside(["sleep", "600"], log="tool.out")
    try:
        look = ("sh", "-c", "cat /proc/[0-9]*/cmdline | tr '\\0' ' '")
        missing = "a tool of ours, which has the host's PIDs, is not seen"
        wait_until(lambda: "" if "sleep 600" in subject.program(*look) else missing, 10.0, "no tool")
        seen = subject.program(*look)
        assert "python" not in seen, "the machine's processes are not there"
        for uid in (0, subject.server.uid):
            script = f"cat /proc/[0-9]*/root{secrets[0]} /proc/[0-9]*/cwd/pyproject.toml 2>/dev/null; true"
            assert subject.program("sh", "-c", script, uid=uid) == ""
    finally:
        tool.kill()


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the numbers of calls are x86-64's")
def test_system_calls_that_lead_out_are_refused(subject: Subject) -> None:
    results = tries(subject.machine_program("python3", "-c", TRIES))
    absent = {"clone3": "ENOSYS", "newer": "ENOSYS", "AF_VSOCK": "EAFNOSUPPORT"}
    served = {"AF_UNIX": "done", "AF_INET": "done"}
    assert results == dict.fromkeys(results, "EPERM") | absent | served


@pytest.fixture(scope="module")
def services() -> Iterator[tuple[int, str]]:
    """Provide two services of the machine: one at a port on its loopback, one at an abstract socket."""
    name = f"fivenines-sight-{tempfile.mktemp(dir='')}"
    with socket.create_server(("127.0.0.1", 0)) as loopback, socket.socket(socket.AF_UNIX) as abstract:
        abstract.bind(f"\0{name}")
        abstract.listen()
        for listener in (loopback, abstract):
            threading.Thread(target=_greet, args=(listener,), daemon=True).start()
        yield loopback.getsockname()[1], name
        for listener in (loopback, abstract):
            listener.shutdown(socket.SHUT_RDWR)


def _greet(listener: socket.socket) -> None:
    while True:
        try:
            stream, _ = listener.accept()
        except OSError:
            return
        with stream:
            stream.recv(8)
            stream.sendall(b"welcome")


def _output(command: Sequence[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=LIMIT)
    return done.stdout.strip()


def test_the_machines_services_are_out_of_reach(subject: Subject, services: tuple[int, str]) -> None:
    port, name = services
    calls = [("127.0.0.1", str(port)), ("abstract", name)]
    for call in calls:
        ask = [sys.executable, "-c", CONNECT, *call]
        assert _output(ask) == "b'welcome'", "it serves every client that reaches it"
        refused = _output(subject.server.host.commands.outside(ask))
        assert "refused" in refused, "the host's network is not the machine's"
        assert "refused" in subject.machine_program("python3", "-c", CONNECT, *call)
    sockets = seen_by(subject.server, "/proc/self/net/unix")
    assert sockets is not None and subject.server.socket_name in sockets
    assert name in Path("/proc/self/net/unix").read_text() and name not in sockets
    routes = seen_by(subject.server, "/proc/self/net/route")
    assert routes is not None
    destinations = {line.split()[1] for line in routes.splitlines()[1:] if line.split()}
    assert destinations == {"0000630A"}, "10.99.0.0 alone, no way further"


def test_the_machine_does_not_reach_the_servers_port(subject: Subject) -> None:
    address, port = subject.server.endpoint.split(":")
    client = subject.deployed.client
    assert client is not None
    call = [sys.executable, "-c", CONNECT, address, port]
    answer = _output(client.commands.outside(call))
    assert answer.startswith("b'") and len(answer) > 3, "it answers in the lab"
    # In some networks another device accepts connections to any address: it is not the server.
    assert _output(call) != answer


FAMILIES: dict[str, tuple[dict[str, object], set[str]]] = {
    "patroni": (
        {"solution": "patroni", "access": {"kind": "haproxy"}},
        {"postgres", "patroni", "etcd", "haproxy"},
    ),
    "galera": ({"solution": "galera", "size": 2, "arbiter": True}, {"mariadbd", "garbd"}),
    "mha": (
        {"solution": "replication", "manager": {"kind": "mha"}},
        {"mariadbd", "sshd", "masterha_manager"},
    ),
    "innodb-cluster": (
        {"solution": "innodb-cluster", "access": {"kind": "mysql-router"}},
        {"mysqld", "mysqlrouter"},
    ),
}


@pytest.mark.parametrize("family", FAMILIES)
def test_no_program_of_a_solution_has_privileges(family: str, tmp_path: Path) -> None:
    settings, names = FAMILIES[family]
    with _deployed(settings, tmp_path) as deployed:
        deployed.bring_up()
        seen: dict[str, set[Privileges]] = {}
        for host in deployed.lab.hosts.values():
            for name, programs in programs_inside(host).items():
                seen.setdefault(name, set()).update(programs)
    for name in names:
        assert any(name in privileges for privileges in seen), f"{name} is not among {sorted(seen)}"
    for name, programs in seen.items():
        for privileges in programs:
            assert (
                privileges.effective,
                privileges.bounding,
                privileges.no_new,
                privileges.filtered >= 2,
            ) == (0, 0, 1, True), name


# Privileges that root of a host with all ids has: no mounts, no tracing, no devices; see privileges.rs.
MACHINE = 0x208034FB


@pytest.mark.skipif(bool(ids.problem()), reason=f"no cluster here: {ids.problem()}")
def test_with_separate_users_only_root_has_the_privileges_of_a_small_machine(tmp_path: Path) -> None:
    manager = {"kind": "pacemaker", "token": "2s"}
    with _deployed(
        {"solution": "replication", "mode": "after_sync", "manager": manager}, tmp_path
    ) as deployed:
        deployed.bring_up()
        for node in deployed.solution.nodes:
            seen = programs_inside(node.host)
            for daemon in ("mariadbd", "corosync", "pacemakerd", "pacemaker-based"):
                assert any(daemon in privileges for privileges in seen), (
                    f"{daemon} is not among {sorted(seen)}"
                )
            for name, programs in seen.items():
                for privileges in programs:
                    assert privileges.no_new == 1 and privileges.filtered == 2, name
                    assert privileges.bounding & ~MACHINE == 0, name
                    assert privileges.effective & ~(MACHINE if privileges.uid == 0 else 0) == 0, name
            (server,) = (
                privileges for name, programs in seen.items() if "mariadbd" in name for privileges in programs
            )
            assert (server.uid, server.effective) == (node.uid, 0)
            with pytest.raises(FiveninesError, match="not permitted"):
                node.host.commands.run(["unshare", "--mount", "true"])
