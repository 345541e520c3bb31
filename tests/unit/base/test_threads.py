"""Threads that can be waited for after Ctrl-C."""

import os
import re
import signal
import threading
from pathlib import Path

import pytest

from fivenines.base.threads import Background

PRODUCT = Path(__file__).parents[3] / "python" / "fivenines"


def test_a_thread_whose_join_was_interrupted_is_still_waited_for() -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    may_end = threading.Event()
    done: list[str] = []

    def work() -> None:
        os.kill(os.getpid(), signal.SIGINT)
        may_end.wait()
        done.append("clean")

    try:
        thread = Background(target=work, name="worker")
        with pytest.raises(KeyboardInterrupt):
            thread.start()
            thread.join()
        assert thread.is_alive()
        assert done == []
        may_end.set()
        thread.join()
        assert done == ["clean"]
        assert not thread.is_alive()
    finally:
        may_end.set()
        signal.signal(signal.SIGINT, before)


def test_join_returns_at_its_timeout() -> None:
    may_end = threading.Event()
    thread = Background(target=may_end.wait)
    thread.start()
    thread.join(0.001)
    assert thread.is_alive()
    may_end.set()
    thread.join()


def test_a_thread_that_fails_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threading, "excepthook", lambda failure: None)

    def fail() -> None:
        raise ValueError("planted")

    thread = Background(target=fail)
    thread.start()
    thread.join()
    assert not thread.is_alive()


def test_a_thread_that_was_not_started_cannot_be_waited_for() -> None:
    thread = Background(target=print)
    assert not thread.is_alive()
    with pytest.raises(RuntimeError, match="not started"):
        thread.join()


# The probe and the programs of client stacks run alone, without the package, and join nothing.
OTHERS = ("threads.py", "link_probe.py")
ALONE = "stack_program"


def test_no_other_kind_of_thread_is_used() -> None:
    uses = [
        path.name
        for path in PRODUCT.rglob("*.py")
        if re.search(r"threading\.Thread\b", path.read_text())
        and path.name not in OTHERS
        and path.parent.name != ALONE
    ]
    assert uses == []
