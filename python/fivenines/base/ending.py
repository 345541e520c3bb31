"""Signals that end a program: let clean-up run, or hold it up for a moment."""

import signal
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

_ENDING = (signal.SIGTERM, signal.SIGHUP)

# timeout(1) sends its signal twice, to the program and to its process group; people take longer.
SAME_SECONDS = 0.5


@contextmanager
def ended_as_by_ctrl_c() -> Iterator[None]:
    """Treat SIGTERM and SIGHUP (a pipeline, a closed terminal) like Ctrl-C, so that clean-up runs.

    A signal that was ignored before, as SIGHUP under nohup, stays ignored. Ctrl-C itself may be ignored, as
    in background jobs of a script; SIGTERM ends the program even so.
    """
    # The handler of SIGINT may have been changed for a while, and counts then.
    end = _interrupt if signal.getsignal(signal.SIGINT) == signal.SIG_IGN else _as_sigint
    last = -SAME_SECONDS

    def end_once(*_: object) -> None:
        nonlocal last
        before, last = last, time.monotonic()
        if last - before >= SAME_SECONDS:
            end()

    ending = {number: end_once for number in _ENDING if signal.getsignal(number) != signal.SIG_IGN}
    with _handled(ending):
        yield


@contextmanager
def without_ctrl_c() -> Iterator[None]:
    """Ignore Ctrl-C, SIGTERM and SIGHUP."""
    with _handled(dict.fromkeys((signal.SIGINT, *_ENDING), signal.SIG_IGN)):
        yield


def _as_sigint() -> None:
    signal.raise_signal(signal.SIGINT)


def _interrupt() -> None:
    raise KeyboardInterrupt


@contextmanager
def _handled(handlers: Mapping[signal.Signals, Any]) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
