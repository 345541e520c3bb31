"""Lines of a file, each passed on once, however the file grows."""

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from fivenines.failover.programs.tailing import Tail


@given(st.lists(st.binary(max_size=40), max_size=12))
@settings(max_examples=60)
def test_each_whole_line_is_passed_on_once_and_in_order(tmp_path_factory: object, parts: list[bytes]) -> None:
    folder = Path(tmp_path_factory.mktemp("tail"))  # type: ignore[attr-defined]
    passed_on: list[str] = []
    tail = Tail(folder / "log", passed_on.append, passed_on.append)
    tail.catch_up()
    with (folder / "log").open("ab", buffering=0) as log:
        for part in parts:
            log.write(part)
            tail.catch_up()
    whole = b"".join(parts).split(b"\n")[:-1]
    assert passed_on == [line.decode(errors="replace").rstrip("\r") for line in whole]


def test_a_truncated_file_is_read_from_its_beginning(tmp_path: Path) -> None:
    passed_on: list[str] = []
    file = tmp_path / "log"
    file.write_text("one\ntwo\n")
    tail = Tail(file, passed_on.append, passed_on.append)
    tail.start()
    tail.catch_up()
    file.write_text("3\n")
    tail.stop()
    assert passed_on == ["one", "two", "3"]


def test_an_incomplete_line_of_a_dead_program_is_skipped(tmp_path: Path) -> None:
    passed_on: list[str] = []
    file = tmp_path / "log"
    file.write_text("one\nlook at 10.9")
    tail = Tail(file, passed_on.append, passed_on.append)
    tail.skip()
    with file.open("a") as log:
        log.write("watching\n")
    tail.catch_up()
    assert passed_on == ["one", "watching"]


def test_a_failing_line_is_reported_and_the_next_ones_are_passed_on(tmp_path: Path) -> None:
    passed_on: list[str] = []
    failed: list[str] = []

    def tell(line: str) -> None:
        if line == "two":
            raise ValueError("no such node")
        passed_on.append(line)

    file = tmp_path / "log"
    file.write_text("one\ntwo\nthree\n")
    Tail(file, tell, failed.append).catch_up()
    assert passed_on == ["one", "three"] and failed == ["'two': no such node"]


def test_another_file_in_its_place_is_read_from_its_beginning(tmp_path: Path) -> None:
    passed_on: list[str] = []
    file = tmp_path / "log"
    file.write_text("one\n")
    tail = Tail(file, passed_on.append, passed_on.append)
    tail.catch_up()
    other = tmp_path / "other"
    other.write_text("two\nthree\n")
    other.replace(file)
    tail.catch_up()
    assert passed_on == ["one", "two", "three"]
