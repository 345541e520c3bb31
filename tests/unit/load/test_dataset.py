"""Data sets: when one is kept, when it is loaded again, and how it is copied.

What loads a real server is replaced; the cache, the lock and the copying are real.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psutil
import pytest

from fivenines.base import space
from fivenines.base.errors import FiveninesError, NoSpaceError
from fivenines.base.waiting import wait_until
from fivenines.lab.disks.data_folder import Folder
from fivenines.load import dataset
from fivenines.load.workloads.oltp import Oltp
from fivenines.software.base import EngineStatus


def quiet(message: str, fraction: float | None) -> None:
    """Discard reports."""


def _engine(name: str = "postgres-18", version: str = "18.1") -> Any:
    return SimpleNamespace(name=name, file_name=name, require=lambda report: EngineStatus(True, version))


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What has been loaded so far."""
    monkeypatch.setenv("FIVENINES_CACHE", str(tmp_path))
    loaded: list[dict[str, Any]] = []

    def build(folder: Path, engine: Any, described: dict[str, Any], fill: Any) -> None:
        loaded.append(described)
        (folder / "data/base").mkdir(parents=True, exist_ok=True)
        (folder / "data/base/table").write_text("rows")
        (folder / "dataset.json").write_text(json.dumps({"described": described, "files": 1}))

    monkeypatch.setattr(dataset, "_build", build)
    return loaded


def _oltp(**settings: Any) -> Oltp:
    return Oltp(**{"workload": "oltp_read_write", "tables": 2, "table_size": 50, **settings})


def test_a_data_set_is_loaded_once(tmp_path: Path, built: list[dict[str, Any]]) -> None:
    first = dataset.ensure(_engine(), _oltp(), quiet)
    assert first.parent == tmp_path / "data"
    assert first.name.startswith("postgres-18-")
    assert dataset.ensure(_engine(), _oltp(), quiet) == first
    assert len(built) == 1
    assert built[0]["version"] == "18.1" and built[0]["table_size"] == 50


@pytest.mark.parametrize(
    "change",
    [
        {"workload": "oltp_read_only"},
        {"distribution": "zipfian"},
        {"point_selects": 3},
        {"range_size": 7},
        {"skip_trx": True},
        {"name": "another"},
    ],
)
def test_the_loads_own_parameters_need_no_other_data(
    built: list[dict[str, Any]], change: dict[str, Any]
) -> None:
    assert dataset.ensure(_engine(), _oltp(), quiet) == dataset.ensure(_engine(), _oltp(**change), quiet)
    assert len(built) == 1


