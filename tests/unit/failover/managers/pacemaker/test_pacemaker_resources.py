"""Pacemaker's resources with these settings."""

from fivenines.failover.managers.pacemaker.resources import address, database
from fivenines.failover.managers.pacemaker.settings import PacemakerSettings


def test_the_server_has_intervals_and_timeouts() -> None:
    settings = PacemakerSettings(
        kind="pacemaker", monitor_promoted=2.0, monitor_unpromoted=5.0, operation_timeout=30.0
    )
    found = database(settings, ["node1", "node2"])
    assert (found.agent, found.parameters["node_list"]) == ("mariadb", "node1 node2")
    assert found.parameters["binary"].endswith("/mariadbd"), "what restarts it by itself is not wanted"
    looks = {one.role: one.interval for one in found.operations if one.name == "monitor"}
    assert looks == {"Promoted": 2.0, "Unpromoted": 5.0}
    # The agent reports replicas as failed together with their primary.
    assert [one.on_fail for one in found.operations if one.role] == ["", "ignore"]
    assert {one.timeout for one in found.operations if one.name != "monitor"} == {30.0}


def test_thresholds_limit_failures() -> None:
    once = database(PacemakerSettings(kind="pacemaker"), ["node1"])
    assert once.meta == {"migration-threshold": "2", "failure-timeout": "60000ms"}
    always = database(PacemakerSettings(kind="pacemaker", migration_threshold=None), ["node1"])
    assert always.meta["migration-threshold"] == "INFINITY"


def test_the_address_belongs_to_no_host() -> None:
    assert address("10.99.0.250").parameters["ip"] == "10.99.0.250"
