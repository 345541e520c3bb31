"""The live page of a run that shows itself (`run --serve`): a process of its own, which ends with the run."""

import selectors
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fivenines.errors import FiveninesError
from fivenines.lab.bound import ends_with_us

_STARTING = 30.0


@contextmanager
def beside(folder: Path) -> Iterator[str]:
    """While inside, the run is shown at the URL that is given.

    Raises:
        FiveninesError: the page did not begin.
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
        raise FiveninesError("--serve: the page did not begin; `fivenines serve` says more")
    return line
