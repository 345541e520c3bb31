"""What holds for all tests."""

import gc
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

# a shell ignores SIGINT for what it starts in the background, and everything below inherits that:
# no interruption that a test sends would arrive
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# thousands of tests are a large heap, which is else looked at again and again
gc.set_threshold(50_000, 20, 100)

# no property test is timed: what else runs on the machine would fail it
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


@pytest.fixture
def on_disk() -> Iterator[Path]:
    """A folder on a disk, for tests that look at what is written there: `tmp_path` may be in memory."""
    with tempfile.TemporaryDirectory(prefix="fivenines-", dir="/var/tmp") as folder:
        yield Path(folder)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest: a long lab test that begins late would run alone at the end."""
    if not all(item.path.parent == _LAB for item in items):
        return
    lasts: dict[str, float] = {}
    for item in items:
        lasts[_together(item.nodeid)] = lasts.get(_together(item.nodeid), 0.0) + _seconds(item)
    items.sort(key=lambda item: -lasts[_together(item.nodeid)])


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> "LoadScopeScheduling | None":
    """Hand out lab tests one by one, but those that share a fixture together."""
    return _Scheduling(config, log) if config.getoption("dist") == "loadscope" else None


class _Scheduling(LoadScopeScheduling):  # type: ignore[misc]  # no types
    """Groups tests by the files that share fixtures.

    Not by marks, `--dist loadgroup`: with pytest 9.2 xdist 3.8 ignores them, as identifiers of tests cannot
    be changed any more.
    """

    def _split_scope(self, nodeid: str) -> str:
        return _together(nodeid)


def _together(nodeid: str) -> str:
    """What runs in one process: a whole file if its tests share what a fixture makes, else a test."""
    file, _, _ = nodeid.partition("::")
    return file if _shares(Path(file).name) else nodeid


@cache
def _shares(name: str) -> bool:
    """Whether a file of the lab has a fixture for several tests, or one that it imports has."""
    text = (_LAB / name).read_text()
    imported = re.findall(r"^from (lab_\w+) import", text, re.MULTILINE)
    return 'scope="module"' in text or any(_shares(f"{module}.py") for module in imported)


# What a test lasts that says nothing about it: one alone deploys servers, several with a fixture share them.
_ALONE, _SHARING = 10.0, 3.0


def _seconds(item: pytest.Item) -> float:
    """How long a test is expected to take, as its mark `lasts` says."""
    mark = item.get_closest_marker("lasts")
    if mark:
        return float(mark.args[0])
    return _SHARING if _shares(item.path.name) else _ALONE
