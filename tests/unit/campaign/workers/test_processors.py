"""Processors are shared out among workers."""

import os

from hypothesis import given
from hypothesis import strategies as st

from fivenines.campaign.workers.processors import allowed, shares


def test_those_that_this_process_may_use() -> None:
    assert set(allowed()) == os.sched_getaffinity(0)


@given(st.lists(st.integers(0, 500), min_size=1, max_size=64, unique=True), st.integers(1, 70))
def test_nobody_shares_while_there_are_enough(processors: list[int], workers: int) -> None:
    given_out = shares(processors, workers)
    assert len(given_out) == workers
    assert all(item and set(item) <= set(processors) for item in given_out)
    assert len({len(item) for item in given_out}) == 1, "all have as many"
    flat = [processor for item in given_out for processor in item]
    if workers <= len(processors):
        assert len(flat) == len(set(flat))
        assert len(processors) - len(flat) < workers
    assert flat[: len(processors)] == processors[: len(flat)], "neighbours stay together"
