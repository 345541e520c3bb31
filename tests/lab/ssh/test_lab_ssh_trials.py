"""Trials on other machines: those of a lab, each with a real sshd, driven by the program as a user does."""

import json
import os
import re
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from lab_ssh import PROGRAM, DataCentre, experiment, left, record, roles, run
from lab_ssh_sudo import as_admin
from lab_support import GENTLE, LIMIT, RECOVERED, short_recipe

from fivenines.lab.ssh.commands import is_known

HOT_STANDBY = "hot-standby, engine: postgres-18, standbys: 1, manager: {kind: operator, interval: 500ms}"


@pytest.fixture(scope="module")
def centre(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DataCentre]:
    with DataCentre(tmp_path_factory.mktemp("centre"), roles(2, 1, 1)) as made:
        assert run(made, "hosts", "enrol", str(made.inventory), "--yes").returncode == 0
        yield made


def sent(logs: Path) -> list[str]:
    """Return all commands that machines received over SSH."""
    log_files = logs.glob("*/log/ssh.log")
    return [line for log in log_files for line in log.read_text().splitlines()]


@pytest.mark.lasts(55)
def test_a_trial_over_ssh(centre: DataCentre, tmp_path: Path) -> None:
    file, out = (experiment(tmp_path, HOT_STANDBY, "kill, restart_after: 2s", RECOVERED), tmp_path / "run")
    done = run(centre, "run", str(file), "--inventory", str(centre.inventory), "--out", str(out))
    assert done.returncode == 0, done.stdout + done.stderr
    trial = record(out)
    assert trial["status"] == "complete"
    machines = {name: item["machine"] for name, item in trial["clocks"].items()}
    assert machines == {"node1": "node-1", "node2": "node-2", "client": "client-1", "manager": "other-1"}
    # The clocks are hours apart; after correction all moments lie within one trial, or just before its load.
    assert all(-60_000 < event["t"] < 120_000 for event in trial["events"]), trial["events"]
    kinds = {event["kind"] for event in trial["events"]}
    assert {"fault", "decided", "fenced", "promoted", "restarted", "rejoined"} <= kinds
    (fault,) = trial["faults"]
    decided = next(item["t"] for item in trial["events"] if item["kind"] == "decided")
    assert fault["verified"] and fault["at"] < decided
    assert all(node["lost"] == 0 for node in trial["check"]["nodes"])
    logs = out / "trials" / trial["id"] / "logs"
    assert "was interrupted" in (logs / "node1" / "log" / "server.out").read_text()
    given = sent(logs)
    assert len(given) > 10
    assert [line for line in given if not is_known(line)] == []
    planned = run(centre, "run", str(file), "--inventory", str(centre.inventory), "--dry-run")
    assert "remote serve --name={host}" in planned.stdout
    assert "The hosts have separate clocks" in (out / "report.html").read_text()
    assert left(centre) == []


@pytest.mark.long
def test_a_trial_by_an_account_with_sudo(tmp_path: Path) -> None:
    with DataCentre(tmp_path / "centre", roles(2, 1)) as machines:
        inventory = as_admin(machines)
        assert run(machines, "hosts", "enrol", inventory, "--yes").returncode == 0
        file, out = experiment(tmp_path, "standalone, engine: postgres-18"), tmp_path / "run"
        done = run(machines, "run", str(file), "--inventory", inventory, "--out", str(out))
        assert done.returncode == 0, done.stdout + done.stderr
        trial = record(out)
        assert trial["status"] == "complete"
        given = sent(out / "trials" / trial["id"] / "logs")
        assert any(line.startswith("sudo -n -- ") for line in given)
        assert [line for line in given if not is_known(line)] == []
        assert left(machines) == []


