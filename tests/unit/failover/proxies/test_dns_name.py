"""A name in the DNS requires a manager that reports its promotions."""

import pytest

from fivenines.experiment.source import parse_experiment
from fivenines.failover.proxies.dns_name import DnsNameSettings
from fivenines.servers.cluster.topology import Topology


@pytest.mark.parametrize("solution", ["patroni", "galera", "group-replication"])
def test_a_manager_must_report_its_promotions(solution: str) -> None:
    experiment = parse_experiment(
        f"name: a\nsolutions: [{{solution: {solution}}}]\nworkloads: [oltp_read_write]\n", "a.yaml"
    )
    settings = DnsNameSettings(kind="dns-name")
    (problem,) = settings.problems_with(experiment.solutions[0].topology())
    assert "does not report promotions" in problem and "operator" in problem


def test_an_operator_moves_the_name() -> None:
    topology: Topology = (
        parse_experiment(
            "name: a\nsolutions: [{solution: hot-standby}]\nworkloads: [oltp_read_write]\n", "a.yaml"
        )
        .solutions[0]
        .topology()
    )
    assert DnsNameSettings(kind="dns-name").problems_with(topology) == []
