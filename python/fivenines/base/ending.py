"""Signals that end a program: let clean-up run, or hold it up for a moment."""

import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

_ENDING = (signal.SIGTERM, signal.SIGHUP)


@contextmanager
def ended_as_by_ctrl_c() -> Iterator[None]:
    """Treat SIGTERM and SIGHUP (a pipeline, a closed terminal) like Ctrl-C, so that clean-up runs.

    A signal that was ignored before, as SIGHUP under nohup, stays ignored. Ctrl-C itself may be ignored, as
    in background jobs of a script; SIGTERM ends the program even so.
    """
    # The handler of SIGINT may have been changed for a while, and counts then.
    end = _interrupt if signal.getsignal(signal.SIGINT) == signal.SIG_IGN else _as_sigint
    ending = {number: end for number in _ENDING if signal.getsignal(number) != signal.SIG_IGN}
    with _handled(ending):
        yield


@contextmanager
def without_ctrl_c() -> Iterator[None]:
    """Ignore Ctrl-C, SIGTERM and SIGHUP."""
    with _handled(dict.fromkeys((signal.SIGINT, *_ENDING), signal.SIG_IGN)):
        yield


def _as_sigint(*_: object) -> None:
    signal.raise_signal(signal.SIGINT)


def _interrupt(*_: object) -> None:
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
