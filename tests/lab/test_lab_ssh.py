"""Hosts on other machines: those of a world, each with a real sshd, driven by the program as a user does."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from lab_ssh import FOLDER, PROGRAM, DataCentre, experiment, keygen, left, record, roles, run

from fivenines.lab.enter import enter
from fivenines.lab.ssh.commands import is_known

CONTROLLER = Path(__file__).with_name("lab_ssh_controller.py")
HOT_STANDBY = (
    "hot-standby, engine: postgres-18, standbys: 1, manager: {kind: operator, interval: 500ms}"
)


@pytest.fixture(scope="module")
def centre(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DataCentre]:
    with DataCentre(tmp_path_factory.mktemp("centre"), roles(3, 1, 1)) as made:
        assert run(made, "hosts", "enrol", str(made.inventory), "--yes").returncode == 0
        yield made


def await_nothing(centre: DataCentre, seconds: float) -> list[str]:
    deadline = time.monotonic() + seconds
    while (found := left(centre)) and time.monotonic() < deadline:
        time.sleep(0.2)
    return found


# machines


def test_a_machine_that_was_not_enrolled_is_never_touched(tmp_path: Path) -> None:
    with DataCentre(tmp_path / "centre", roles(1, 1)) as centre:
        inventory = str(centre.inventory)
        told = run(centre, "doctor", "--inventory", inventory)
        assert told.returncode == 1
        assert "node-1 (10.99.0.11) was not enrolled" in told.stdout
        file = experiment(tmp_path, "standalone, engine: postgres-18")
        done = run(centre, "run", str(file), "--inventory", inventory, "--out", str(tmp_path / "r"))
        assert done.returncode == 1
        assert "was not enrolled" in done.stdout + done.stderr
        assert centre.privileged(centre.hosts["node-1"], f"ls -A {FOLDER} 2>/dev/null; true") == ""
        # somebody else's folder is not taken over
        centre.privileged(centre.hosts["node-1"], f"mkdir -p {FOLDER} && touch {FOLDER}/mine")
        refused = run(centre, "hosts", "enrol", inventory, "--yes", "--only", "node-1")
        assert refused.returncode == 1
        assert "was not made by fivenines" in refused.stdout + refused.stderr


def test_a_machine_says_what_it_can_do(centre: DataCentre) -> None:
    told = json.loads(run(centre, "doctor", "--inventory", str(centre.inventory), "--json").stdout)
    assert told["ok"], told
    for checks in told["machines"].values():
        states = {check["name"]: check["state"] for check in checks}
        assert states["host"] == states["cuts"] == states["links"] == states["ports"] == "ok", (
            checks
        )
    assert left(centre) == []


def test_a_port_that_somebody_uses_is_told(centre: DataCentre) -> None:
    host = centre.hosts["node-2"]
    listens = (
        "import socket; s = socket.create_server(('', 5432)); print('up', flush=True); input()"
    )
    other = subprocess.Popen(
        [*enter(host.pid, "user", "net"), sys.executable, "-S", "-c", listens],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert other.stdout is not None and other.stdout.readline() == "up\n"
        told = run(centre, "hosts", "check", str(centre.inventory), "--only", "node-2")
        assert told.returncode == 1
        assert "somebody listens at port 5432 (PostgreSQL)" in told.stdout
        assert other.poll() is None
    finally:
        other.communicate("\n")


def test_who_may_not_log_in_is_told_why(centre: DataCentre, tmp_path: Path) -> None:
    text = centre.inventory.read_text()
    file = centre.place / "wrong.yaml"
    (centre.place / "empty").touch()
    keygen(centre.place / "other")
    for old, new, said in [
        ("known_hosts: known_hosts", "known_hosts: empty", "the key of 10.99.0.11 is not known"),
        ("user: root", "user: mysql", "mysql may not become root by sudo without a password"),
        ("key: key", "key: other", "does not let root in"),
        ("10.99.0.11", "10.99.0.99", "cannot be reached over SSH"),
    ]:
        file.write_text(text.replace(old, new))
        told = run(centre, "hosts", "check", str(file), "--only", "node-1")
        assert told.returncode == 1, told.stdout
        assert said in told.stdout


def test_who_becomes_root_by_sudo_has_the_same_hosts(tmp_path: Path) -> None:
    with DataCentre(tmp_path / "centre", roles(2, 1)) as centre:
        centre.allow_sudo()
        inventory = centre.place / "admin.yaml"
        inventory.write_text(centre.inventory.read_text().replace("user: root", "user: admin"))
        assert run(centre, "hosts", "enrol", str(inventory), "--yes").returncode == 0
        told = json.loads(run(centre, "doctor", "--inventory", str(inventory), "--json").stdout)
        for checks in told["machines"].values():
            states = {check["name"]: check["state"] for check in checks}
            assert states["host"] == states["cuts"] == states["links"] == "ok", checks
        file, out = experiment(tmp_path, "standalone, engine: postgres-18"), tmp_path / "run"
        done = run(centre, "run", str(file), "--inventory", str(inventory), "--out", str(out))
        assert done.returncode == 0, done.stdout + done.stderr
        trial = record(out)
        assert trial["status"] == "complete"
        logs = out / "trials" / trial["id"] / "logs"
        given = [one for log in logs.glob("*/log/ssh.log") for one in log.read_text().splitlines()]
        assert any(line.startswith("sudo -n -- ") for line in given)
        assert [line for line in given if not is_known(line)] == []
        assert left(centre) == []


# hosts


def test_a_host_is_what_it_is_in_the_lab(centre: DataCentre, tmp_path: Path) -> None:
    done = subprocess.run(
        centre.outside(
            sys.executable, str(CONTROLLER), str(centre.inventory), str(tmp_path / "w"), "look"
        ),
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = {}
    for line in done.stdout.splitlines():
        found |= json.loads(line)
    assert (found["who"], found["user"], found["name"]) == ("0", "999", "node1")
    assert (found["said"], found["first"], found["second"]) == ("hello", "1", "22")
    assert (found["rows"], found["none"]) == ("kept", False)
    assert all(offset > 4e12 for offset in found["clocks"]), "their clocks are far from ours"
    assert (found["log"], found["frozen"]) == ("begun\n", True)
    assert found["thawed"] == [True, True]
    assert (found["gone"], found["alive"], found["states"], found["adopted"]) == (
        True,
        False,
        [],
        False,
    )
    assert (found["before"], found["cut"]) == ([True, True], [False, True])
    assert found["dropped"] and found["once"] == [False, True]
    assert found["healed"] == found["port"] == [True, True]
    assert left(centre) == []


@pytest.mark.parametrize(
    ("end", "patience"), [(signal.SIGKILL, 5.0), (signal.SIGSTOP, 12.0)], ids=["killed", "silent"]
)
def test_the_dead_mans_switch(
    centre: DataCentre, tmp_path: Path, end: signal.Signals, patience: float
) -> None:
    inventory = centre.place / "quick.yaml"
    inventory.write_text("silence: 3s\n" + centre.inventory.read_text())
    controller = subprocess.Popen(
        centre.outside(sys.executable, str(CONTROLLER), str(inventory), str(tmp_path / "w"), "wait"),
        stdout=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
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
    # nothing stands in the way of the next one
    assert run(centre, "hosts", "check", str(centre.inventory)).returncode == 0


# trials


def test_a_trial_over_ssh(centre: DataCentre, tmp_path: Path) -> None:
    file, out = experiment(tmp_path, HOT_STANDBY, "kill, restart_after: 2s"), tmp_path / "run"
    done = run(centre, "run", str(file), "--inventory", str(centre.inventory), "--out", str(out))
    assert done.returncode == 0, done.stdout + done.stderr
    trial = record(out)
    assert trial["status"] == "complete"
    machines = {name: one["machine"] for name, one in trial["clocks"].items()}
    assert machines == {
        "node1": "node-1", "node2": "node-2", "client": "client-1", "manager": "other-1",
    }  # fmt: skip
    # the clocks are hours apart; corrected, all moments are those of one trial
    assert all(0 <= event["t"] < 120_000 for event in trial["events"]), trial["events"]
    kinds = {event["kind"] for event in trial["events"]}
    assert {"fault", "decided", "fenced", "promoted", "restarted", "rejoined"} <= kinds
    (fault,) = trial["faults"]
    decided = next(one["t"] for one in trial["events"] if one["kind"] == "decided")
    assert fault["verified"] and fault["at"] < decided
    assert all(node["lost"] == 0 for node in trial["check"]["nodes"])
    logs = out / "trials" / trial["id"] / "logs"
    assert "was interrupted" in (logs / "node1" / "log" / "server.out").read_text()
    given = [line for log in logs.glob("*/log/ssh.log") for line in log.read_text().splitlines()]
    assert len(given) > 10
    assert [line for line in given if not is_known(line)] == []
    planned = run(centre, "run", str(file), "--inventory", str(centre.inventory), "--dry-run")
    assert "remote serve --name={host}" in planned.stdout
    assert "The hosts have clocks of their own" in (out / "report.html").read_text()
    assert left(centre) == []


@pytest.mark.long
def test_power_is_taken_by_the_inventorys_commands(centre: DataCentre, tmp_path: Path) -> None:
    file, out = experiment(tmp_path, HOT_STANDBY, "crash, restart_after: 2s"), tmp_path / "run"
    done = run(centre, "run", str(file), "--inventory", str(centre.inventory), "--out", str(out))
    assert done.returncode == 0, done.stdout + done.stderr
    (fault,) = record(out)["faults"]
    assert (fault["verified"], fault["detail"]) == (True, "power taken from node1")
    assert fault["ended_detail"] == "power back"
    assert fault["rejoined"] is not None
    assert left(centre) == []
    # without commands nobody's power is taken, and that is said before anything begins
    weak = centre.place / "weak.yaml"
    weak.write_text(re.sub(r", power_o\w+: [^,}]+", "", centre.inventory.read_text()))
    refused = run(centre, "run", str(file), "--inventory", str(weak), "--dry-run")
    assert refused.returncode == 2
    assert "write `power_off` and `power_on`" in refused.stderr


@pytest.mark.long
def test_a_machine_that_is_lost_breaks_the_trial_and_no_more(
    centre: DataCentre, tmp_path: Path
) -> None:
    file, out = experiment(tmp_path, "standalone, engine: postgres-18"), tmp_path / "run"
    file.write_text(file.read_text().replace("steady: 2s", "steady: 20s"))
    told = _until(
        centre, ["run", str(file), "--inventory", str(centre.inventory), "--out", str(out)],
        "under load", lambda: subprocess.run([centre.place / "power-off-client-1"], check=True),
    )  # fmt: skip
    subprocess.run([centre.place / "power-on-client-1"], check=True)
    assert told.returncode == 1
    (first, *_) = sorted((out / "trials").glob("*.broken-1/trial.json"))
    reason = json.loads(first.read_text())["reason"]
    assert "client" in reason or "load" in reason, reason
    cleaned = run(centre, "hosts", "clean", str(centre.inventory))
    assert cleaned.returncode == 0, cleaned.stdout + cleaned.stderr
    assert left(centre) == []
    again = run(centre, "run", str(file), "--inventory", str(centre.inventory), "--out", str(out),
                "--resume")  # fmt: skip
    assert again.returncode == 0, again.stdout + again.stderr


def test_ctrl_c_leaves_nothing(centre: DataCentre, tmp_path: Path) -> None:
    file, out = experiment(tmp_path, "standalone, engine: postgres-18"), tmp_path / "run"
    # it must not end before it is interrupted
    file.write_text(file.read_text().replace("steady: 2s", "steady: 60s"))
    done = _until(
        centre, ["run", str(file), "--inventory", str(centre.inventory), "--out", str(out)],
        "under load", None,
    )  # fmt: skip
    assert done.returncode == 130
    assert left(centre) == []


def _until(
    centre: DataCentre, words: list[str], said: str, then: Callable[[], object] | None
) -> "subprocess.CompletedProcess[str]":
    """Run the program until it has said something; then do something, or interrupt it."""
    process = subprocess.Popen(
        centre.outside(*PROGRAM, *words, "--progress", "plain"), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
    )  # fmt: skip
    assert process.stdout is not None
    lines = []
    for line in process.stdout:
        lines.append(line)
        if said in line:
            break
    if then is None:
        os.killpg(process.pid, signal.SIGINT)
    else:
        then()
    rest, _ = process.communicate(timeout=180)
    return subprocess.CompletedProcess(words, process.returncode, "".join(lines) + rest, "")


# what cannot be done


def test_what_machines_cannot_do_is_said_before_anything_begins(
    centre: DataCentre, tmp_path: Path
) -> None:
    file = experiment(tmp_path, "standalone, engine: postgres-18", "slow-disk")
    refused = run(centre, "run", str(file), "--inventory", str(centre.inventory))
    assert refused.returncode == 2
    assert "slow-disk is not possible over SSH" in refused.stderr
    # in the file itself, with its line
    file.write_text(file.read_text() + f"lab: {{kind: ssh, inventory: {centre.inventory}}}\n")
    refused = run(centre, "run", str(file))
    assert refused.returncode == 2
    assert f"{file}:7:" in refused.stderr
