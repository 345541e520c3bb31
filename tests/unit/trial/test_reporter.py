"""Events of a trial are reported once, in chronological order, as soon as they are known."""

import threading
import time

from fivenines.results.records import Event
from fivenines.trial.reporter import Reporter


def _event(t: float, kind: str) -> Event:
    return Event(t=t, kind=kind, node="node1", detail="")


def test_what_came_meanwhile_waits_for_a_fault_whose_moment_is_not_known_yet() -> None:
    events: list[Event] = []
    known, holding = [_event(-5.0, "begun")], threading.Event()
    holding.set()
    reporter = Reporter(lambda: sorted(known, key=lambda item: item.t), holding.is_set, events.append)
    reporter.start()
    known.append(_event(20.0, "missed"))
    reporter.look()
    time.sleep(0.3)
    assert events == []
    known.append(_event(10.0, "fault"))
    holding.clear()
    reporter.look()
    known.append(_event(30.0, "promoted"))
    reporter.stop()
    assert [item.kind for item in events] == ["fault", "missed", "promoted"]


def test_a_log_that_cannot_be_read_ends_nothing() -> None:
    def broken() -> list[Event]:
        raise OSError

    reporter = Reporter(broken, lambda: False, lambda _event: None)
    reporter.start()
    reporter.look()
    reporter.stop()
    reporter.stop()
