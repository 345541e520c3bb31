"""Runs of a file with parts on the live page: which there are, and how one is continued."""

from pathlib import Path

import pytest

from fivenines.report.live.runs import Runs, command
from fivenines.results import layout, parts
from fivenines.results.parts import PartsRecord


def _part(root: Path, name: str) -> Path:
    group = root / "two"
    parts.write(group, PartsRecord(title="two", parts=["a", "b"]))
    folder = group / name
    folder.mkdir()
    (folder / layout.MANIFEST).write_text("{}")
    return folder


def test_parts_are_runs_by_the_names_of_both(tmp_path: Path) -> None:
    folder = _part(tmp_path, "b")
    assert Runs(tmp_path).all() == {"two:b": folder}
    assert Runs(tmp_path / "two").all() == {"b": folder}


@pytest.mark.parametrize(
    ("form", "words"),
    [("", ["run"]), ("quick", ["replicate", "--quick"]), ("full", ["replicate", "--full"]), ("--x", ["run"])],
)
def test_a_part_is_continued_alone_in_the_folder_of_all(tmp_path: Path, form: str, words: list[str]) -> None:
    folder, file = _part(tmp_path, "b"), tmp_path / "two.yaml"
    file.touch()
    found = command(folder, {"file": str(file), "form": form})
    assert found[3:] == [
        *words,
        "--resume",
        "--progress",
        "plain",
        "--part=b",
        f"--out={tmp_path / 'two'}",
        "--",
        str(file),
    ]
