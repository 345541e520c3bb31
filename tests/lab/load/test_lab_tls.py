"""Encryption, log-ins and names: how the load reaches real servers, and its message if it cannot."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from lab_prepare import workload_flags
from lab_support import LIMIT

from fivenines.base.core import core_binary
from fivenines.experiment.source import solution_from
from fivenines.lab.host import Host
from fivenines.load import dataset
from fivenines.load.workloads.oltp import Oltp
from fivenines.servers.base import DATABASE, Value, inside
from fivenines.servers.local import LocalServer
from fivenines.software.store import engine
from fivenines.trial.deployment.deployed import Deployed

# The tests share running servers.
pytestmark = pytest.mark.lasts(0.5)

WORKLOAD = Oltp(workload="oltp_read_write", name="oltp", tables=2, table_size=500)
PASSWORD = "correct horse battery"
NAME = "db.example"


def _openssl(folder: Path, *arguments: str) -> None:
    subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True, timeout=LIMIT)


def _certificates(folder: Path) -> None:
    """Make an authority, another that signed nothing, and a server's certificate for `NAME`."""
    for authority in ("ca", "other"):
        _openssl(
            folder,
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-days",
            "30",
            "-subj",
            f"/CN={authority}",
            "-keyout",
            f"{authority}.key",
            "-out",
            f"{authority}.pem",
        )
    _openssl(
        folder,
        "req",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-subj",
        f"/CN={NAME}",
        "-keyout",
        "server.key",
        "-out",
        "server.csr",
    )
    (folder / "names").write_text(f"subjectAltName=DNS:{NAME}\nbasicConstraints=CA:FALSE\n")
    _openssl(
        folder,
        "x509",
        "-req",
        "-in",
        "server.csr",
        "-CA",
        "ca.pem",
        "-CAkey",
        "ca.key",
        "-days",
        "30",
        "-CAcreateserial",
        "-extfile",
        "names",
        "-out",
        "server.pem",
    )
    _openssl(
        folder,
        "req",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-subj",
        "/CN=shown",
        "-keyout",
        "client.key",
        "-out",
        "client.csr",
    )
    _openssl(
        folder,
        "x509",
        "-req",
        "-in",
        "client.csr",
        "-CA",
        "ca.pem",
        "-CAkey",
        "ca.key",
        "-days",
        "30",
        "-CAcreateserial",
        "-out",
        "client.pem",
    )


@dataclass
class Encrypted:
    """Provide a running server that offers TLS, and the paths of its certificates."""

    node: LocalServer
    client: Host
    folder: Path

    @property
    def authority(self) -> str:
        return f"--tls-ca={self.folder / 'ca.pem'}"

    def load(
        self,
        *flags: str,
        user: str = "app",
        password: str = "",
        endpoint: str = "",
        host: Host | None = None,
        hosts: Path | None = None,
    ) -> "Loaded":
        """Run twenty reads from the lab's client unless another host is named."""
        out = self.folder / f"out-{time.monotonic_ns()}"
        work = ("--transactions=20", "--duration=30s")
        command = self.command(out, endpoint or self.node.endpoint, user, *work, *flags)
        if hosts is not None:
            command = with_hosts(hosts, command)
        done = subprocess.run(
            (host or self.client).commands.outside(command),
            env={**os.environ, "PW": password or self.node.passwords.application},
            capture_output=True,
            text=True,
            timeout=LIMIT,
            check=False,
        )
        summary = json.loads((out / "load.json").read_text()) if done.returncode == 0 else {}
        return Loaded(done.returncode, done.stderr, summary)

    def command(self, out: Path, endpoint: str, user: str, *flags: str) -> list[str]:
        """Return the command line of such a load."""
        return [
            str(core_binary()),
            "load",
            f"--driver={self.node.driver}",
            f"--user={user}",
            "--password-env=PW",
            f"--database={DATABASE}",
            f"--write={endpoint}",
            *workload_flags("oltp_point_select", tables=2, table_size=500),
            "--connections=4",
            "--start-timeout=3s",
            f"--out={out}",
            *flags,
        ]


@dataclass
class Loaded:
    """Represent the result of a load."""

    code: int
    stderr: str
    summary: dict[str, Any]

    def tls(self) -> str | None:
        """Return the TLS version of a load that succeeded."""
        assert self.code == 0, self.stderr
        assert self.summary["transactions"]["ok"] > 0
        (endpoint,) = self.summary["endpoints"].values()
        version: str | None = endpoint["tls"]
        return version

    def refusal(self, code: int = 1) -> str:
        """Return the only line, which says why it failed."""
        assert self.code == code, (self.code, self.stderr)
        (line,) = self.stderr.strip().splitlines()
        assert PASSWORD not in line
        return line


