"""DRBD's resource file, its status in the kernel, and the settings of the solution."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.servers.cluster.replicated_disk import DiskStatus
from fivenines.solutions.drbd.resource import parse_status, resource_file
from fivenines.solutions.drbd.settings import DrbdSettings
from fivenines.trial.deployment.deployed import engines_of

NODES = {"node1": "10.99.0.11", "node2": "10.99.0.12"}

TEXT = """\
version: 8.4.11 (api:1/proto:86-101)
srcversion: DA6B55A41DED5E58CDBAB30
 0: cs:{connection} ro:{role}/{peer_role} ds:{disk}/{peer_disk} C r-----
    ns:{ns} nr:{nr} dw:717256 dr:1121 al:{al} bm:0 lo:0 pe:0 ua:0 ap:0 ep:1 wo:f oos:{oos}
"""
WORDS = st.sampled_from(["Connected", "WFConnection", "StandAlone", "SyncSource", "Unconnected"])
ROLES = st.sampled_from(["Primary", "Secondary", "Unknown"])
DISKS = st.sampled_from(["UpToDate", "Inconsistent", "Outdated", "DUnknown", "Diskless"])
SIZES = st.integers(0, 2**40)


def _settings(**given: Any) -> DrbdSettings:
    return DrbdSettings(solution="drbd", **given)


@given(WORDS, ROLES, ROLES, DISKS, DISKS, SIZES, SIZES, SIZES, SIZES)
def test_the_kernels_status_is_parsed(  # noqa: PLR0913, PLR0917
    connection: str, role: str, peer_role: str, disk: str, peer_disk: str, ns: int, nr: int, al: int, oos: int
) -> None:
    text = TEXT.format(
        connection=connection,
        role=role,
        peer_role=peer_role,
        disk=disk,
        peer_disk=peer_disk,
        ns=ns,
        nr=nr,
        al=al,
        oos=oos,
    )
    found = parse_status(text)
    assert found == DiskStatus(
        connection, role, peer_role, disk, peer_disk, ns * 1024, nr * 1024, al, oos * 1024
    )
    alike = (connection, disk, peer_disk, oos) == ("Connected", "UpToDate", "UpToDate", 0)
    assert found.whole is alike


@pytest.mark.parametrize("word", ["sync'ed: 23.1%", "verified:  23.1%"])
def test_a_resynchronisation_is_parsed_with_its_progress(word: str) -> None:
    text = TEXT.format(
        connection="SyncSource",
        role="Primary",
        peer_role="Secondary",
        disk="UpToDate",
        peer_disk="Inconsistent",
        ns=1,
        nr=2,
        al=3,
        oos=4,
    )
    text += f"\t[===>................] {word} (1/4)K\n\tfinish: 0:00:01 speed: 1,234 (1,234) K/sec\n"
    found = parse_status(text)
    assert found is not None and found.out_of_sync == 4096 and not found.whole
    assert found.done == pytest.approx(23.1)


@pytest.mark.parametrize("text", ["", "version: 8.4.11\n", " 0: cs:Unconfigured\n"])
def test_without_a_device_there_is_no_status(text: str) -> None:
    assert parse_status(text) is None


def test_the_file_has_the_protocol_the_options_and_both_nodes() -> None:
    settings = _settings(protocol="A", drbd={"net": {"max_buffers": 8000}, "disk": {"disk_barrier": False}})
    text = resource_file(settings.protocol, settings.net, settings.drbd.disk, NODES)
    lines = [line.strip() for line in text.splitlines()]
    for expected in (
        "protocol A;",
        "max-buffers 8000;",
        "ping-int 2;",
        "disk-barrier no;",
        "disk /dev/ubda;",
        "on node1 { address 10.99.0.11:7788; }",
        "on node2 { address 10.99.0.12:7788; }",
    ):
        assert expected in lines
    assert text.count("{") == text.count("}")
    assert "fence" not in text


def test_with_fencing_a_lone_primary_waits_until_its_peer_is_off() -> None:
    text = resource_file("C", {}, {"al_extents": 127}, NODES, fence=True)
    assert "fencing resource-and-stonith;" in text and "al-extents 127;" in text
    assert 'fence-peer "/usr/lib/drbd/stonith_admin-fence-peer.sh";' in text


def test_it_needs_virtual_machines_their_kernel_and_the_tools() -> None:
    assert _settings().checks.problems_with_parts() == []
    assert [one.name for one in engines_of(_settings())] == ["mariadb-10.11", "drbd", "uml"]
    postgres = [one.name for one in engines_of(_settings(engine="postgres-18"))]
    assert postgres == ["postgres-18", "drbd", "uml"]
    (problem,) = _settings(machines="namespaces").checks.problems_with_parts()
    assert "write virtual-machines" in problem
    (problem,) = _settings(reads="replicas").checks.problems_with_parts()
    assert "cannot be read" in problem


def test_name_and_facts_follow_the_protocol() -> None:
    assert [_settings(protocol=one).default_name() for one in "ABC"] == ["DRBD A", "DRBD B", "DRBD C"]
    assert _settings(engine="postgres-18").default_name() == "PostgreSQL on DRBD C"
    assert "on their way" in _settings(protocol="A").facts().one_failure_loses
    assert _settings().facts().one_failure_loses == "nothing that was acknowledged"


def test_a_witness_is_a_third_vote_on_a_separate_host() -> None:
    topology = _settings(witness=True).topology()
    assert (topology.nodes, topology.votes, topology.hosts) == (2, 3, ("witness",))
    assert _settings(witness=True).default_name() == "DRBD C + witness"
    assert _settings().topology().votes == 2
    assert "stops its server" in _settings(witness=True).facts().partition
