"""How many trials fit on a machine side by side."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.base.errors import UsageError
from fivenines.campaign.workers.room import Demand, Room, require_room
from fivenines.experiment.interleaved_plan import blocks
from fivenines.experiment.plan import plan
from fivenines.experiment.source import parse_experiment

MIB = 2**20


def _demand(solutions: str, more: str = "") -> Demand:
    text = f"name: x\nseed: 1\ntrials: 2\nworkloads: [oltp_read_only]\nsolutions: {solutions}\n{more}"
    experiment = parse_experiment(text, "x.yaml")
    return Demand.of([*plan(experiment), *blocks(experiment)], experiment)


def test_hosts_are_nodes_the_client_the_proxy_and_the_manager() -> None:
    assert _demand("[{solution: standalone}]").hosts == 2
    assert _demand("[{solution: standalone}, {solution: galera, access: haproxy}]").hosts == 5
    # who watches it has a host of its own
    assert _demand("[{solution: hot-standby, manager: operator}]").hosts == 4


def test_a_limit_of_memory_is_what_a_node_takes() -> None:
    plain = _demand("[{solution: standalone}]")
    large = _demand("[{solution: standalone, limits: {memory: 2GB}}]")
    assert large.memory - plain.memory == pytest.approx(2e9 - 300 * MIB, rel=0.1)


def test_a_interleaved_has_all_its_solutions_at_once() -> None:
    both = "[{solution: standalone}, {solution: standalone, name: b, engine: mariadb-10.11}]"
    assert _demand(both, "design: interleaved\n").hosts == 4


@given(st.integers(1, 64), st.integers(1, 12), st.integers(1, 10**11), st.integers(1, 10**10))
def test_as_many_as_fit_are_never_refused(processors: int, hosts: int, memory: int, each: int) -> None:
    room, demand = Room(processors, memory), Demand(hosts, each)
    most = room.fits(demand)
    assert most >= 1
    require_room(most, demand, room, False)
    with pytest.raises(UsageError):
        require_room(max(2, most + 1), demand, room, False)


def test_processors_can_be_insisted_on_and_memory_cannot() -> None:
    demand, room = Demand(4, 1000 * MIB), Room(2, 2500 * MIB)
    with pytest.raises(UsageError, match="2 trials with 4 hosts each would share 2 CPUs"):
        require_room(2, demand, room, False)
    require_room(2, demand, room, True)
    with pytest.raises(UsageError, match=r"3 trials need about 3000MiB of memory; 2500MiB are free"):
        require_room(3, demand, room, True)
