"""What a cluster did although no server had died, from planted states and events."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from fivenines.analysis.availability.needless import HICCUPS, Response, response
from fivenines.analysis.availability.node_states import StateChange, States
from fivenines.base import plugins
from fivenines.faults.settings import FaultSettings
from fivenines.results.records import FOUND_DEAD, Event, FaultRecord, HostFacts, Windows

WINDOWS = Windows(warmup_end=1000, steady_end=5000, end=30_000)

# A freeze of the primary from 5 to 9 s.
FREEZE = FaultRecord(
    kind="freeze",
    node="node1",
    nodes=["node1"],
    role="primary",
    at=5000,
    verified=True,
    detail="",
    ended=9000,
    ended_verified=True,
)


def states(**nodes: Sequence[tuple[float, str]]) -> dict[str, list[StateChange]]:
    return {node: [StateChange(t, state) for t, state in own] for node, own in nodes.items()}


# node1 does not answer while it is frozen, and accepts writes again; node2 never does.
CALM = states(node1=[(0, "writable"), (5010, "away"), (9020, "writable")], node2=[(0, "read_only")])
PROMOTED = states(node1=[(0, "writable"), (5010, "away")], node2=[(0, "read_only"), (8000, "writable")])


def of(
    found: States = CALM,
    events: Sequence[Event] = (),
    faults: Sequence[FaultRecord] = (FREEZE,),
    failed: int = 0,
    hosts: dict[str, HostFacts] | None = None,
) -> Response | None:
    deployment = None if hosts is None else SimpleNamespace(hosts=hosts)
    record: Any = SimpleNamespace(
        windows=WINDOWS, faults=list(faults), events=list(events), deployment=deployment
    )
    return response(record, found, failed)


def test_commands_are_a_hiccup_if_the_experiment_says_so() -> None:
    own = FREEZE.model_copy(update={"kind": "command"})
    assert of(PROMOTED, faults=[own]) is None
    found = of(PROMOTED, faults=[own.model_copy(update={"hiccup": True})])
    assert found is not None and found.needless


def event(t: float, kind: str, node: str = "node1", detail: str = "") -> Event:
    return Event(t=t, kind=kind, node=node, detail=detail)


def test_a_hiccup_that_is_survived_is_no_failover() -> None:
    assert of() == Response("none", observed_ms=25_000, hiccup_ms=4000)
    assert of(failed=3) == Response("errors", observed_ms=25_000, hiccup_ms=4000)


def test_a_promotion_without_a_death_is_needless() -> None:
    found = of(PROMOTED)
    assert found == Response("promoted", 3000, after_end=False, observed_ms=25_000, hiccup_ms=4000)
    assert found is not None and found.needless


def test_a_promotion_after_the_end_of_the_hiccup_is_said_to_be_late() -> None:
    late = states(node1=[(0, "writable")], node2=[(0, "read_only"), (9500, "writable")])
    found = of(late)
    assert found is not None and found.after_end is True


def test_a_server_that_died_makes_a_failover_necessary() -> None:
    found = of(PROMOTED, [event(12_000, "restarted")])
    assert found is not None and not found.counts and not found.needless and "node1 died" in found.why


def test_a_server_that_was_fenced_did_not_die() -> None:
    found = of(PROMOTED, [event(7000, "fenced"), event(12_000, "restarted")])
    assert found is not None and found.needless and found.kind == "promoted"


def test_a_server_that_was_dead_when_it_was_fenced_died() -> None:
    found = of(PROMOTED, [event(7000, "fenced", detail=FOUND_DEAD)])
    assert found is not None and not found.counts and "node1 died" in found.why


def test_an_old_primary_that_is_restarted_alive_did_not_die() -> None:
    found = of(
        PROMOTED, [event(12_000, "restarted", detail="node1 is writable although node2 is the primary")]
    )
    assert found is not None and found.needless


def test_a_silent_primary_that_no_fault_had_hit_leaves_the_cause_open() -> None:
    of_replica = FREEZE.model_copy(update={"node": "node2", "nodes": ["node2"]})
    third = {**PROMOTED, "node3": [StateChange(0, "read_only"), StateChange(8000, "writable")]}
    third["node2"] = [StateChange(0, "read_only")]
    found = of(third, faults=[of_replica])
    assert found is not None and not found.counts and "node1 did not answer" in found.why


def test_a_fence_without_a_promotion() -> None:
    found = of(CALM, [event(8000, "fenced")])
    assert found == Response("fenced", 3000, after_end=False, observed_ms=25_000, hiccup_ms=4000)


def test_a_primary_that_refuses_writes_and_returns_was_demoted() -> None:
    back = states(
        node1=[(0, "writable"), (5010, "away"), (9020, "read_only"), (12_000, "writable")],
        node2=[(0, "read_only")],
    )
    found = of(back)
    assert found == Response("demoted", 4020, after_end=True, observed_ms=25_000, hiccup_ms=4000)


def test_a_manager_that_stops_its_own_server_has_demoted_it() -> None:
    # Patroni without etcd: it stops PostgreSQL, which is found dead and started again.
    stopped = states(
        node1=[(0, "writable"), (11_030, "away"), (13_630, "writable")], node2=[(0, "read_only")]
    )
    events = [event(11_024, "demoted", detail="Demoting self (offline)"), event(13_210, "restarted")]
    found = of(stopped, events)
    assert found == Response("demoted", 6024, after_end=True, observed_ms=25_000, hiccup_ms=4000)


def test_a_manager_that_demotes_a_live_server_and_promotes_another_has_failed_over() -> None:
    # Pacemaker without quorum: it demotes and stops the cut-off primary, which is started again later.
    moved = states(
        node1=[(0, "writable"), (5010, "away"), (20_000, "read_only")],
        node2=[(0, "read_only"), (9000, "writable")],
    )
    events = [event(7500, "demoted"), event(9000, "promoted", "node2"), event(15_000, "restarted")]
    found = of(moved, events)
    assert found is not None and (found.kind, found.counts, found.ms) == ("promoted", True, 4000)
    # A dead server cannot be demoted: then the failover was necessary.
    dead = of(moved, events[1:])
    assert dead is not None and dead.why == "node1 died"


def test_a_group_that_writes_everywhere_expels_a_member() -> None:
    group = {
        node: [StateChange(0, "writable", "view 1"), *more]
        for node, more in {
            "node1": [StateChange(5010, "away", "view 1"), StateChange(15_000, "writable", "view 3")],
            "node2": [StateChange(8000, "writable", "view 2")],
            "node3": [StateChange(8010, "writable", "view 2")],
        }.items()
    }
    found = of(group)
    assert found == Response("expelled", 3000, after_end=False, observed_ms=25_000, hiccup_ms=4000)
    calm = {node: [StateChange(0, "writable", "view 1")] for node in group}
    assert of(calm) == Response("none", observed_ms=25_000, hiccup_ms=4000)


def test_without_a_fault_the_load_after_the_warm_up_counts() -> None:
    assert of(states(node1=[(0, "writable")], node2=[(0, "read_only")]), faults=[]) == Response(
        "none", observed_ms=29_000
    )
    alone = states(node1=[(0, "writable")], node2=[(0, "read_only"), (3000, "writable")])
    found = of(alone, faults=[])
    assert found == Response("promoted", 2000, after_end=None, observed_ms=29_000)
    assert found is not None and found.needless


@pytest.mark.parametrize(
    "changes",
    [
        {"kind": "kill"},
        {"kind": "switchover"},
        {"kind": "command"},
        {"verified": False},
        {"ended": None, "ended_verified": None},
        {"ended_verified": False},
        {"ended": 31_000.0},
    ],
    ids=str,
)
def test_other_faults_say_nothing_of_needless_failovers(changes: dict[str, Any]) -> None:
    assert of(PROMOTED, faults=[FREEZE.model_copy(update=changes)]) is None


def test_one_death_among_several_faults_is_enough() -> None:
    kill = FREEZE.model_copy(update={"kind": "kill", "at": 20_000.0})
    assert of(PROMOTED, faults=[FREEZE, kill]) is None


def test_unwatched_nodes_say_nothing() -> None:
    assert of({}) is None
    data = FREEZE.model_copy(update={"node": "data1", "nodes": ["data1"]})
    assert of(CALM, faults=[data], hosts={"data1": HostFacts(kind="data", address="10.99.0.20")}) is None


def test_a_proxy_that_is_started_again_is_no_server_that_died() -> None:
    proxy = FREEZE.model_copy(update={"kind": "proxy", "node": "proxy", "nodes": ["proxy"]})
    found = of(CALM, [event(9000, "restarted", "proxy")], [proxy], failed=4)
    assert found is not None and found.counts and found.kind == "errors"


def test_hiccups_are_kinds_of_faults() -> None:
    names = set(plugins.kinds("fivenines.faults", FaultSettings, "fault"))
    assert names > HICCUPS and "kill" in names - HICCUPS
