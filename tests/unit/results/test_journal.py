"""A run's journal is read while it grows, by anybody, also after its writer was killed."""

import json
import os
from pathlib import Path

import pytest

from fivenines.base import locks
from fivenines.base.errors import UsageError
from fivenines.results import claims, layout, stops
from fivenines.results.journal import Tail, parsed


def _add(file: Path, text: str) -> None:
    with file.open("a") as stream:
        stream.write(text)


def test_lines_are_read_once_and_only_when_they_are_whole(tmp_path: Path) -> None:
    file = tmp_path / "journal.jsonl"
    tail = Tail(file)
    assert tail.read() == []
    _add(file, "one\ntw")
    assert tail.read() == ["one"]
    assert tail.read() == []
    _add(file, "o\nthree\n")
    assert tail.read() == ["two", "three"]


def test_two_readers_do_not_know_of_each_other(tmp_path: Path) -> None:
    file = tmp_path / "journal.jsonl"
    early, late = Tail(file), Tail(file)
    _add(file, "one\n")
    assert early.read() == ["one"]
    _add(file, "two\n")
    assert (early.read(), late.read()) == (["two"], ["one", "two"])


def test_another_file_of_that_name_is_read_from_its_beginning(tmp_path: Path) -> None:
    file = tmp_path / "ticks.csv"
    tail = Tail(file)
    _add(file, "a\nb\n")
    assert tail.read() == ["a", "b"]
    (tmp_path / "new").write_text("c\nd\ne\n")
    (tmp_path / "new").replace(file)
    assert tail.read() == ["c", "d", "e"]
    file.write_text("f\n")
    assert tail.read() == ["f"]


def test_a_torn_line_is_passed_over() -> None:
    lines = ['{"event": "a", "at": 1}', '{"event": "b", "a', "[1]", '{"at": 1}', '{"event": "c"}']
    assert [item["event"] for item in parsed(lines)] == ["a", "c"]


def test_a_run_is_asked_to_stop_by_who_it_is(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not running"):
        stops.ask(tmp_path)
    assert not (tmp_path / layout.STOP).exists()
    with claims.claimed(tmp_path):
        assert stops.ask(tmp_path).pid == os.getpid()
        assert stops.is_asked(tmp_path)
        # what another process was asked, which has died since, asks nothing of us
        (tmp_path / layout.STOP).write_text("1\n")
        assert not stops.is_asked(tmp_path)
        stops.forget_others(tmp_path)
        assert stops.asked_of(tmp_path) is None


def test_who_holds_a_lock_is_seen_without_taking_it(tmp_path: Path) -> None:
    lock = tmp_path / ".lock"
    assert locks.active(lock) is None
    with locks.held(lock, "it", "wait"):
        holder = locks.active(lock)
        assert holder is not None
        assert holder.pid == os.getpid()
    # a killed owner has left its line, and holds nothing
    dead = {"pid": 2**22 - 1, "command": "x", "since": "", "terminal": "", "host": "h"}
    lock.write_text(json.dumps(dead) + "\n")
    assert locks.active(lock) is None