def with_hosts(hosts: Path, command: list[str]) -> list[str]:
    """Return the command in a mount namespace where this file is /etc/hosts."""
    script = 'mount --bind "$1" /etc/hosts && shift && exec "$@"'
    return ["unshare", "--mount", "sh", "-c", script, "sh", str(hosts), *command]


def _up(name: str, folder: Path, tls: dict[str, Value]) -> Iterator[Encrypted]:
    settings = solution_from({"solution": "standalone", "engine": name}, "test")
    data = dataset.ensure(engine(name), WORKLOAD, lambda _message, _fraction: None)
    _certificates(folder)
    with Deployed(settings, data, folder / "lab") as deployed:
        deployed.bring_up()
        (node,), client = deployed.solution.nodes, deployed.client
        assert client is not None
        node.stop()
        for file in ("server.pem", "server.key", "ca.pem"):
            (node.host.node / "conf" / file).write_bytes((folder / file).read_bytes())
        (node.host.node / "conf" / "server.key").chmod(0o600)
        node.setup.configure({**deployed.solution.configuration.own(node), **tls})
        yield Encrypted(node, client, folder)


@pytest.fixture(scope="module")
def mariadb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Encrypted]:
    """Provide MariaDB with TLS and an account of each kind."""
    tls: dict[str, Value] = {
        "ssl_cert": inside("conf", "server.pem"),
        "ssl_key": inside("conf", "server.key"),
        "ssl_ca": inside("conf", "ca.pem"),
    }
    for server in _up("mariadb-10.11", tmp_path_factory.mktemp("mariadb"), tls):
        server.node.start()
        server.node.wait_ready()
        server.node.sql.execute(
            "INSTALL SONAME 'auth_ed25519'",
            f"CREATE USER ed@'%' IDENTIFIED VIA ed25519 USING PASSWORD('{PASSWORD}')",
            f"CREATE USER native@'%' IDENTIFIED BY '{PASSWORD}'",
            f"CREATE USER strict@'%' IDENTIFIED BY '{PASSWORD}' REQUIRE SSL",
            f"CREATE USER shown@'%' IDENTIFIED BY '{PASSWORD}' REQUIRE X509",
            *(f"GRANT ALL ON {DATABASE}.* TO {user}@'%'" for user in ("ed", "native", "strict", "shown")),
        )
        yield server


@pytest.fixture(scope="module")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Encrypted]:
    """Provide the machine's PostgreSQL with TLS, as the wheel's lacks it, and an account per method."""
    if not engine("host-postgres").status().installed:
        pytest.fail("PostgreSQL is not installed on this machine: `make tools` installs it")
    tls: dict[str, Value] = {
        "ssl": True,
        "ssl_cert_file": inside("conf", "server.pem"),
        "ssl_key_file": inside("conf", "server.key"),
        "ssl_ca_file": inside("conf", "ca.pem"),
        "listen_addresses": "*",
    }
    for server in _up("host-postgres", tmp_path_factory.mktemp("postgres"), tls):
        hba = server.node.host.node / "conf" / "pg_hba.conf"
        rules = (
            "host all scram all scram-sha-256\nhost all md5er all md5\nhost all plain all password\n"
            "hostssl all strict all scram-sha-256\nhost all strict all reject\nhost all app all trust\n"
            "hostssl all shown all cert\n"
        )
        hba.write_text(rules + hba.read_text())
        server.node.start()
        server.node.wait_ready()
        server.node.sql.execute(
            *(
                f"CREATE ROLE {user} LOGIN PASSWORD '{PASSWORD}' IN ROLE app"
                for user in ("scram", "plain", "strict", "shown")
            ),
            "SET password_encryption = md5",
            f"CREATE ROLE md5er LOGIN PASSWORD '{PASSWORD}' IN ROLE app",
        )
        yield server


@pytest.fixture(params=["mariadb", "postgres"])
def server(request: pytest.FixtureRequest) -> Encrypted:
    """Provide each of the two."""
    encrypted: Encrypted = request.getfixturevalue(request.param)
    return encrypted


def test_modes_that_check_nothing(server: Encrypted) -> None:
    assert server.load().tls() == "TLSv1.3", "prefer is the default"
    assert server.load("--tls=require").tls() == "TLSv1.3"
    assert server.load("--tls=disable").tls() is None


