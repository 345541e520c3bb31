"""Log-ins of many kinds: shells that print, other shells, shells that run nothing, and jump hosts."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from lab_ssh import FOLDER, DataCentre, experiment, keygen, left, record, roles, run

from fivenines.lab.host import Host

# Effects of start files of public accounts: print, trace, stop at errors, change directory, locale and
# options.
_SPEAKS = "echo Welcome, authorised use only; echo 'stdin: is not a tty' >&2"
_WANDERS = (
    "set -eux; echo on $HOSTNAME; mkdir -p /tmp/work; cd /tmp/work; umask 077; trap 'echo bye' EXIT; "
    "export LANG=de_DE.UTF-8 LC_ALL=de_DE.UTF-8 POSIXLY_CORRECT=1 "
    "TAR_OPTIONS=--verbose BLOCK_SIZE=human-readable"
)
_LOGINS = {
    "node-1": ("bash", ".bashrc", _SPEAKS),
    "node-2": ("bash", ".bashrc", _WANDERS),
    "node-3": ("dash", ".profile", "echo never read"),
    "node-4": ("zsh", ".zshenv", _SPEAKS),
    "node-5": ("fish", ".config/fish/config.fish", f"cd /tmp; {_SPEAKS}"),
    "node-6": ("tcsh", ".cshrc", "echo Welcome, authorised use only; set noclobber; cd /usr"),
    "node-7": ("mksh", ".mkshrc", "echo never read"),
    "client-1": ("fish", ".config/fish/config.fish", _SPEAKS),
}

_PORTS = """
import pathlib, sys
from fivenines.experiment.inventory import read
from fivenines.lab.ssh.connection import Connection
connection = Connection("db", read(pathlib.Path(sys.argv[1])).machine("db"))
print(connection.ports)
connection.close()
"""


def log_in(centre: DataCentre, machine: str, shell: str, file: str = "", text: str = "") -> None:
    """Give root another login shell on a machine, and one start file."""
    host = centre.hosts[machine]
    passwd = host.node / "conf" / "passwd"
    lines = passwd.read_text().splitlines()
    passwd.write_text("\n".join([f"root:x:0:0:root:/tmp:{shell}", *lines[1:]]) + "\n")
    if file:
        path = f"/tmp/{file}"
        centre.privileged(host, f"mkdir -p $(dirname {path}); cat > {path} <<'END'\n{text}\nEND")


@pytest.fixture(scope="module")
def centre(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DataCentre]:
    with DataCentre(tmp_path_factory.mktemp("centre"), roles(len(_LOGINS) - 1, 1)) as made:
        for machine, (shell, file, text) in _LOGINS.items():
            # If a shell is not installed, the machine keeps its default.
            if program := shutil.which(shell):
                log_in(made, machine, program, file, text)
        yield made


def test_any_login_shell_will_do(centre: DataCentre, tmp_path: Path) -> None:
    inventory = str(centre.inventory)
    enrolled = run(centre, "hosts", "enrol", inventory, "--yes")
    assert enrolled.returncode == 0, enrolled.stdout + enrolled.stderr
    result = run(centre, "doctor", "--inventory", inventory, "--json")
    assert result.returncode == 0, result.stdout + result.stderr
    for machine, checks in json.loads(result.stdout)["machines"].items():
        states = {check["name"]: check["state"] for check in checks}
        assert states["host"] == states["cuts"] == states["links"] == "ok", (machine, checks)
    assert (
        "ignored 'Welcome, authorised use only', which the login shell prints before each command"
        in result.stdout
    )

    file = experiment(tmp_path, "standalone, engine: postgres-18")
    done = run(centre, "run", str(file), "--inventory", inventory, "--out", str(tmp_path / "run"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert record(tmp_path / "run")["status"] == "complete"
    assert left(centre) == []


def test_a_login_shell_that_runs_nothing_is_named(centre: DataCentre) -> None:
    inventory = str(centre.inventory)
    for machine, login, message in [
        ("node-1", ("/bin/bash", ".bashrc", "echo locked; exit 3"), "ended (exit code 3) without running"),
        ("node-2", ("/bin/bash", ".bashrc", "exec cat"), "ended (exit code 0) without running"),
        ("node-3", ("/usr/sbin/nologin",), "It printed 'This account is currently not available.'"),
    ]:
        log_in(centre, machine, *login)
        result = run(centre, "hosts", "check", inventory, "--only", machine)
        assert result.returncode == 1
        assert f"{machine}: the login shell of root" in result.stdout, result.stdout + result.stderr
        assert message in result.stdout, result.stdout


def _enrolled(centre: DataCentre, db: Host, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put an `ssh` that reads `config` first in the path, enrol `db` by it; return the inventory."""
    (folder / "bin").mkdir()
    program = folder / "bin" / "ssh"
    program.write_text(f'#!/bin/sh\nexec {shutil.which("ssh")} -F {folder}/config "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    inventory = folder / "hosts.yaml"
    inventory.write_text(f"folder: {FOLDER}\nhosts:\n  db: {{address: {db.address}, ssh: db, role: node}}\n")
    done = run(centre, "hosts", "enrol", str(inventory), "--yes")
    assert done.returncode == 0, done.stdout + done.stderr
    return inventory


def test_a_proxy_command_runs_in_a_shell_and_paths_have_tokens(
    centre: DataCentre, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Use a redirection, a shell variable, a key by the host's name, spaces in paths, and a revoked key."""
    gate, db = centre.hosts["node-3"], centre.hosts["client-1"]
    key = (db.node / "conf" / "host_key.pub").read_text()
    known = f"{gate.address} {(gate.node / 'conf' / 'host_key.pub').read_text()}{db.address} {key}"
    (tmp_path / "known").write_text(known)
    shutil.copy(centre.key, tmp_path / "of db")
    config = (
        f"Host *\n  User root\n  UserKnownHostsFile {tmp_path}/known\n  IdentityFile {centre.key}\n"
        f"Host gate\n  HostName {gate.address}\n"
        f"Host db\n  HostName {db.address}\n  IdentitiesOnly yes\n"
        f'  IdentityFile "{tmp_path}/of %n"\n  IdentityAgent "{tmp_path}/Group Containers/agent.sock"\n'
        "  ProxyCommand ssh -q -W %h:${P:-%p} gate 2>/dev/null\n"
    )
    (tmp_path / "config").write_text(config)
    inventory = _enrolled(centre, db, tmp_path, monkeypatch)
    (tmp_path / "revoked").write_text(key)
    with (tmp_path / "config").open("a") as file:
        file.write(f"  RevokedHostKeys {tmp_path}/revoked\n")
    refused = run(centre, "hosts", "check", str(inventory))
    assert "the host key of db is revoked" in refused.stdout + refused.stderr


def test_jump_hosts_of_the_configuration_are_used(
    centre: DataCentre, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Use aliases with separate users, ports and keys, in included files, with a missing key."""
    gate, inner, db = (centre.hosts[f"node-{number}"] for number in (4, 5, 6))
    for host in (gate, inner):
        # The key for the last machine is not valid for those before it.
        keygen(tmp_path / host.name)
        public = (tmp_path / f"{host.name}.pub").read_text()
        (host.node / "conf" / "authorized_keys").write_text(public)
    known = [
        f"[{host.address}]:{port} {(host.node / 'conf' / 'host_key.pub').read_text()}"
        for host, port in ((gate, 2222), (inner, 2222), (db, 22))
    ]
    (tmp_path / "known").write_text("".join(known).replace(f"[{db.address}]:22", db.address))
    folder = tmp_path / "conf.d"
    folder.mkdir()
    (folder / "20-all").write_text(
        f"Host *\n  User nobody\n  UserKnownHostsFile {tmp_path}/known\n  IdentityFile {tmp_path}/missing\n"
    )
    (folder / "10-lab").write_text(
        f"Host gate\n  HostName {gate.address}\n  Port 2222\n  User admin\n"
        f"  IdentityFile {tmp_path}/{gate.name}\n"
        f"Host inner\n  HostName {inner.address}\n  User admin\n"
        f"  IdentityFile {tmp_path}/{inner.name}\n"
        f"Host db\n  HostName {db.address}\n  User root\n  ProxyJump gate,inner:2222\n"
        f"  IdentityFile {centre.key}\n"
    )
    (tmp_path / "config").write_text(f"Include {folder}/*\n")
    inventory = _enrolled(centre, db, tmp_path, monkeypatch)
    result = run(centre, "hosts", "check", str(inventory))
    assert result.returncode == 0, result.stdout + result.stderr
    for host, user, came in (
        (gate, "admin", ""),
        (inner, "admin", gate.address),
        (db, "root", inner.address),
    ):
        log = (host.node / "log" / "sshd.log").read_text()
        assert f"Accepted publickey for {user} from {came}" in log, log

    ports = subprocess.run(
        centre.outside(sys.executable, "-c", _PORTS, str(inventory)),
        capture_output=True,
        text=True,
        check=True,
    )
    assert ports.stdout == "[2222, 2222, 22]\n", "of those that no fault may cut"

    refusing = (tmp_path / "known").read_text().replace(f"[{gate.address}]", "[192.0.2.1]")
    (tmp_path / "known").write_text(refusing)
    result = run(centre, "hosts", "check", str(inventory))
    assert "db: the host key of the jump host gate is unknown: log in once with `ssh gate`" in result.stdout
    (tmp_path / "config").write_text("Host *\n  Prot 2222\n")
    result = run(centre, "hosts", "check", str(inventory))
    assert (
        f"db: db: ssh cannot read its configuration for this host: {tmp_path}/config: line 2: Bad"
        in result.stdout
    )
