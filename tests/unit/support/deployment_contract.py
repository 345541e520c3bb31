"""The contract of a deployment: what is true once it is up, when a node stops, and after its end.

The same tests run against `fake_solution`, so that other tests can rely on it, and against real servers. A
subclass provides the fixtures `deployed` (a deployment that is not up yet) and `left` (what it has left).
"""

from collections.abc import Callable
from typing import ClassVar

import pytest

from fivenines.base.errors import FiveninesError
from fivenines.base.waiting import wait_until
from fivenines.trial.deployment.deployed import Deployed

PATIENCE = 60.0
"""Longest wait in seconds for replicas, on a busy machine."""

Left = Callable[[], list[str]]


class DeploymentContract:
    """The tests; a subclass says how many nodes there are."""

    size: ClassVar[int]

    def test_once_it_is_up_clients_can_write_and_all_replicas_follow(
        self, deployed: Deployed, left: Left
    ) -> None:
        phases: list[str] = []
        with deployed:
            deployed.bring_up(phases.append)
            solution = deployed.solution
            assert phases[0] == "deploying"
            assert len(solution.nodes) == self.size

            primary = solution.roles.primary()
            assert primary is not None and primary is solution.roles.primary_of_record
            assert primary.writable()
            roles = solution.roles.by_name()
            assert roles.pop(primary.name) == "primary"
            assert set(roles.values()) <= {"replica"} and len(roles) == self.size - 1

            write = deployed.access.endpoints().write
            assert primary.client_endpoint in write
            assert set(write) <= {node.client_endpoint for node in solution.nodes}

            assert deployed.settle(PATIENCE, set()) == ""
            assert [solution.membership.not_joined_reason(node) for node in solution.nodes] == [
                ""
            ] * self.size
            assert deployed.record().roles == solution.roles.by_name()
            assert list(deployed.clients) == ["client"]
        assert left() == []

    def test_a_start_that_fails_leaves_nothing(
        self, deployed: Deployed, left: Left, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        start = deployed.solution.start

        def fails() -> None:
            start()
            raise FiveninesError("planted")

        monkeypatch.setattr(deployed.solution, "start", fails)
        with deployed, pytest.raises(FiveninesError, match="planted"):
            deployed.bring_up()
        assert left() == []
        assert deployed.client is None, "nobody was to load it"


class OwnedContract(DeploymentContract):
    """The same of a deployment that starts and stops its servers itself."""

    def test_a_node_that_stops_is_no_member_until_it_is_started_again(
        self, deployed: Deployed, left: Left
    ) -> None:
        with deployed:
            deployed.bring_up()
            solution = deployed.solution
            node = next(one for one in solution.nodes if one is not solution.roles.primary())
            node.stop()
            assert solution.roles.by_name()[node.name] == "down"
            assert solution.membership.not_joined_reason(node)
            assert deployed.settle(PATIENCE, {node.name}) == "", "the others are not held up"
            deployed.start_node(node)
            wait_until(lambda: solution.membership.not_joined_reason(node), PATIENCE, "it did not rejoin")
            assert deployed.settle(PATIENCE, set()) == ""
            assert solution.roles.by_name()[node.name] == "replica"
        assert left() == []