@pytest.mark.long
def test_power_is_taken_by_the_inventorys_commands(centre: DataCentre, tmp_path: Path) -> None:
    file, out = experiment(tmp_path, HOT_STANDBY, "host-kill, restart_after: 2s"), tmp_path / "run"
    done = run(centre, "run", str(file), "--inventory", str(centre.inventory), "--out", str(out))
    assert done.returncode == 0, done.stdout + done.stderr
    (fault,) = record(out)["faults"]
    assert (fault["verified"], fault["detail"]) == (True, "switched off node1")
    assert fault["ended_detail"] == "machine switched on"
    assert fault["rejoined"] is not None
    assert left(centre) == []
    # Without commands no machine is switched off, and that is reported before anything begins.
    weak = centre.place / "weak.yaml"
    weak.write_text(re.sub(r", power_o\w+: [^,}]+", "", centre.inventory.read_text()))
    refused = run(centre, "run", str(file), "--inventory", str(weak), "--dry-run")
    assert refused.returncode == 2
    assert "set `power_off` and `power_on`" in refused.stderr


@pytest.mark.long
def test_a_machine_that_is_lost_breaks_the_trial_and_no_more(centre: DataCentre, tmp_path: Path) -> None:
    file, out = experiment(tmp_path, "standalone, engine: postgres-18"), tmp_path / "run"
    file.write_text(file.read_text().replace("steady: 2s", "steady: 20s"))
    result = _until(
        centre,
        ["run", str(file), "--inventory", str(centre.inventory), "--out", str(out)],
        "under load",
        lambda: subprocess.run([centre.place / "power-off-client-1"], check=True),
    )
    subprocess.run([centre.place / "power-on-client-1"], check=True)
    assert result.returncode == 1
    (first, *_) = sorted((out / "trials").glob("*.broken-1/trial.json"))
    reason = json.loads(first.read_text())["reason"]
    assert "client" in reason or "load" in reason, reason
    cleaned = run(centre, "hosts", "clean", str(centre.inventory))
    assert cleaned.returncode == 0, cleaned.stdout + cleaned.stderr
    assert left(centre) == []
    again = run(centre, "run", str(file), "--inventory", str(centre.inventory), "--out", str(out), "--resume")
    assert again.returncode == 0, again.stdout + again.stderr


def test_ctrl_c_leaves_nothing(centre: DataCentre, tmp_path: Path) -> None:
    file, out = experiment(tmp_path, "standalone, engine: postgres-18"), tmp_path / "run"
    # It must not end before it is interrupted.
    file.write_text(file.read_text().replace("steady: 2s", "steady: 60s"))
    done = _until(
        centre,
        ["run", str(file), "--inventory", str(centre.inventory), "--out", str(out)],
        "under load",
        None,
    )
    assert done.returncode == 130
    assert left(centre) == []


def _until(
    centre: DataCentre, words: list[str], message: str, then: Callable[[], object] | None
) -> "subprocess.CompletedProcess[str]":
    """Run the program until it prints a text; then call a function, or interrupt it."""
    process = subprocess.Popen(
        centre.outside(*PROGRAM, *words, "--progress", "plain"),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    lines = []
    for line in process.stdout:
        lines.append(line)
        if message in line:
            break
    if then is None:
        os.killpg(process.pid, signal.SIGINT)
    else:
        then()
    rest, _ = process.communicate(timeout=LIMIT)
    return subprocess.CompletedProcess(words, process.returncode, "".join(lines) + rest, "")


@pytest.mark.long
def test_a_custom_failover_script_over_ssh(tmp_path: Path) -> None:
    file, out = tmp_path / "script.yaml", tmp_path / "run"
    text = short_recipe("script").replace("restart_after: 3s", "restart_after: 15s")
    file.write_text(text + GENTLE)
    with DataCentre(tmp_path / "centre", roles(3, 1, 1)) as machines:
        assert run(machines, "hosts", "enrol", str(machines.inventory), "--yes").returncode == 0
        done = run(machines, "run", str(file), "--inventory", str(machines.inventory), "--out", str(out))
        assert done.returncode == 0, done.stdout + done.stderr
        trial = record(out)
        assert {event["kind"] for event in trial["events"]} >= {
            "missed",
            "decided",
            "promoted",
            "repointed",
            "rejoined",
        }
        # The moments from the script's machine are given by the controller's clock, hours apart.
        assert all(-60_000 < event["t"] < 120_000 for event in trial["events"]), trial["events"]
        assert all(node["lost"] == 0 for node in trial["check"]["nodes"])
        assert left(machines) == []
