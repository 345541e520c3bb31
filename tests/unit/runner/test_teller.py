"""Events of a trial are told once, in the order of their moments, as soon as they are known."""

import threading
import time

from fivenines.results.records import Event
from fivenines.runner.teller import Teller


def _event(t: float, kind: str) -> Event:
    return Event(t=t, kind=kind, node="node1", detail="")


def test_what_came_meanwhile_waits_for_a_fault_whose_moment_is_not_known_yet() -> None:
    told: list[Event] = []
    known, holding = [_event(-5.0, "begun")], threading.Event()
    holding.set()
    teller = Teller(lambda: sorted(known, key=lambda one: one.t), holding.is_set, told.append)
    teller.start()
    known.append(_event(20.0, "missed"))
    teller.look()
    time.sleep(0.3)
    assert told == []
    known.append(_event(10.0, "fault"))
    holding.clear()
    teller.look()
    known.append(_event(30.0, "promoted"))
    teller.stop()
    assert [one.kind for one in told] == ["fault", "missed", "promoted"]


def test_a_log_that_cannot_be_read_ends_nothing() -> None:
    def broken() -> list[Event]:
        raise OSError

    teller = Teller(broken, lambda: False, lambda _event: None)
    teller.start()
    teller.look()
    teller.stop()
    teller.stop()
