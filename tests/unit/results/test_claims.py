"""The lock of a run's folder: one process at a time, named in errors, without leftovers."""

import json
from pathlib import Path

import pytest

from fivenines.base.errors import UsageError
from fivenines.results import claims, layout


def _killed(folder: Path) -> None:
    """A lock file as a killed process leaves it."""
    folder.mkdir(exist_ok=True)
    holder = {"pid": 2**22 + 1, "command": "fivenines run x.yaml", "since": "2026-01-02 10:15:00"}
    line = json.dumps({**holder, "terminal": "", "host": "lab1"})
    (folder / layout.LOCK).write_text(line + "\n")


def test_a_folder_is_held_by_one_at_a_time(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with claims.claimed(folder):
        (folder / layout.MANIFEST).touch()
        with pytest.raises(UsageError, match=f"^{folder} is in use by process "):
            claims.require_unclaimed(folder)
        with pytest.raises(UsageError, match="wait until that ends"), claims.claimed(folder):
            pytest.fail("it is held")
    assert [path.name for path in folder.iterdir()] == [layout.MANIFEST]
    claims.require_unclaimed(folder)


def test_a_folder_in_which_nothing_was_put_is_not_left(tmp_path: Path) -> None:
    with pytest.raises(ValueError), claims.claimed(tmp_path / "run"):
        raise ValueError
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "made before").mkdir()
    with claims.claimed(tmp_path / "made before"):
        pass
    assert (tmp_path / "made before").is_dir()


def test_half_written_files_of_a_killed_writer_are_removed(tmp_path: Path) -> None:
    (tmp_path / f".{layout.MANIFEST}.4711.tmp").write_text("{")
    with claims.claimed(tmp_path):
        assert [path.name for path in tmp_path.iterdir()] == [layout.LOCK]


@pytest.mark.parametrize(
    ("names", "begun"),
    [
        ([], False),
        ([layout.LOCK, layout.SOURCE, "trials/", ".manifest.json.12.tmp"], False),
        ([layout.LOCK, layout.SOURCE, layout.MANIFEST], True),
        ([layout.LOCK, "trials/0001/"], True),
        (["notes.txt"], True),
    ],
)
def test_what_a_run_puts_down_before_its_manifest_is_no_run(
    tmp_path: Path, names: list[str], begun: bool
) -> None:
    for name in names:
        if name.endswith("/"):
            (tmp_path / name).mkdir(parents=True)
        else:
            (tmp_path / name).touch()
    assert claims.begun(tmp_path) is begun


def test_a_folder_that_is_not_there_or_no_folder(tmp_path: Path) -> None:
    assert not claims.begun(tmp_path / "nowhere")
    (tmp_path / "file").touch()
    assert claims.begun(tmp_path / "file")


def test_who_was_killed_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.node", lambda: "lab1")
    assert claims.deserter(tmp_path) is None
    _killed(tmp_path)
    result = claims.deserter(tmp_path)
    assert result is not None
    assert str(result) == (
        "process 4194305 (`fivenines run x.yaml`, since 2026-01-02 10:15:00, lab1, no terminal)"
    )
    with claims.claimed(tmp_path):
        assert claims.deserter(tmp_path) is None
