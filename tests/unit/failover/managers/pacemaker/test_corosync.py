"""The file that Corosync reads."""

import re

import pytest

from fivenines.failover.managers.pacemaker.corosync import corosync_conf

NODES = {"node1": "10.99.0.11", "node2": "10.99.0.12", "node3": "10.99.0.13"}


def test_every_node_is_in_the_file_with_its_address() -> None:
    text = corosync_conf(NODES, "udpu", 1.5, "/run/node/log/corosync.log")
    found = re.findall(r"name: (\S+)\n    nodeid: (\d)\n    ring0_addr: (\S+)\n", text)
    assert found == [("node1", "1", "10.99.0.11"), ("node2", "2", "10.99.0.12"), ("node3", "3", "10.99.0.13")]
    assert "  transport: udpu\n" in text and "  token: 1500\n" in text
    assert "  logfile: /run/node/log/corosync.log\n" in text


def test_closing_braces_have_separate_lines() -> None:
    # corosync.conf(5): one statement a line; a file in one line is refused
    lines = corosync_conf(NODES, "knet", 1.0, "x").splitlines()
    assert sum(line.rstrip().endswith("{") for line in lines) == 7
    assert sum(line.strip() == "}" for line in lines) == 7


@pytest.mark.parametrize(("count", "two"), [(2, 1), (3, 0)])
def test_two_nodes_have_the_rule_for_two(count: int, two: int) -> None:
    nodes = dict(list(NODES.items())[:count])
    assert f"  two_node: {two}\n" in corosync_conf(nodes, "knet", 1.0, "x")
