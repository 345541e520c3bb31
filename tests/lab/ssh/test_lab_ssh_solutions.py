"""Every solution over SSH: deployed, loaded, broken and healed, with its copies compared afterwards."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from lab_ndb import with_ndb
from lab_ssh import DataCentre, experiment, left, record, roles, run

from fivenines.lab.network.network import PREFIX

pytestmark = pytest.mark.long

KILL = "kill, restart_after: 2s"
VIRTUAL = f"{PREFIX}.77"
SOLUTIONS = {
    "replication": ("replication, engine: mariadb-10.11, replicas: 1", KILL),
    "semi-synchronous": ("replication, engine: mysql-9.7, replicas: 1, mode: after_sync", KILL),
    "galera": ("galera, engine: mariadb-10.11", "partition, duration: 4s"),
    "galera behind haproxy": (
        "galera, engine: mariadb-10.11, access: {kind: haproxy}",
        "freeze, duration: 2s",
    ),
    "group": ("group-replication, engine: mysql-9.7", KILL),
    "innodb cluster": ("innodb-cluster, engine: mysql-9.7", KILL),
    "patroni": ("patroni, engine: postgres-18", KILL),
    "mha": (
        # these machines have an SSH server of their own at the default port
        "replication, engine: mariadb-10.11, replicas: 2, "
        "manager: {kind: mha, ping_interval: 1, ssh_port: 2200}",
        KILL,
    ),
    "pacemaker": (
        "replication, engine: mariadb-10.11, replicas: 2, mode: after_sync, manager: {kind: pacemaker}",
        KILL,
    ),
    "pacemaker with a virtual address": (
        "replication, engine: mariadb-10.11, replicas: 2, mode: after_sync, access: virtual-address, "
        "manager: {kind: pacemaker, fence: true}",
        "partition, duration: 6s",
    ),
    "ndb": ("ndb", KILL),
    "standalone": ("standalone, engine: postgres-18", "stop, restart_after: 1s"),
}


@pytest.fixture(scope="module")
def centre(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DataCentre]:
    with DataCentre(tmp_path_factory.mktemp("centre"), roles(5, 1, 2)) as made:
        free = f"virtual_address: {VIRTUAL}\n"
        made.inventory.write_text(free + made.inventory.read_text())
        assert run(made, "hosts", "enrol", str(made.inventory), "--yes").returncode == 0
        yield made


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=with_ndb) if name == "ndb" else name for name in SOLUTIONS]
)
def test_a_solution_over_ssh(centre: DataCentre, tmp_path: Path, name: str) -> None:
    solution, fault = SOLUTIONS[name]
    file, out = experiment(tmp_path, solution, fault, "12s"), tmp_path / "run"
    done = run(centre, "run", str(file), "--inventory", str(centre.inventory), "--out", str(out))
    assert done.returncode == 0, done.stdout + done.stderr
    trial = record(out)
    (broken,) = trial["faults"]
    assert broken["verified"], broken["detail"]
    assert trial["load"] and trial["check"]["nodes"]
    assert all(node["lost"] in (0, None) for node in trial["check"]["nodes"])
    assert left(centre) == []
    addresses = [centre.privileged(centre.hosts[name], "ip -oneline addr") for name in centre.roles]
    assert not [text for text in addresses if f" {VIRTUAL}/" in text]
