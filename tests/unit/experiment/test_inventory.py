"""An inventory file, and what its machines cannot do."""

from pathlib import Path
from typing import Any

import pytest

from fivenines.base import plugins
from fivenines.base.errors import UsageError
from fivenines.experiment.inventory import over_ssh, read
from fivenines.experiment.source import load_parts
from fivenines.experiment.validation import lab as lab_checks
from fivenines.faults.settings import FaultSettings
from fivenines.solutions.settings import SolutionSettings

HOSTS = """\
user: root
key: id
hosts:
  a: {address: 10.0.0.1, role: node}
  b: {address: 10.0.0.2, key: /other}
"""
EXPERIMENT = """\
name: x
solutions: [{solution: standalone, engine: postgres-18}]
workloads: [{workload: oltp_read_only}]
"""


def written(folder: Path, text: str, name: str = "hosts.yaml") -> Path:
    file = folder / name
    file.write_text(text)
    return file


def test_one_processor_is_a_number_to_yaml(tmp_path: Path) -> None:
    for message, meant in [("1", "1"), ("0-3", "0-3"), ("'0,2'", "0,2")]:
        text = HOSTS.replace("role: node", f"processors: {message}")
        assert read(written(tmp_path, text)).machine("a").processors == meant


def test_files_are_found_from_the_inventory(tmp_path: Path) -> None:
    found = read(written(tmp_path, HOSTS))
    assert found.machine("a").key == str(tmp_path / "id")
    assert found.machine("b").key == "/other"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("hosts: {}", "hosts.yaml:1:8:"),
        ("hosts:\n  a: {address: nowhere}\n", "hosts.yaml:2:16:"),
        ("hosts:\n  a: {address: 10.0.0.1, rule: node}\n", "hosts.yaml:2:26:"),
        ("- a", "an inventory is a mapping with `hosts:`"),
        ("hosts:\n  a: {address: 10.0.0.1}\n  a: {address: 10.0.0.2}\n", "hosts.yaml:3:"),
        ("hosts: {a: {address: 10.0.0.1, processors: 3-0}}", "hosts.yaml:1:44: hosts.a.processors: 3-0"),
        ("hosts: {a: {address: 0.0.0.0}}", "hosts.yaml:1:22: hosts.a.address: 0.0.0.0 is not the address"),
        ("hosts: {a: {address: 224.0.0.1}}", "224.0.0.1 is not the address of one machine"),
        ("hosts: {a: {address: 10.0.0.1, folder: ~/x}}", "hosts.a.folder: write an absolute path"),
        ("hosts: {a: {address: 10.0.0.1, folder: '/a b'}}", "'/a b' has white space, a quotation mark or"),
        ("silence: 5\nhosts: {a: {address: 10.0.0.1}}", "hosts.yaml:1:10:"),
        (
            "virtual_address: 10.0.0.1\nhosts: {a: {address: 10.0.0.1}}",
            "virtual_address: 10.0.0.1 is the address of a machine",
        ),
    ],
)
def test_a_mistake_says_where_it_is(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        read(written(tmp_path, text))
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("ssh", "message"),
    [
        ("'db1:2222'", "'db1:2222' contains a port: write `ssh: db1` and `port: 2222`"),
        ("ssh -p 2222 root@db1", "'ssh -p 2222 root@db1' is not a host"),
        ("'-oProxyCommand=sh'", "is not a host"),
    ],
)
def test_a_login_name_is_a_host(tmp_path: Path, ssh: str, message: str) -> None:
    text = HOSTS.replace("role: node", f"ssh: {ssh}")
    with pytest.raises(UsageError) as refused:
        read(written(tmp_path, text))
    assert message in str(refused.value)
    for valid in ("db1", "root@db1", "ssh://root@db1:2222", "fd00::1"):
        file = written(tmp_path, HOSTS.replace("role: node", f"ssh: '{valid}'"))
        assert read(file).machine("a").ssh == valid


