"""Which trial is next, and for whom."""

from types import SimpleNamespace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fivenines.campaign.schedule import Schedule


def _work(cells: int, replications: int) -> list[Any]:
    return [
        SimpleNamespace(id=f"{number}-{cell}", number=number)
        for number in range(1, replications + 1)
        for cell in range(cells)
    ]


def test_one_machine_gets_all_in_the_order_of_the_plan() -> None:
    work = _work(3, 4)
    schedule = Schedule(work)
    assert [schedule.take("a") for _ in work] == work
    assert (schedule.take("a"), schedule.rest()) == (None, [])


@given(st.integers(1, 4), st.integers(1, 5), st.lists(st.sampled_from("abc"), max_size=60))
def test_each_machine_runs_whole_replications(cells: int, replications: int, order: list[str]) -> None:
    work = _work(cells, replications)
    schedule = Schedule(work)
    taken: list[Any] = []
    ran: dict[int, set[str]] = {}
    for host in [*order, *("abc" * len(work))]:
        if (item := schedule.take(host)) is not None:
            taken.append(item)
            ran.setdefault(item.number, set()).add(host)
    assert sorted(item.id for item in taken) == sorted(item.id for item in work)
    assert all(len(hosts) == 1 for hosts in ran.values())


def test_what_a_machine_began_is_for_nobody_else_until_it_is_lost() -> None:
    work = _work(2, 1)
    schedule = Schedule(work)
    assert schedule.take("a") is work[0]
    assert schedule.take("b") is None
    first: Any = work[0]
    schedule.give_back(first)
    schedule.lose("a")
    assert [schedule.take("b"), schedule.take("b")] == work


def test_a_run_that_goes_on_keeps_its_machines() -> None:
    work = _work(1, 3)
    schedule = Schedule(work, {1: "b", 2: "a"})
    assert schedule.take("a") is work[1]
    assert schedule.take("b") is work[0]
    assert schedule.take("b") is work[2]
    assert schedule.take("a") is None
