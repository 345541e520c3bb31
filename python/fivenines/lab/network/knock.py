"""Send frames while a receiver waits for them, see `reachability`."""

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager


@contextmanager
def knocking(command: Sequence[str]) -> Iterator[None]:
    """Send frames until the end of the block."""
    sender = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield
    finally:
        sender.kill()
        sender.wait()
