"""A single server: its roles and facts."""

from noting_servers import deployed, standalone


def test_a_single_server_is_primary_or_down() -> None:
    solution = deployed(standalone(durability="relaxed"))
    node = solution.nodes[0]
    assert solution.configuration.own(node) == {"synchronous_commit": "off"}
    assert solution.roles.of(node) == "down"
    solution.membership.rejoin(node)
    assert solution.membership.not_joined_reason(node) == "it is not writable"
    node.is_writable = True
    assert (
        solution.roles.of(node),
        solution.membership.not_joined_reason(node),
        solution.membership.lag_reason(node),
    ) == ("primary", "", "")


def test_a_single_server_tolerates_no_failure() -> None:
    facts = standalone().facts()
    assert facts.one_down == facts.two_down == "unavailable until it is started again"
    assert "last moments" in standalone(durability="relaxed").facts().one_failure_loses
