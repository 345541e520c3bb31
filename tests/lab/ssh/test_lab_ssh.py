"""Hosts on other machines: those of a lab, each with a real sshd, enrolled and inspected as a user does."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lab_ssh import FOLDER, PROGRAM, DataCentre, experiment, keygen, left, roles, run
from lab_ssh_sudo import as_admin
from lab_support import LIMIT

from fivenines.lab.processes.enter import enter

CONTROLLER = Path(__file__).parents[1] / "support" / "lab_ssh_controller.py"


@pytest.fixture(scope="module")
def centre(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DataCentre]:
    with DataCentre(tmp_path_factory.mktemp("centre"), roles(3, 1, 1)) as made:
        assert run(made, "hosts", "enrol", str(made.inventory), "--yes").returncode == 0
        yield made


def await_nothing(centre: DataCentre, seconds: float) -> list[str]:
    deadline = time.monotonic() + seconds
    while (leftovers := left(centre)) and time.monotonic() < deadline:
        time.sleep(0.2)
    return leftovers


# machines


def test_a_machine_that_was_not_enrolled_is_never_touched(tmp_path: Path) -> None:
    with DataCentre(tmp_path / "centre", roles(1, 1)) as centre:
        inventory = str(centre.inventory)
        result = run(centre, "doctor", "--inventory", inventory)
        assert result.returncode == 1
        assert "node-1 (10.99.0.11) is not enrolled" in result.stdout
        file = experiment(tmp_path, "standalone, engine: postgres-18")
        done = run(centre, "run", str(file), "--inventory", inventory, "--out", str(tmp_path / "r"))
        assert done.returncode == 1
        assert "is not enrolled" in done.stdout + done.stderr
        assert centre.privileged(centre.hosts["node-1"], f"ls -A {FOLDER} 2>/dev/null; true") == ""
        # A folder of another account is not taken over.
        centre.privileged(centre.hosts["node-1"], f"mkdir -p {FOLDER} && touch {FOLDER}/mine")
        refused = run(centre, "hosts", "enrol", inventory, "--yes", "--only", "node-1")
        assert refused.returncode == 1
        assert "that fivenines did not create" in refused.stdout + refused.stderr


def test_a_machine_reports_its_capabilities(centre: DataCentre) -> None:
    report = json.loads(run(centre, "doctor", "--inventory", str(centre.inventory), "--json").stdout)
    assert report["ok"], report
    for checks in report["machines"].values():
        states = {check["name"]: check["state"] for check in checks}
        assert states["host"] == states["cuts"] == states["links"] == states["ports"] == "ok", checks
    assert left(centre) == []


def test_a_port_in_use_is_reported(centre: DataCentre) -> None:
    host = centre.hosts["node-2"]
    listens = "import socket; s = socket.create_server(('', 5432)); print('up', flush=True); input()"
    other = subprocess.Popen(
        [*enter(host.pid, "user", "net"), sys.executable, "-S", "-c", listens],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert other.stdout is not None and other.stdout.readline() == "up\n"
        result = run(centre, "hosts", "check", str(centre.inventory), "--only", "node-2")
        assert result.returncode == 1
        assert "another server listens at port 5432 (PostgreSQL)" in result.stdout
        assert other.poll() is None
    finally:
        other.communicate("\n")


def test_a_refused_log_in_is_explained(centre: DataCentre, tmp_path: Path) -> None:
    text = centre.inventory.read_text()
    file = centre.place / "wrong.yaml"
    (centre.place / "empty").touch()
    keygen(centre.place / "other")
    for old, new, message in [
        ("known_hosts: known_hosts", "known_hosts: empty", "the host key of 10.99.0.11 is unknown"),
        ("user: root", "user: mysql", "the login shell of mysql ended (exit code 1)"),
        ("key: key", "key: other", "refuses the login of root"),
        ("10.99.0.11", "10.99.0.99", "cannot be reached over SSH"),
    ]:
        file.write_text(text.replace(old, new))
        result = run(centre, "hosts", "check", str(file), "--only", "node-1")
        assert result.returncode == 1, result.stdout
        assert message in result.stdout


def test_a_key_with_a_passphrase_is_taken_from_an_agent(centre: DataCentre) -> None:
    encrypted, ask, file = (centre.place / name for name in ("encrypted", "ask", "encrypted.yaml"))
    shutil.copy(centre.place / "key", encrypted)
    encrypted.chmod(0o600)
    change = ["ssh-keygen", "-q", "-p", "-P", "", "-N", "secret", "-f", str(encrypted)]
    subprocess.run(change, check=True, capture_output=True)
    ask.write_text("#!/bin/sh\necho secret\n")
    ask.chmod(0o755)
    file.write_text(centre.inventory.read_text().replace("key: key", "key: encrypted"))
    check = ("hosts", "check", str(file), "--only", "node-1")
    refused = run(centre, *check)
    assert refused.returncode == 1 and f"`ssh-add {encrypted}`" in refused.stdout, refused.stdout
    add = f'SSH_ASKPASS={ask} SSH_ASKPASS_REQUIRE=force ssh-add -q {encrypted}; exec "$@"'
    with_agent = centre.outside("ssh-agent", "sh", "-c", add, "sh", *PROGRAM, *check)
    done = subprocess.run(
        with_agent, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=LIMIT
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_an_account_with_sudo_can_do_the_same(tmp_path: Path) -> None:
    with DataCentre(tmp_path / "centre", roles(2, 1)) as centre:
        inventory = as_admin(centre)
        assert run(centre, "hosts", "enrol", inventory, "--yes").returncode == 0
        report = json.loads(run(centre, "doctor", "--inventory", inventory, "--json").stdout)
        for checks in report["machines"].values():
            states = {check["name"]: check["state"] for check in checks}
            assert states["host"] == states["cuts"] == states["links"] == "ok", checks
        assert left(centre) == []


# hosts


def test_a_remote_host_behaves_as_in_the_lab(centre: DataCentre, tmp_path: Path) -> None:
    done = subprocess.run(
        centre.outside(sys.executable, str(CONTROLLER), str(centre.inventory), str(tmp_path / "w"), "look"),
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT,
    )
    assert done.returncode == 0, done.stderr
    facts: dict[str, Any] = {}
    for line in done.stdout.splitlines():
        facts |= json.loads(line)
    assert (facts["who"], facts["user"], facts["name"]) == ("0", "999", "node1")
    assert (facts["output"], facts["first"], facts["second"]) == ("hello", "1", "22")
    assert (facts["rows"], facts["none"]) == ("kept", False)
    assert all(offset > 4e12 for offset in facts["clocks"]), "their clocks are far from ours"
    assert (facts["log"], facts["frozen"]) == ("begun\n", True)
    assert facts["thawed"] == 2
    assert facts["gone"] and facts["ended"]
    assert (facts["alive"], facts["states"]) == (False, [])
    assert (facts["before"], facts["cut"]) == ([True, True], [False, True])
    assert facts["dropped"] and facts["once"] == [False, True]
    assert facts["healed"] == facts["port"] == [True, True]
    assert left(centre) == []


@pytest.mark.parametrize(
    ("end", "patience"), [(signal.SIGKILL, 5.0), (signal.SIGSTOP, 12.0)], ids=["killed", "silent"]
)
def test_the_dead_mans_switch(
    centre: DataCentre, tmp_path: Path, end: signal.Signals, patience: float
) -> None:
    inventory = centre.place / "quick.yaml"
    # Long enough for a busy controller to send its heartbeats in time.
    inventory.write_text("silence: 8s\n" + centre.inventory.read_text())
    controller = subprocess.Popen(
        centre.outside(sys.executable, str(CONTROLLER), str(inventory), str(tmp_path / "w"), "wait"),
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert controller.stdout is not None
    try:
        assert json.loads(controller.stdout.readline()) == {"ready": True}
        before = left(centre, "node-1")
        assert any("fivenines_" in line for line in before), "the cut is there"
        assert any("sleep" in line for line in before), "what was started is there"
        os.killpg(controller.pid, end)
        assert await_nothing(centre, 4 * patience) == []
    finally:
        os.killpg(controller.pid, signal.SIGKILL)
        controller.wait()
    # Nothing blocks the next run.
    assert run(centre, "hosts", "check", str(centre.inventory)).returncode == 0


# Operations that are refused.


def test_missing_capabilities_of_machines_are_reported_first(centre: DataCentre, tmp_path: Path) -> None:
    file = experiment(tmp_path, "standalone, engine: postgres-18", "slow-disk")
    refused = run(centre, "run", str(file), "--inventory", str(centre.inventory))
    assert refused.returncode == 2
    assert "slow-disk is not possible over SSH" in refused.stderr
    # The error names the file and the line.
    file.write_text(file.read_text() + f"lab: {{kind: ssh, inventory: {centre.inventory}}}\n")
    refused = run(centre, "run", str(file))
    assert refused.returncode == 2
    assert f"{file}:7:" in refused.stderr
