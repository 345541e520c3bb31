"""Programs of client stacks start in turn."""

import os
from typing import Any

import pytest

from fivenines.load.stacks.process import await_turn


class _Program:
    """A program that notes what is waited for."""

    def __init__(self, number: int, awaited: list[int]) -> None:
        self._number, self._awaited = number, awaited

    def await_ready(self) -> None:
        self._awaited.append(self._number)


@pytest.mark.parametrize(("cpus", "expected"), [(1, [0, 1, 2]), (2, [0, 1]), (4, [])])
def test_one_program_for_each_cpu_may_be_starting(
    cpus: int, expected: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    awaited: list[int] = []
    running: list[Any] = [_Program(number, awaited) for number in range(3)]
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: set(range(cpus)))
    await_turn(running)
    assert awaited == expected
