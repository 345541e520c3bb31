"""Galera as it is used in production: an arbiter, two sites with segments, transfers by mariadb-backup."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pymysql
import pytest

from fivenines.base.errors import FiveninesError
from fivenines.base.waiting import wait_until
from fivenines.experiment.source import solution_from
from fivenines.faults.context import FaultContext
from fivenines.faults.services.arbiter import ArbiterFault, ArbiterFaultSettings
from fivenines.lab.settings import NetworkSettings
from fivenines.load.workloads.oltp import Oltp
from fivenines.solutions.galera.solution import Galera
from fivenines.trial.deployment.deployed import Deployed, data_set, engines_of
from fivenines.trial.deployment.in_effect import require_in_effect

SETTINGS = {
    "solution": "galera",
    "size": 2,
    "arbiter": True,
    "sst": "mariabackup",
    "segments": True,
    "suspect_timeout": "3s",
    "inactive_timeout": "6s",
    "keepalive_period": "500ms",
    "install_timeout": "5s",
    "join_retrans_period": "500ms",
    "send_window": 512,
    "user_send_window": 256,
    "fc_limit": 64,
    "fc_factor": 0.8,
    "fc_single_primary": True,
    "sync_wait": 1,
    "gcache": "64MiB",
}
NETWORK = {
    "sites": {"east": ["node1", "client"], "west": ["node2"], "third": ["arbiter"]},
    "link": {"rtt": "2ms"},
}
WORKLOAD = Oltp(workload="oltp_read_write", name="oltp", tables=2, table_size=500)


def _silent(_message: str, _fraction: float | None) -> None:
    pass


@pytest.fixture(scope="module")
def deployed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployed]:
    settings = solution_from(SETTINGS, "test")
    for engine in engines_of(settings):
        engine.require(_silent)
    data, folder = data_set(settings, WORKLOAD, _silent), tmp_path_factory.mktemp("galera")
    with Deployed(settings, data, folder / "lab", NetworkSettings.model_validate(NETWORK)) as deployment:
        deployment.bring_up()
        yield deployment


@pytest.fixture
def galera(deployed: Deployed) -> Galera:
    assert isinstance(deployed.solution, Galera)
    return deployed.solution


def _reaches_size(galera: Galera, node: Any, size: int) -> None:
    expected = (str(size), "Primary", "Synced")
    wait_until(lambda: "" if node.galera() == expected else f"it is {node.galera()}", 40.0, node.name)


def test_the_group_gets_the_settings_of_the_file(galera: Galera) -> None:
    assert [node.galera() for node in galera.nodes] == [("3", "Primary", "Synced")] * 2
    options = [_options(node) for node in galera.nodes]
    for name, value in {
        "evs.suspect_timeout": "PT3S",
        "evs.inactive_timeout": "PT6S",
        "evs.install_timeout": "PT5S",
        "evs.keepalive_period": "PT0.5S",
        "evs.join_retrans_period": "PT0.5S",
        "evs.send_window": "512",
        "evs.user_send_window": "256",
        "gcs.fc_limit": "64",
        "gcs.fc_factor": "0.8",
        "gcs.fc_single_primary": "YES",
    }.items():
        assert [option[name] for option in options] == [value, value], name
    assert [option["gmcast.segment"] for option in options] == ["0", "1"]
    assert galera.arbiter is not None
    log = (galera.lab.hosts["arbiter"].node / "log" / "garbd.out").read_text()
    assert "gmcast.segment=2" in log


def test_an_option_that_is_not_in_effect_is_found(deployed: Deployed, galera: Galera) -> None:
    node = galera.nodes[1]
    node.sql.execute("SET GLOBAL wsrep_provider_options = 'evs.suspect_timeout=PT2S'")
    with pytest.raises(FiveninesError) as refused:
        require_in_effect(galera, deployed.access)
    note = "wsrep_provider_options: evs.suspect_timeout = PT3S was requested, but it has PT2S"
    assert f"node2: {note}" in str(refused.value) and "node1" not in str(refused.value)
    node.sql.execute("SET GLOBAL wsrep_provider_options = 'evs.suspect_timeout=PT3S'")
    require_in_effect(galera, deployed.access)


def test_reads_of_clients_wait_and_those_of_observers_do_not(galera: Galera) -> None:
    node = galera.nodes[0]
    assert node.sql.query("SELECT @@wsrep_sync_wait") == [(0,)]
    user, password = node.application
    # The Unix socket lies in the host's folder: application clients connect through it as well.
    with (
        pymysql.connect(
            unix_socket=str(node.socket_folder() / node.socket_name), user=user, password=password
        ) as connection,
        connection.cursor() as cursor,
    ):
        cursor.execute("SELECT @@wsrep_sync_wait")
        assert cursor.fetchall() == ((1,),)


def test_the_cluster_continues_without_its_arbiter(deployed: Deployed, galera: Galera) -> None:
    settings = ArbiterFaultSettings(fault="arbiter")
    context, fault = FaultContext(deployed), ArbiterFault(settings)
    injection = fault.inject(context)
    assert injection.verified and injection.hosts == ("arbiter",)
    for node in galera.nodes:
        _reaches_size(galera, node, 2)
    galera.nodes[0].sql.execute("CREATE TABLE sbtest.without_arbiter (id INT PRIMARY KEY)")
    assert fault.recover(context, injection).verified
    for node in galera.nodes:
        _reaches_size(galera, node, 3)


def test_one_of_two_nodes_continues_with_the_arbiter_and_a_wiped_node_gets_a_full_transfer(
    galera: Galera,
) -> None:
    first, second = galera.nodes
    assert first.process is not None
    first.process.gone(first.process.kill())
    _reaches_size(galera, second, 2)
    assert galera.roles.by_name() == {"node1": "down", "node2": "primary"}
    second.sql.execute("INSERT INTO sbtest.sbtest1 (id, k, c, pad) VALUES (1000000, 1, 'c', 'p')")
    _wipe(first.data)
    galera.membership.rejoin(first)
    _reaches_size(galera, first, 3)
    assert first.sql.query("SELECT k FROM sbtest.sbtest1 WHERE id = 1000000") == [(1,)]
    log = (first.host.node / "log" / "error.log").read_text()
    assert "wsrep_sst_mariabackup" in log and "SST received" in log


def _options(node: Any) -> dict[str, str]:
    ((text,),) = node.sql.query("SELECT @@wsrep_provider_options")
    pairs = (part.partition("=") for part in text.split(";"))
    return {name.strip(): value.strip() for name, _, value in pairs}


def _wipe(data: Path) -> None:
    for path in data.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