def test_the_authority_is_checked(server: Encrypted) -> None:
    assert server.load("--tls=verify-ca", server.authority).tls() == "TLSv1.3"
    other = f"--tls-ca={server.folder / 'other.pem'}"
    assert "--tls-ca" in server.load("--tls=verify-ca", other).refusal()
    assert "not signed by a trusted authority" in server.load("--tls=verify-ca").refusal()


def test_the_name_is_checked(server: Encrypted) -> None:
    hosts = server.folder / "hosts"
    hosts.write_text(f"{server.node.host.address} {NAME}\n{server.node.host.address} elsewhere\n")
    flags = ("--tls=verify-full", server.authority)
    right = server.load(*flags, endpoint=f"{NAME}:{server.node.port}", hosts=hosts)
    assert right.tls() == "TLSv1.3"
    wrong = server.load(*flags, endpoint=f"elsewhere:{server.node.port}", hosts=hosts).refusal()
    assert NAME in wrong and "'elsewhere'" in wrong and "verify-ca" in wrong


def test_files_that_cannot_be_used(server: Encrypted) -> None:
    for file in ("missing.pem", "names"):
        refusal = server.load("--tls=verify-ca", f"--tls-ca={server.folder / file}").refusal(2)
        assert file in refusal
    assert "verify-ca" in server.load("--tls=require", server.authority).refusal(2)


def test_a_unix_socket_is_not_encrypted(server: Encrypted) -> None:
    name = "mysqld.sock" if server.node.driver == "mysql" else ".s.PGSQL.5432"
    link = Path(f"/tmp/fivenines-tls-{os.getpid()}")
    link.symlink_to(server.node.socket_folder())
    try:
        loaded = server.load("--tls=require", endpoint=str(link / name), user="app")
    finally:
        link.unlink()
    assert loaded.tls() is None


@pytest.mark.parametrize("mode", ["disable", "require"])
@pytest.mark.parametrize("user", ["ed", "native", "strict"])
def test_accounts_of_mariadb(mariadb: Encrypted, user: str, mode: str) -> None:
    loaded = mariadb.load(f"--tls={mode}", user=user, password=PASSWORD)
    if (user, mode) == ("strict", "disable"):
        assert "1045" in loaded.refusal()
        return
    assert loaded.tls() == ("TLSv1.3" if mode == "require" else None)
    assert "1045" in mariadb.load(f"--tls={mode}", user=user, password="guess").refusal()


@pytest.mark.parametrize("mode", ["disable", "require"])
@pytest.mark.parametrize("user", ["scram", "md5er", "plain", "strict"])
def test_accounts_of_postgres(postgres: Encrypted, user: str, mode: str) -> None:
    loaded = postgres.load(f"--tls={mode}", user=user, password=PASSWORD)
    if (user, mode) == ("strict", "disable"):
        assert "28000" in loaded.refusal()
        return
    assert loaded.tls() == ("TLSv1.3" if mode == "require" else None)
    assert "28P01" in postgres.load(f"--tls={mode}", user=user, password="guess").refusal()


def test_a_client_shows_its_certificate(server: Encrypted) -> None:
    shown = [f"--tls-cert={server.folder / 'client.pem'}", f"--tls-key={server.folder / 'client.key'}"]
    assert server.load("--tls=require", *shown, user="shown", password=PASSWORD).tls() == "TLSv1.3"
    refused = server.load("--tls=require", user="shown", password=PASSWORD).refusal()
    assert "1045" in refused or "certificate" in refused
    wrong = [shown[0], f"--tls-key={server.folder / 'other.key'}"]
    assert "sslkey" in server.load("--tls=require", *wrong, user="shown").refusal()


def test_a_log_in_is_bound_to_its_channel(postgres: Encrypted) -> None:
    flags = ("--tls=require", "--channel-binding=require")
    assert postgres.load(*flags, user="scram", password=PASSWORD).tls() == "TLSv1.3"
    assert "channel_binding" in postgres.load(*flags, user="plain", password=PASSWORD).refusal()
    bare = postgres.load("--tls=disable", flags[1], user="scram", password=PASSWORD).refusal()
    assert "not encrypted" in bare
    only = "--require-auth=scram-sha-256"
    assert postgres.load(only, user="scram", password=PASSWORD).tls() == "TLSv1.3"
    assert "require_auth" in postgres.load(only, user="plain", password=PASSWORD).refusal()


