"""NDB Cluster from an archive: which is taken, what is checked, what is said."""

import hashlib
import tarfile
from pathlib import Path

import pytest

from fivenines.errors import FiveninesError
from fivenines.software import ndb_archive
from fivenines.software.ndb_archive import NdbArchive

NAME = "mysql-cluster-9.7.2-linux-x86_64.tar.gz"


def _silent(_message: str, _fraction: float | None) -> None:
    pass


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> NdbArchive:
    monkeypatch.setenv("FIVENINES_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv(ndb_archive.ARCHIVES, raising=False)
    return NdbArchive()


def _archive(folder: Path, *programs: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name in programs:
        path = folder / "tree" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("#!/bin/sh\necho mysqld  Ver 9.7.2-cluster for Linux\n")
        path.chmod(0o755)
    with tarfile.open(folder / NAME, "w:gz") as archive:
        archive.add(folder / "tree", "mysql-cluster-9.7.2")
    return folder / NAME


def test_without_an_archive_one_is_told_where_to_get_it(engine: NdbArchive) -> None:
    assert not engine.fetched
    with pytest.raises(FiveninesError, match="fivenines engines add FILE"):
        engine.pull(_silent)


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
