"""`fivenines stalls`: a process that stood still has recorded that, and `tune` reads the file."""

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from fivenines.analysis.availability.hiccups import parse_hiccups


def test_a_process_that_stood_still_records_it(tmp_path: Path) -> None:
    file = tmp_path / "stalls.csv"
    command = [sys.executable, "-m", "fivenines", "stalls", "--for", "1h", "--at-least", "300ms", "--out"]
    with subprocess.Popen([*command, str(file)], stdout=subprocess.PIPE, text=True) as recorder:
        deadline = time.monotonic() + 60
        # It may not watch yet when it stands still for the first time.
        while len(_rows(file)) < 2:
            assert time.monotonic() < deadline and recorder.poll() is None
            recorder.send_signal(signal.SIGSTOP)
            time.sleep(0.4)
            recorder.send_signal(signal.SIGCONT)
            time.sleep(0.2)
        recorder.send_signal(signal.SIGINT)
        output, _ = recorder.communicate(timeout=60)
    assert recorder.returncode == 0
    rows = [list(map(float, row.split(","))) for row in _rows(file)]
    assert all(length >= 0.3 for _, length in rows)
    assert output.startswith(f"{len(rows)} stalls of 300ms or longer in ")
    model = parse_hiccups(output.split("'")[1])
    assert (model.fault, len(model.lengths)) == ("freeze", len(rows))


def _rows(file: Path) -> list[str]:
    return file.read_text().splitlines()[1:] if file.exists() else []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--for", "0s"], "--for 0s: write a time above 0"),
        (["--at-least", "soon"], "--at-least: 'soon' is not a duration"),
        (["--disk", "/nope"], "--disk /nope: no such folder"),
    ],
)
def test_bad_options_are_refused(fivenines: Any, arguments: list[str], words: str) -> None:
    answer = fivenines("stalls", *arguments)
    assert (answer.code, words in answer.err) == (2, True)


def test_nothing_is_overwritten(fivenines: Any, tmp_path: Path) -> None:
    file = tmp_path / "stalls.csv"
    file.write_text("start,length\n")
    answer = fivenines("stalls", "--for", "1s", "--out", str(file))
    assert (answer.code, "it exists" in answer.err) == (2, True)


def test_too_few_stalls_are_no_model(fivenines: Any, tmp_path: Path) -> None:
    file = tmp_path / "stalls.csv"
    answer = fivenines("stalls", "--for", "100ms", "--at-least", "1h", "--out", str(file))
    assert (answer.code, file.read_text()) == (0, "start,length\n")
    assert "0 stalls of 1h or longer" in answer.out and "a model needs at least 2" in answer.out