def test_what_the_string_asks_of_each_session(postgres: Encrypted, mariadb: Encrypted) -> None:
    named = ("--startup=application_name=nightly", "--startup=options=-c statement_timeout=1min")
    assert postgres.load(*named).tls() == "TLSv1.3"
    assert "22023" in postgres.load("--startup=options=-c statement_timeout=never").refusal()
    assert mariadb.load("--init-sql=SET sql_mode='ANSI', wait_timeout=77").tls() == "TLSv1.3"
    assert "1193" in mariadb.load("--init-sql=SET no_such_variable=1").refusal()


def test_a_server_without_tls(postgres: Encrypted, mariadb: Encrypted) -> None:
    _reload(postgres.node, "ALTER SYSTEM SET ssl = off", "off")
    try:
        assert postgres.load("--tls=prefer").tls() is None
        assert "offers no TLS" in postgres.load("--tls=require").refusal()
    finally:
        _reload(postgres.node, "ALTER SYSTEM RESET ssl", "on")
    mariadb.node.stop()
    mariadb.node.start("--skip-ssl")
    mariadb.node.wait_ready()
    try:
        assert mariadb.load("--tls=prefer").tls() is None
        assert "offers no TLS" in mariadb.load("--tls=require").refusal()
    finally:
        mariadb.node.stop()
        mariadb.node.start()
        mariadb.node.wait_ready()


def test_an_address_of_ipv6(postgres: Encrypted) -> None:
    host = postgres.node.host
    loaded = postgres.load("--tls=require", endpoint="[::1]:5432", host=host)
    assert loaded.tls() == "TLSv1.3"


def test_a_name_with_two_addresses(server: Encrypted) -> None:
    """Resolve a name to the client's own address first, where no server listens."""
    hosts = server.folder / "hosts"
    hosts.write_text(f"{server.client.address} {NAME}\n{server.node.host.address} {NAME}\n")
    loaded = server.load(endpoint=f"{NAME}:{server.node.port}", hosts=hosts)
    assert loaded.tls() == "TLSv1.3"
    assert loaded.summary["connects_failed"] >= 4, "each of the connections tried it first"


def test_a_name_that_moves(postgres: Encrypted) -> None:
    """Take away the server's address, give it another one, and update the name."""
    node, host = postgres.node, postgres.node.host
    first, second = host.address, host.address.rsplit(".", 1)[0] + ".77"
    hosts = postgres.folder / "hosts"
    hosts.write_text(f"{first} {NAME}\n")
    out = postgres.folder / "moved"
    bounds = ("--answer-timeout=1s", "--connect-timeout=500ms")
    command = with_hosts(hosts, postgres.command(out, f"{NAME}:5432", "app", "--duration=1h", *bounds))
    load = postgres.client.commands.spawn_outside(
        command, log="moved.out", env={"PW": node.passwords.application}
    )
    clients = "FROM pg_stat_activity WHERE usename = 'app'"
    try:
        _await_rows(node, f"SELECT 1 {clients}", 4)
        hosts.write_text(f"{second} {NAME}\n")
        _ip(host, "addr", "del", f"{first}/24", "dev", "eth0")
        _ip(host, "addr", "add", f"{second}/24", "dev", "eth0")
        # The server cannot notify clients of the old sessions' end, so they must detect it themselves.
        node.sql.execute(f"SELECT pg_terminate_backend(pid) {clients}")
        _await_rows(node, f"SELECT 1 {clients}", 4)
        load.interrupt(signal.SIGTERM)
        assert load.wait(LIMIT)
    finally:
        _ip(host, "addr", "flush", "dev", "eth0")
        _ip(host, "addr", "add", f"{first}/24", "dev", "eth0")
    tail = load.log_tail()
    summary = json.loads((out / "load.json").read_text())
    assert summary["reconnects"] >= 4, tail


def _reload(node: LocalServer, change: str, ssl: str) -> None:
    """Switch TLS in PostgreSQL: a reload only requests it, and later sessions show it."""
    node.sql.execute(change, "SELECT pg_reload_conf()")
    _await_rows(node, f"SELECT 1 WHERE current_setting('ssl') = '{ssl}'", 1)


def _ip(host: Host, *arguments: str) -> None:
    subprocess.run(host.commands.outside(["ip", *arguments]), check=True, capture_output=True, timeout=LIMIT)


def _await_rows(node: LocalServer, statement: str, count: int) -> None:
    deadline = time.monotonic() + LIMIT
    while len(node.sql.query(statement)) < count:
        assert time.monotonic() < deadline, node.sql.query(statement)
        time.sleep(0.05)
