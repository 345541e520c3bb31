"""The live page of `run --serve`: a separate process that ends with the run."""

import selectors
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fivenines.base.errors import FiveninesError
from fivenines.lab.processes.bound import ends_with_us

_STARTING = 30.0


@contextmanager
def page(folder: Path) -> Iterator[str]:
    """Serve a page of the run in a separate process, and return its URL.

    Raises:
        FiveninesError: the server did not start.
    """
    command = [sys.executable, "-m", "fivenines", "serve", str(folder.absolute()), "--quiet"]
    process = subprocess.Popen(
        [*ends_with_us("TERM"), *command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        process_group=0,
    )
    try:
        yield _first_line(process)
    finally:
        process.terminate()
        try:
            process.wait(5.0)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _first_line(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        line = process.stdout.readline().strip() if selector.select(_STARTING) else ""
    if not line:
        raise FiveninesError("--serve: the web server did not start. Run `fivenines serve` to see the reason")
    return line
