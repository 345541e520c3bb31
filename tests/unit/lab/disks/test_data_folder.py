"""A data folder of this machine."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.base.errors import FiveninesError
from fivenines.lab.disks.data_folder import Folder

NAMES = st.text("abc.-_", min_size=1).filter(lambda name: name.strip("."))


@given(st.dictionaries(NAMES, st.text(st.characters(exclude_characters="\r", codec="utf-8"))))
def test_reads_written_files_until_they_are_removed(
    tmp_path_factory: pytest.TempPathFactory, texts: dict[str, str]
) -> None:
    folder = Folder(tmp_path_factory.mktemp("data"))
    for name, text in texts.items():
        assert not folder.exists(name) and folder.read_text(name) == ""
        folder.write_text(name, text)
    for name, text in texts.items():
        assert folder.exists(name) and folder.read_text(name) == text
        folder.remove(name)
        folder.remove(name)
    assert list(folder.path.iterdir()) == []


def test_to_fill_is_to_replace(tmp_path: Path) -> None:
    (tmp_path / "from" / "below").mkdir(parents=True)
    (tmp_path / "from" / "below" / "new").write_text("new")
    (tmp_path / "to" / "old").mkdir(parents=True)
    folder, other = Folder(tmp_path / "to"), Folder(tmp_path / "other")
    folder.fill(tmp_path / "from")
    assert [path.name for path in folder.path.rglob("*")] == ["below", "new"]
    other.path.mkdir()
    other.fill(folder)
    assert (other.path / "below" / "new").read_text() == "new"
    with pytest.raises(FiveninesError, match=r"^cannot copy .* to .*/to: cp: cannot"):
        folder.fill(tmp_path / "nowhere")


def test_it_is_closed_to_others(tmp_path: Path) -> None:
    Folder(tmp_path).close_to_others()
    assert tmp_path.stat().st_mode & 0o777 == 0o700
