"""Links between machines over SSH: set between sites, changed temporarily, removed when their controller
ends.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lab_ssh import DataCentre, experiment, left, record, roles, run

from fivenines.lab.ssh.network import links

CONTROLLER = Path(__file__).parents[1] / "support" / "lab_ssh_controller.py"
HOT_STANDBY = "hot-standby, engine: postgres-18, standbys: 1, manager: {kind: operator}"


@pytest.fixture(scope="module")
def centre(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DataCentre]:
    machines = roles(2, 2, 1)
    for name, machine in machines.items():
        machine["site"] = "west" if name in ("node-2", "client-2") else "east"
    machines["node-1"]["processors"] = "1"
    with DataCentre(tmp_path_factory.mktemp("centre"), machines) as made:
        assert run(made, "hosts", "enrol", str(made.inventory), "--yes").returncode == 0
        yield made


def test_what_links_do_and_that_it_ends(centre: DataCentre, tmp_path: Path) -> None:
    # Leftovers of a run without a clean-up.
    centre.privileged(centre.hosts["node-1"], links.rule("add"))
    words = [str(CONTROLLER), str(centre.inventory), str(tmp_path / "w"), "links"]
    done = subprocess.run(
        centre.outside(sys.executable, *words), capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    facts: dict[str, Any] = {}
    for line in done.stdout.splitlines():
        facts |= json.loads(line)
    assert facts["processors"] == ["1", "0-1"]
    assert facts["sites"] == ["east", "west"]
    # Never faster than the links; how much slower depends on the machine.
    assert facts["set"] >= 40 and facts["impaired"] >= 100 and facts["both"] >= 180
    assert 40 <= facts["restored"] < facts["both"]
    assert facts["reached"] == [True, True]
    assert facts["lost"] == [False, False]
    assert facts["cut"] == [False, True], "what is cut is not what is slow"
    assert left(centre) == []
    centre.privileged(centre.hosts["node-1"], links.rule("add"))
    assert f"rule-{links.TABLE}" in run(centre, "hosts", "clean", str(centre.inventory)).stdout
    assert left(centre) == []


@pytest.mark.long
def test_a_trial_between_sites_whose_primary_grows_slow(centre: DataCentre, tmp_path: Path) -> None:
    fault = "degrade, latency: 100ms, duration: 2s"
    file, out = experiment(tmp_path, HOT_STANDBY, fault), tmp_path / "run"
    network = "network: [{name: far, sites: [east, west], link: {rtt: 20ms}}]\n"
    file.write_text(file.read_text() + network)
    done = run(centre, "run", str(file), "--inventory", str(centre.inventory), "--out", str(out))
    assert done.returncode == 0, done.stdout + done.stderr
    trial = record(out)
    (hit,) = trial["faults"]
    assert (trial["status"], hit["verified"]) == ("complete", True), hit
    assert "round trip" in hit["detail"] and "ms now" in hit["detail"]
    assert left(centre) == []
    # Sites belong to machines.
    file.write_text(file.read_text().replace("[east, west]", "[north, south]"))
    refused = run(centre, "run", str(file), "--inventory", str(centre.inventory), "--dry-run")
    assert refused.returncode == 2
    assert "no machine is in 'north'; its sites: east, west" in refused.stderr


@pytest.mark.long
def test_a_client_at_each_site_writes_to_its_own_node(centre: DataCentre, tmp_path: Path) -> None:
    file, out = (
        experiment(tmp_path, "galera, engine: mariadb-10.11, size: 2, arbiter: true"),
        tmp_path / "run",
    )
    file.write_text(
        file.read_text() + "network: [{name: far, sites: {east: [node1], west: [node2]}, link: {rtt: 5ms}}]\n"
        "clients: [{name: ann, site: east, endpoint: local}, {name: bob, site: west, endpoint: local}]\n"
    )
    done = run(centre, "run", str(file), "--inventory", str(centre.inventory), "--out", str(out))
    assert done.returncode == 0, done.stdout + done.stderr
    trial = record(out)
    machines = {name: item["machine"] for name, item in trial["clocks"].items()}
    assert machines == {
        "node1": "node-1",
        "node2": "node-2",
        "arbiter": "other-1",
        "ann": "client-1",
        "bob": "client-2",
    }
    hosts = trial["deployment"]["hosts"]
    for client, node in (("ann", "node1"), ("bob", "node2")):
        (load,) = (item["load"] for item in trial["clients"] if item["name"] == client)
        used = {where for where, counts in load["endpoints"].items() if counts["ok"]}
        assert used == {f"{hosts[node]['address']}:3306"}
    assert all(node["lost"] == 0 for node in trial["check"]["nodes"])
    assert left(centre) == []
