"""Test NDB Cluster from an archive: selection, checks, and messages."""

import hashlib
import tarfile
from pathlib import Path

import pytest

from fivenines.base.errors import FiveninesError
from fivenines.software.engines import ndb_archive
from fivenines.software.engines.ndb_archive import NdbArchive

NAME = "mysql-cluster-9.7.2-linux-x86_64.tar.gz"


def _silent(_message: str, _fraction: float | None) -> None:
    pass


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> NdbArchive:
    monkeypatch.setenv("FIVENINES_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv(ndb_archive.ARCHIVES, raising=False)
    return NdbArchive()


def _folder(root: Path, *programs: str) -> Path:
    for name in programs:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("#!/bin/sh\necho mysqld  Ver 9.7.2-cluster for Linux\n")
        # whatever the umask of this process is
        for each in (root, path.parent, path):
            each.chmod(0o755)
    return root


def _archive(folder: Path, *programs: str) -> Path:
    folder.mkdir(exist_ok=True)
    _folder(folder / "tree", *programs)
    with tarfile.open(folder / NAME, "w:gz") as archive:
        archive.add(folder / "tree", "mysql-cluster-9.7.2")
    return folder / NAME


def test_reports_where_to_get_a_missing_archive(engine: NdbArchive) -> None:
    assert not engine.fetched
    with pytest.raises(FiveninesError) as caught:
        engine.pull(_silent)
    for remedy in ("engines add FILE", "engines add FOLDER", "engines build mysql-ndb-9.7"):
        assert remedy in str(caught.value)


def test_the_environment_offers_archives(
    engine: NdbArchive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = _archive(tmp_path / "here", "bin/mysqld", "sbin/ndbmtd", "bin/ndb_mgmd")
    monkeypatch.setenv(ndb_archive.ARCHIVES, str(archive.parent))
    assert engine.fetched
    engine.pull(_silent)
    assert engine.status().version == "9.7.2"
    assert engine.program("ndbmtd") == "/run/engine/sbin/ndbmtd"
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    assert f"{NAME}, sha256 {digest}" in (engine.folder / "receipt.json").read_text()


def test_a_damaged_archive_is_refused(engine: NdbArchive, tmp_path: Path) -> None:
    engine.archive = _archive(tmp_path / "here", "bin/mysqld", "bin/ndbmtd", "bin/ndb_mgmd")
    (tmp_path / "here" / "SHA256SUMS").write_text(f"{'0' * 64}  {NAME}\n")
    with pytest.raises(FiveninesError, match="is damaged"):
        engine.pull(_silent)
    assert not engine.status().installed


def test_an_archive_without_data_nodes_is_refused(engine: NdbArchive, tmp_path: Path) -> None:
    engine.archive = _archive(tmp_path / "here", "bin/mysqld")
    with pytest.raises(FiveninesError, match="has no ndbmtd"):
        engine.pull(_silent)


def test_uses_a_folder_in_place(engine: NdbArchive, tmp_path: Path) -> None:
    root = _folder(tmp_path / "opt", "bin/mysqld", "sbin/ndbmtd", "bin/ndb_mgmd")
    engine.adopt(root, _silent)
    status = engine.status()
    assert (status.installed, status.version, status.path) == (True, "9.7.2", str(root))
    assert engine.root().engine == root
    assert engine.program("ndbmtd") == "/run/engine/sbin/ndbmtd"
    engine.remove()
    assert (root / "bin/mysqld").exists() and not engine.status().installed


def test_a_folder_with_replaced_programs_must_be_added_again(engine: NdbArchive, tmp_path: Path) -> None:
    root = _folder(tmp_path / "opt", "bin/mysqld", "bin/ndbmtd", "bin/ndb_mgmd")
    engine.adopt(root, _silent)
    (root / "bin/ndbmtd").write_text("another one")
    assert not engine.status().installed and "engines add" in engine.status().detail
    (root / "bin/ndbmtd").unlink()
    assert "has no ndbmtd" in engine.status().detail


def test_a_folder_that_other_users_cannot_read_is_refused(engine: NdbArchive, tmp_path: Path) -> None:
    root = _folder(tmp_path / "opt", "bin/mysqld", "bin/ndbmtd", "bin/ndb_mgmd")
    (root / "bin/ndbmtd").chmod(0o700)
    with pytest.raises(FiveninesError, match=r"chmod -R go\+rX"):
        engine.adopt(root, _silent)
    assert not engine.status().installed


@pytest.mark.parametrize(
    ("share", "plugins"),
    [
        ("share", "lib/plugin"),
        ("share/mysql-9.7", "lib64/mysql/plugin"),
        ("share/mysql", "lib/x86_64-linux-gnu/mysql/plugin"),
    ],
)
def test_messages_and_plugins_are_found_in_tarballs_and_packages(
    engine: NdbArchive, tmp_path: Path, share: str, plugins: str
) -> None:
    root = _folder(tmp_path / "usr", "sbin/mysqld", "sbin/ndbmtd", "sbin/ndb_mgmd")
    for name in (f"{share}/english/errmsg.sys", f"{share}/charsets/Index.xml", f"{plugins}/one.so"):
        (root / name).parent.mkdir(parents=True)
        (root / name).touch()
    engine.adopt(root, _silent)
    assert engine.next_to_server() == {
        "lc-messages-dir": f"/run/engine/{share}",
        "character-sets-dir": f"/run/engine/{share}/charsets",
        "plugin-dir": f"/run/engine/{plugins}",
    }


@pytest.mark.parametrize(
    ("name", "taken"),
    [
        ("mysql-cluster-9.7.2-linux-glibc2.28-x86_64.tar.xz", True),
        ("mysql-ndb-9.7.2-bookworm-amd64.tar.zst", True),
        ("mysql-9.7.2-linux.tar.xz", False),
        ("notes.txt", False),
    ],
)
def test_which_archives_are_taken(name: str, taken: bool) -> None:
    assert ndb_archive.takes(Path(name)) is taken
