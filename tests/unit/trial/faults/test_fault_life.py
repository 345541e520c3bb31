"""The states of a fault: its length, if it is another one than requested."""

import time
from typing import Any

import pytest

from fivenines.base.errors import FiveninesError
from fivenines.faults.base import Fault, Injection, Recovery
from fivenines.faults.nodes.freeze import FreezeSettings
from fivenines.faults.settings import FaultSettings
from fivenines.trial.faults.life import AtWork, Planned, Refused

CONTEXT: Any = None
SECOND = 10**9


class Planted(Fault[FaultSettings]):
    """A fault that ends at a planted moment."""

    def __init__(self, asked: float | None, ended_ns: int, stops: bool) -> None:
        super().__init__(FreezeSettings(fault="freeze", duration=asked))
        self._ended_ns = ended_ns
        self.stops_servers = stops  # type: ignore[misc]

    def inject(self, context: Any) -> Injection:
        raise NotImplementedError

    def recover(self, context: Any, injection: Injection) -> Recovery:
        return Recovery(True, "it goes on", self._ended_ns)


@pytest.mark.parametrize(
    ("asked", "lasted", "stops", "detail"),
    [
        (1.0, 1.05, False, "it goes on"),
        (1.0, 2.6, False, "it goes on; it lasted 2.6 s instead of 1s"),
        (30.0, 32.0, False, "it goes on"),
        (30.0, 40.0, False, "it goes on; it lasted 40.0 s instead of 30s"),
        # a fault that ended early, one that waits for a new primary, and one that was to last
        (30.0, 2.0, False, "it goes on"),
        (1.0, 9.0, True, "it goes on"),
        (None, 9.0, False, "it goes on"),
    ],
)
def test_a_fault_that_lasted_longer_than_requested_says_so(
    asked: float | None, lasted: float, stops: bool, detail: str
) -> None:
    begun = 5 * SECOND
    fault = Planted(asked, begun + round(lasted * SECOND), stops)
    recovered = AtWork(fault, CONTEXT, Injection((), "", begun, True, "")).recover(lambda: None)
    assert recovered.recovery is not None and recovered.recovery.detail == detail


class Late(Planted):
    """A fault that is refused after a while, as a switchover that has moved roles and back."""

    refused_ns = 0

    def inject(self, context: Any) -> Injection:
        time.sleep(0.05)
        self.refused_ns = time.monotonic_ns()
        raise FiveninesError("no switchover")


def test_a_refused_fault_has_the_time_at_which_it_began() -> None:
    fault = Late(1.0, 0, False)
    refused = Planned(fault, CONTEXT).inject()
    assert isinstance(refused, Refused) and refused.reason == "no switchover"
    assert refused.monotonic_ns < fault.refused_ns