def test_scale_version_engine_and_layout_need_other_data(
    built: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = {
        dataset.ensure(_engine(), _oltp(), quiet),
        dataset.ensure(_engine(), _oltp(tables=3), quiet),
        dataset.ensure(_engine(), _oltp(table_size=51), quiet),
        dataset.ensure(_engine(version="18.2"), _oltp(), quiet),
        dataset.ensure(_engine("host-postgres"), _oltp(), quiet),
    }
    monkeypatch.setattr(dataset, "_LAYOUT", dataset._LAYOUT + 1)
    found.add(dataset.ensure(_engine(), _oltp(), quiet))
    assert len(found) == len(built) == 6


def test_a_seasoned_data_set_is_made_of_the_plain_one(built: list[dict[str, Any]]) -> None:
    plain = dataset.ensure(_engine(), _oltp(), quiet)
    bootstrapped = dataset.ensure(_engine(), _oltp(), quiet, ("galera", lambda server: None))
    assert bootstrapped != plain
    assert [one.get("bootstrap") for one in built] == [None, "galera"]
    assert dataset.ensure(_engine(), _oltp(), quiet, ("galera", lambda server: None)) == bootstrapped
    assert len(built) == 2


def _no_receipt(folder: Path) -> None:
    (folder / "dataset.json").unlink()


def _torn_receipt(folder: Path) -> None:
    (folder / "dataset.json").write_text('{"descr')


def _other_receipt(folder: Path) -> None:
    (folder / "dataset.json").write_text("{}")


def _missing(folder: Path) -> None:
    (folder / "data/base/table").unlink()


@pytest.mark.parametrize("harm", [_no_receipt, _torn_receipt, _other_receipt, _missing])
def test_a_data_set_that_is_not_whole_is_loaded_again(built: list[dict[str, Any]], harm: Any) -> None:
    folder = dataset.ensure(_engine(), _oltp(), quiet)
    harm(folder)
    assert dataset.ensure(_engine(), _oltp(), quiet) == folder
    assert len(built) == 2


def _node(folder: Path) -> Any:
    folder.mkdir(exist_ok=True)
    host = SimpleNamespace(data=Folder(folder))
    return SimpleNamespace(
        name="node1", data=folder, host=host, setup=SimpleNamespace(take_over=lambda: None)
    )


def test_a_copy_is_the_same_and_its_own(tmp_path: Path) -> None:
    source = tmp_path / "set/data"
    (source / "base").mkdir(parents=True)
    (source / "base/table").write_text("rows")
    (source / "base/table").chmod(0o640)
    (source / ".hidden").symlink_to("base")
    with (source / "sparse").open("wb") as stream:
        stream.truncate(2**24)
    node = _node(tmp_path / "node")
    dataset.copy(tmp_path / "set", node)
    assert {path.name for path in node.data.iterdir()} == {"base", ".hidden", "sparse"}
    assert (node.data / "base/table").stat().st_mode & 0o777 == 0o640
    assert (node.data / ".hidden").is_symlink()
    assert (node.data / "sparse").stat().st_blocks * 512 < 2**20
    (node.data / "base/table").write_text("changed")
    assert (source / "base/table").read_text() == "rows"


def test_a_copy_that_fails_says_why(tmp_path: Path) -> None:
    with pytest.raises(FiveninesError) as refused:
        dataset.copy(tmp_path / "gone", _node(tmp_path / "node"))
    message = str(refused.value)
    assert message.startswith("the data set could not be copied for node1: cannot copy ")
    assert "No such file or directory" in message


def test_too_little_space_is_reported_beforehand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "set").mkdir()
    (tmp_path / "set/file").write_bytes(os.urandom(2**20))
    assert 2**20 <= dataset.size(tmp_path / "set") < 2**20 + 2**16
    folder = tmp_path / "not/there/yet"
    needed = 3 * (2 * dataset.size(tmp_path / "set") + 256 * 2**20)

    def free(amount: int) -> None:
        monkeypatch.setattr(space, "free", lambda path: amount)

    free(needed)
    dataset.require_space(folder, tmp_path / "set", 3)
    free(needed - 1)
    with pytest.raises(NoSpaceError) as refused:
        dataset.require_space(folder, tmp_path / "set", 3)
    assert str(refused.value) == (
        f"not enough disk space at {folder}: 3 nodes need about 774MiB, but 773MiB are free. "
        "Free some, or choose another --out"
    )
    assert not folder.parent.exists()


def test_a_copy_ends_when_we_are_killed(tmp_path: Path) -> None:
    """A `cp` that would copy for ten minutes."""
    slow = tmp_path / "bin/cp"
    slow.parent.mkdir()
    slow.write_text(
        f"#!/bin/sh\necho $$ > {tmp_path}/new; mv {tmp_path}/new {tmp_path}/pid; exec sleep 600\n"
    )
    slow.chmod(0o755)
    script = (
        "import sys; from pathlib import Path\n"
        "from fivenines.lab.disks.data_folder import Folder\n"
        "Folder(Path(sys.argv[1], 'to')).fill(Path(sys.argv[1]))"
    )
    (tmp_path / "to").mkdir()
    ours = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path)],
        env={**os.environ, "PATH": f"{slow.parent}:{os.environ['PATH']}"},
    )
    wait_until(lambda: "" if (tmp_path / "pid").exists() else "not begun", 30.0, "no copy")
    copying = psutil.Process(int((tmp_path / "pid").read_text()))
    ours.kill()
    ours.wait()
    copying.wait(10.0)
