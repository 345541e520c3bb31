"""Configure all tests."""

import gc
import os
import re
import signal
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

_LAB = Path(__file__).parent / "lab"

# A shell makes its background processes and their descendants ignore SIGINT: no interruption that a test
# sends would arrive.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Thousands of tests make a large heap, which the garbage collector would otherwise scan repeatedly.
gc.set_threshold(50_000, 20, 100)

# The umask can only be read by setting it.
_UMASK = os.umask(0o022)
os.umask(_UMASK)

# Property tests have no deadline: other programs on the machine would make them fail. Examples are new in
# each run, except in `make test`, whose result must be that of the commit.
settings.register_profile("untimed", deadline=None)
settings.register_profile("fixed", deadline=None, derandomize=True)
settings.register_profile("thorough", deadline=None, max_examples=500)
settings.load_profile("untimed")


@pytest.fixture(autouse=True)
def _umask() -> Iterator[None]:
    """Restore the umask, which commands of fivenines set in the process that runs them."""
    yield
    os.umask(_UMASK)


@pytest.fixture
def on_disk() -> Iterator[Path]:
    """Provide a folder on a disk, for tests that check written data: `tmp_path` may be in memory."""
    with tempfile.TemporaryDirectory(prefix="fivenines-", dir="/var/tmp") as folder:
        yield Path(folder)


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tolerate a busy machine that suspends this process for seconds: no trial and no block breaks."""
    from lab_support import STANDSTILL  # noqa: PLC0415  (only lab tests need it)

    from fivenines.trial import machine_watch  # noqa: PLC0415

    monkeypatch.setattr(machine_watch, "PAUSE", STANDSTILL)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sort lab tests by descending duration: a long test that begins late would run alone at the end."""
    if not all(_LAB in item.path.parents for item in items):
        return
    lasts: dict[str, float] = {}
    for item in items:
        lasts[_together(item.nodeid)] = lasts.get(_together(item.nodeid), 0.0) + _seconds(item)
    items.sort(key=lambda item: -lasts[_together(item.nodeid)])


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> "LoadScopeScheduling | None":
    """Distribute lab tests individually, except those that share a fixture."""
    return _Scheduling(config, log) if config.getoption("dist") == "loadscope" else None


class _Scheduling(LoadScopeScheduling):  # type: ignore[misc]  # no types
    """Group tests by the files that share fixtures.

    `--dist loadgroup` does not work: with pytest 9.2, xdist 3.8 ignores its marks, because test identifiers
    cannot be changed any more.
    """

    def _split_scope(self, nodeid: str) -> str:
        return _together(nodeid)


def _together(nodeid: str) -> str:
    """Return the group of a test that runs in one process: its file if fixtures are shared, else the test."""
    file, _, _ = nodeid.partition("::")
    return file if _shares(_LAB.parents[1] / file) else nodeid


@cache
def _shares(file: Path) -> bool:
    """Return whether a lab file, or one that it imports, has a fixture for several tests."""
    text = file.read_text()
    imported = re.findall(r"^from (lab_\w+) import", text, re.MULTILINE)
    return 'scope="module"' in text or any(_shares(_LAB / "support" / f"{module}.py") for module in imported)


# Expected seconds of a test without the mark `lasts`: a single test deploys servers, tests with a common
# fixture share them.
_ALONE, _SHARING = 10.0, 3.0


def _seconds(item: pytest.Item) -> float:
    """Return the expected duration of a test in seconds, from its mark `lasts` if present."""
    mark = item.get_closest_marker("lasts")
    if mark:
        return float(mark.args[0])
    return _SHARING if _shares(item.path) else _ALONE
