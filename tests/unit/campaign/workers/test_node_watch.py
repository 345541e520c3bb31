"""A result is awaited for as long as its machine is listed, and taken once or never."""

import threading
from concurrent.futures import Future

import pytest

from fivenines.campaign.workers.base import WorkerLostError
from fivenines.campaign.workers.node_watch import EVERY, NodeList, await_result

SOON = 0.001


def test_a_result_is_awaited_while_its_machine_is_listed() -> None:
    result: Future[int] = Future()
    looks = 0

    def is_alive() -> bool:
        nonlocal looks
        looks += 1
        if looks == 3:
            result.set_result(7)
        return True

    assert await_result(result, is_alive, every=SOON) == 7
    assert looks == 3


def test_a_result_that_is_there_is_taken_without_a_look() -> None:
    result: Future[int] = Future()
    result.set_result(7)
    assert await_result(result, lambda: pytest.fail("asked"), every=SOON) == 7


def test_the_failure_of_a_task_is_its_own() -> None:
    result: Future[int] = Future()
    result.set_exception(TimeoutError("of the task"))
    with pytest.raises(TimeoutError, match="of the task"):
        await_result(result, lambda: True, every=SOON)


def test_a_machine_that_is_listed_as_dead_is_given_up_and_its_late_result_dropped() -> None:
    result: Future[int] = Future()
    dropped = threading.Event()
    with pytest.raises(WorkerLostError, match="listed as dead"):
        await_result(result, lambda: False, dropped.set, every=SOON)
    assert not dropped.is_set()
    result.set_result(7)
    assert dropped.is_set()


@pytest.mark.parametrize("how", ["failed", "cancelled"])
def test_a_late_end_without_a_result_drops_nothing(how: str) -> None:
    result: Future[int] = Future()
    with pytest.raises(WorkerLostError, match="listed as dead"):
        await_result(result, lambda: False, lambda: pytest.fail("dropped"), every=SOON)
    if how == "failed":
        result.set_exception(RuntimeError())
    else:
        assert result.cancel()


def test_the_cluster_is_asked_once_for_all_who_wait() -> None:
    now, requested = [0.0], []

    def alive() -> set[str]:
        requested.append(now[0])
        return {"one"} if now[0] < 60 else set()

    listed = NodeList(alive, lambda: now[0])
    assert listed.has("one") and not listed.has("two") and requested == [0.0]
    now[0] = EVERY
    assert listed.has("one") and requested == [0.0, EVERY]
    now[0] = 60.0
    assert not listed.has("one")