def test_an_experiment_names_its_inventory(tmp_path: Path) -> None:
    written(tmp_path, HOSTS)
    lab = "lab: {kind: ssh, inventory: hosts.yaml}\n"
    (part,) = load_parts(written(tmp_path, EXPERIMENT + lab, "x.yaml"))
    machines = part.experiment.lab.machines
    assert machines is not None and list(machines.hosts) == ["a", "b"]
    again = type(part.experiment).model_validate_json(part.experiment.model_dump_json())
    assert again.lab == part.experiment.lab, "a run keeps the machines that it was begun with"
    assert again.lab.machines is not None
    for name in machines.hosts:
        assert again.lab.machines.machine(name) == machines.machine(name)
    assert again.lab.machines.machine("a").user == "root"


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("faults: [{fault: slow-disk}]", "slow-disk is not possible over SSH"),
        (
            "faults: [{fault: sequence, steps: [{fault: kill}, {at: 1s, fault: host-freeze}]}]",
            "host-freeze is not possible over SSH",
        ),
        (
            "faults: [{fault: repeat, of: {fault: slow-cpu, duration: 1s}, times: 2, every: 2s}]",
            "slow-cpu is not possible over SSH",
        ),
        ("faults: [{fault: host-kill}]", "set `power_off` and `power_on`"),
        ("network: [{bandwidth: 100Mbit/s}]", "bandwidth: not possible per machine over SSH"),
        ("load: {program: sysbench}\nledger: {rate: 0}", "can generate the load"),
    ],
)
def test_what_machines_cannot_do_is_a_mistake(tmp_path: Path, more: str, said: str) -> None:
    lab = over_ssh(written(tmp_path, HOSTS))
    with pytest.raises(UsageError) as caught:
        load_parts(written(tmp_path, EXPERIMENT + more + "\n", "x.yaml"), lab=lab)
    assert said in str(caught.value)


PACEMAKER = """\
name: moved
solutions:
  - solution: replication
    engine: mariadb-10.11
    mode: after_sync
    manager: pacemaker
    access: virtual-address
workloads: [{workload: oltp_read_write}]
connections: [2]
trials: 1
"""


@pytest.mark.parametrize(
    ("virtual", "more", "said"),
    [
        ("", "", "set `virtual_address` in the inventory"),
        ("10.0.0.99", "faults: [{fault: degrade, latency: 50ms}]", "would not delay packets to it"),
        ("10.0.0.99", "network: [{sites: [x, y], link: {rtt: 20ms}}]", "would not delay packets to it"),
        ("10.0.0.99", "", ""),
    ],
)
def test_a_virtual_address_needs_a_free_one_and_real_links(
    tmp_path: Path, virtual: str, more: str, said: str
) -> None:
    inventory = f"virtual_address: {virtual or 'null'}\n{HOSTS}"
    inventory = inventory.replace("10.0.0.1", "10.0.0.1, site: x", 1).replace(
        "10.0.0.2", "10.0.0.2, site: y", 1
    )
    lab = over_ssh(written(tmp_path, inventory))
    file = written(tmp_path, PACEMAKER + more + "\n", "x.yaml")
    if not said:
        load_parts(file, lab=lab)
        return
    with pytest.raises(UsageError) as caught:
        load_parts(file, lab=lab)
    assert said in str(caught.value)


def test_the_inventory_of_the_command_line_is_the_one_that_counts(tmp_path: Path) -> None:
    lab = over_ssh(written(tmp_path, HOSTS))
    text = EXPERIMENT + "lab: {kind: ssh, inventory: missing.yaml}\n"
    (part,) = load_parts(written(tmp_path, text, "x.yaml"), lab=lab)
    assert part.experiment.lab == lab


def test_what_is_refused_is_there(tmp_path: Path) -> None:
    def kinds(package: str, model: type[Any], key: str) -> set[str]:
        return set(plugins.kinds(package, model, key))

    assert kinds("fivenines.faults", FaultSettings, "fault") >= set(lab_checks._FAULTS)
    assert kinds("fivenines.solutions", SolutionSettings, "solution") >= set(lab_checks._SOLUTIONS)
