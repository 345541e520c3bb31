"""Trees of programs that users bring: made of an archive once, and found again by their name."""

import subprocess
from pathlib import Path

import pytest

from fivenines.base.errors import FiveninesError, UsageError
from fivenines.software.program_root import ProgramRoot, program_roots, root_of, seen_at
from fivenines.software.store import engine, engines


def _archive(folder: Path) -> Path:
    (folder / "proxy-1.0" / "bin").mkdir(parents=True)
    (folder / "proxy-1.0" / "bin" / "proxy").write_text("#!/bin/sh\necho ready\n")
    made = folder / "proxy.tar.gz"
    subprocess.run(["tar", "-czf", str(made), "-C", str(folder), "proxy-1.0"], check=True)
    return made


def test_an_archive_becomes_a_tree_that_is_listed_and_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    made = ProgramRoot.of("archive", str(_archive(tmp_path)))
    assert not made.status().installed
    made.pull(lambda _what, _done: None)
    assert (made.tree / "bin" / "proxy").is_file()
    assert made.status().installed and made.status().version
    assert [one.name for one in program_roots()] == [made.name]
    assert made.name in [one.name for one in engines()]
    same = engine(made.name)
    assert isinstance(same, ProgramRoot) and same.tree == made.tree
    # another archive in its place is another program
    (tmp_path / "proxy.tar.gz").write_bytes(b"another one")
    assert made.status().detail == "the archive has changed"
    (tmp_path / "proxy.tar.gz").unlink()
    assert made.status().installed
    same.remove()
    assert not made.status().installed
    with pytest.raises(FiveninesError, match="is not in the cache"):
        same.remove()


@pytest.mark.parametrize("name", ["root:nonsense", "root:archive:", "root:archive:x.tar"])
def test_refuses_an_invalid_name(name: str) -> None:
    with pytest.raises(UsageError):
        engine(name)


def test_a_tree_without_a_shell_is_mounted_as_an_engine(tmp_path: Path) -> None:
    root = root_of(tmp_path)
    assert root.engine == tmp_path and root.lower is None and seen_at(root).startswith("/")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "sh").touch()
    whole = root_of(tmp_path)
    assert whole.lower == tmp_path and seen_at(whole) == ""
