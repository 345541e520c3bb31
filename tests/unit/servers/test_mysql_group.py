"""A group as a member sees it, and the size of sets of GTIDs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.servers.mysql.group import advice, force, group_of, transactions

FIRST, SECOND, THIRD = "10.99.0.11", "10.99.0.12", "10.99.0.13"


@pytest.mark.parametrize(
    ("states", "majority", "working"),
    [
        (("ONLINE", "ONLINE", "ONLINE"), True, True),
        (("ONLINE", "UNREACHABLE", "ONLINE"), True, True),
        (("ONLINE", "UNREACHABLE", "UNREACHABLE"), False, False),
        (("RECOVERING", "ONLINE", "ONLINE"), True, False),
        (("ERROR", "ONLINE", "ONLINE"), False, False),
    ],
)
def test_a_member_reports_the_group(states: tuple[str, ...], majority: bool, working: bool) -> None:
    hosts = zip((FIRST, SECOND, THIRD), states, ("SECONDARY", "PRIMARY", "SECONDARY"), strict=True)
    group = group_of([(host, state, role, host == FIRST) for host, state, role in hosts])
    assert (group.state, group.role, group.primary) == (states[0], "SECONDARY", SECOND)
    assert (group.majority, group.working) == (majority, working)


def test_a_server_outside_of_any_group() -> None:
    assert group_of([]).state == "OFFLINE"
    assert not group_of([("", "OFFLINE", "", 1)]).working


@pytest.mark.parametrize(
    ("gtids", "count"), [("", 0), ("u:1", 1), ("u:1-5", 5), ("u:1-5:8,\nv:3-4", 8), ("u:tag:1-3", 3)]
)
def test_transactions_of_a_set_are_counted(gtids: str, count: int) -> None:
    assert transactions(gtids) == count


@given(st.lists(st.tuples(st.integers(1, 10**6), st.integers(0, 1000)), max_size=6))
def test_intervals_add_up(parts: list[tuple[int, int]]) -> None:
    text = ",".join(f"u{n}:{first}-{first + more}" for n, (first, more) in enumerate(parts))
    assert transactions(text) == sum(more + 1 for _, more in parts)


def test_forcing_names_members_and_is_reset() -> None:
    assert force([FIRST, THIRD]) == [
        f"SET GLOBAL group_replication_force_members = '{FIRST}:33061,{THIRD}:33061'",
        "SET GLOBAL group_replication_force_members = ''",
    ]


def test_known_refusals_have_a_remedy() -> None:
    assert "one version" in advice(["x", "Member version is incompatible with the group."])
    assert "restore it" in advice(["This member has more executed transactions than those"])
    assert advice(["no space left"]) == ""
