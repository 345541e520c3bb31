"""Test that the end of a `with` block hides no Ctrl-C, and that scratch folders in use are removed."""

import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from fivenines.lab.closing import Closing
from fivenines.lab.lab import remove_tree


class Stuck(Closing):
    def close(self) -> None:
        raise OSError("not empty")


def test_ctrl_c_goes_on_although_the_end_fails() -> None:
    with pytest.raises(KeyboardInterrupt), Stuck():
        raise KeyboardInterrupt


def test_reports_a_failed_end_without_another_error() -> None:
    with pytest.raises(OSError, match="not empty"), Stuck():
        pass
    with pytest.raises(OSError, match="not empty"), Stuck():
        raise ValueError("hidden, but chained")


def test_removes_a_folder_when_its_writer_has_ended(tmp_path: Path) -> None:
    folder = tmp_path / "lab" / "base"
    folder.mkdir(parents=True)
    until = time.monotonic() + 0.4

    def write() -> None:
        number = 0
        while time.monotonic() < until:
            # it goes away below its writer, too
            with suppress(FileNotFoundError):
                folder.mkdir(parents=True, exist_ok=True)
                (folder / str(number)).write_text("x")
            number += 1

    writer = threading.Thread(target=write)
    writer.start()
    time.sleep(0.05)
    try:
        remove_tree(tmp_path / "lab")
    finally:
        writer.join()
    remove_tree(tmp_path / "lab")
    assert not (tmp_path / "lab").exists()
