"""Threads that end with the process, and that can still be waited for after Ctrl-C."""

import threading
from collections.abc import Callable, Iterable


class Background(threading.Thread):
    """A daemon thread whose `join` and `is_alive` hold after a KeyboardInterrupt.

    Before Python 3.13, a `Thread.join` that Ctrl-C interrupts marks the running thread as ended: code that
    then waits for its clean-up or its output does not wait (seen with 3.9 to 3.12).
    """

    def __init__(
        self, target: Callable[..., object], args: Iterable[object] = (), name: str | None = None
    ) -> None:
        super().__init__(target=target, args=args, name=name, daemon=True)
        self._over = threading.Event()

    def run(self) -> None:
        try:
            super().run()
        finally:
            self._over.set()

    def join(self, timeout: float | None = None) -> None:
        """Wait until the thread has ended, at most `timeout` seconds.

        Raises:
            RuntimeError: it was not started.
        """
        if self.ident is None:
            raise RuntimeError("the thread was not started")
        self._over.wait(timeout)

    def is_alive(self) -> bool:
        """Return whether the thread was started and has not ended."""
        return self.ident is not None and not self._over.is_set()
