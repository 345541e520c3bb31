"""The block device below a folder is found where there is one, and counts what is written to it."""

import os
from pathlib import Path

import pytest

from fivenines.trial.observers.device import Device


def test_bytes_that_reach_the_device_are_counted(tmp_path: Path) -> None:
    device = Device(tmp_path)
    before = device.written()
    if before is None:
        pytest.skip("this folder is on no block device")
    with (tmp_path / "file").open("wb") as file:
        file.write(os.urandom(3_000_000))
        file.flush()
        os.fsync(file.fileno())
    after = device.written()
    assert after is not None and after - before >= 3_000_000


def test_a_file_system_without_a_device_tells_nothing() -> None:
    assert Device(Path("/proc")).written() is None
