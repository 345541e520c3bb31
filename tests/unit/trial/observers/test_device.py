"""The block device below a folder is found where there is one, and counts what is written to it."""

import os
import tempfile
from pathlib import Path

import pytest
from repository import ROOT

from fivenines.trial.observers.device import Device


def test_bytes_that_reach_the_device_are_counted() -> None:
    # The suites put temporary folders in memory; the repository is on a disk.
    device = Device(ROOT)
    before = device.written()
    if before is None:
        pytest.skip("this folder is on no block device")
    (ROOT / "build").mkdir(exist_ok=True)
    with tempfile.TemporaryFile(dir=ROOT / "build") as file:
        file.write(os.urandom(3_000_000))
        file.flush()
        os.fsync(file.fileno())
    after = device.written()
    assert after is not None and after - before >= 3_000_000


def test_a_file_system_without_a_device_tells_nothing() -> None:
    assert Device(Path("/proc")).written() is None
