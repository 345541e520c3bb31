"""Data sets: loaded once, cached, identical for all nodes, rebuilt when damaged; a lack of space is reported
early.
"""

import hashlib
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest
from lab_support import LIMIT

from fivenines.base.errors import FiveninesError
from fivenines.experiment.source import solution_from
from fivenines.load import dataset
from fivenines.load.workloads.oltp import Oltp
from fivenines.servers.postgres.server import Postgres
from fivenines.software.store import engine
from fivenines.trial.deployment.deployed import Deployed

# New processes find this module and the helpers of the lab's tests.
_FOLDERS = (Path(__file__).parent, Path(__file__).parents[1] / "support")


WORKLOAD = Oltp(workload="oltp_read_write", name="oltp", tables=1, table_size=50)


@pytest.fixture(scope="module")
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Provide a cache with the real cache's engines and this module's own data sets."""
    postgres = engine("postgres-18")
    postgres.require(_ignore)
    cache = tmp_path_factory.mktemp("cache")
    shutil.copytree(postgres.folder, cache / "engines/postgres-18", symlinks=True)  # type: ignore[attr-defined]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FIVENINES_CACHE", str(cache))
        yield cache


@pytest.fixture
def loaded(own_cache: Path) -> Path:
    return dataset.ensure(engine("postgres-18"), WORKLOAD, _ignore)


def test_a_data_set_is_loaded_once_and_cached(loaded: Path, own_cache: Path) -> None:
    messages: list[str] = []
    again = dataset.ensure(engine("postgres-18"), WORKLOAD, lambda text, _: messages.append(text))
    assert (again, messages) == (loaded, [])
    other = WORKLOAD.model_copy(update={"table_size": 60})
    more = dataset.ensure(engine("postgres-18"), other, lambda text, _: messages.append(text))
    assert more != loaded and messages
    names = {path.name for path in (own_cache / "data").iterdir() if not path.name.endswith(".lock")}
    assert names == {loaded.name, more.name}


def test_a_lab_is_private_to_its_owner(loaded: Path) -> None:
    # This process does not start as the program does.
    before = os.umask(0o022)
    try:
        shutil.rmtree(loaded)
        assert dataset.ensure(engine("postgres-18"), WORKLOAD, _ignore) == loaded
    finally:
        os.umask(before)
    assert [path for path in loaded.rglob("*") if path.lstat().st_mode & 0o077] == []


def test_a_damaged_data_set_is_rebuilt(loaded: Path) -> None:
    victim = next((loaded / "data/base").rglob("PG_VERSION"))
    victim.unlink()
    assert dataset.ensure(engine("postgres-18"), WORKLOAD, _ignore) == loaded
    assert victim.exists()
    (loaded / "dataset.json").write_text("{")
    assert dataset.ensure(engine("postgres-18"), WORKLOAD, _ignore) == loaded
    assert (loaded / "dataset.json").read_text() != "{"


def test_all_nodes_start_from_identical_copies_and_leave_it_alone(loaded: Path, tmp_path: Path) -> None:
    before = _digest(loaded / "data")
    settings = solution_from({"solution": "hot-standby", "standbys": 2}, "test")
    copies: list[str] = []
    with Deployed(settings, loaded, tmp_path / "lab") as deployed:
        start = deployed.solution.start

        def look_and_start() -> None:
            for node in deployed.solution.nodes:
                # Who a node follows is configuration, which is written before the servers start.
                configuration = node.host.data.configuration
                assert "postgresql.auto.conf" in configuration
                copies.append(_digest(node.data, without=configuration))
            start()

        deployed.solution.start = look_and_start  # type: ignore[method-assign]
        deployed.bring_up()
        for node in deployed.solution.nodes:
            assert isinstance(node, Postgres)
            with node.sql.connect(database="sbtest") as connection:
                row = connection.execute("SELECT count(*), max(length(c)) FROM sbtest1").fetchone()
            assert row == (50, 119)
    # The first copy has new passwords and differs from the data set; the others are copies of it.
    assert len(copies) == 3 and len(set(copies)) == 1
    assert _digest(loaded / "data") == before


def test_a_loading_that_is_killed_leaves_nothing_that_counts(own_cache: Path) -> None:
    code = (
        "from test_lab_datasets import *\n"
        "dataset.ensure(engine('postgres-18'), WORKLOAD.model_copy(update={'table_size': 300000}), "
        "lambda text, _: print(text, flush=True))"
    )
    loading = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=_environment()
    )
    assert loading.stdout is not None
    assert any("loading" in line for line in loading.stdout)
    before = {path.name for path in (own_cache / "data").iterdir()}
    assert [name for name in before if name.startswith(".")]
    loading.send_signal(signal.SIGKILL)
    loading.wait()
    big = WORKLOAD.model_copy(update={"table_size": 300_000})
    with pytest.raises(ZeroDivisionError):  # The next load starts anew; here it ends at once.
        dataset.ensure(engine("postgres-18"), big, _raise)
    assert not [path for path in (own_cache / "data").iterdir() if path.name.startswith(".")]


def test_a_lack_of_space_is_reported_before_anything_starts(
    loaded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dataset.space, "free", lambda _path: 10 * 2**20)
    settings = solution_from({"solution": "hot-standby", "standbys": 2}, "test")
    with pytest.raises(FiveninesError) as refused:
        Deployed(settings, loaded, tmp_path / "lab")
    assert ": 3 nodes need about" in str(refused.value)
    assert "10MiB are free" in str(refused.value).replace(" ", "").replace("arefree", " are free")
    assert not (tmp_path / "lab").exists()


def test_no_space_left_in_the_middle_is_one_clear_message(loaded: Path, tmp_path: Path) -> None:
    """Fill a real file system of 8 MiB; a wrong figure passes the check beforehand."""
    code = f"""
import types
from test_lab_datasets import *
dataset.require_space = lambda *_: None
import fivenines.trial.deployment.deployed as module
settings = solution_from({{"solution": "standalone"}}, "test")
try:
    with Deployed(settings, Path({str(loaded)!r}), Path({str(tmp_path)!r}) / "small/lab") as deployed:
        deployed.bring_up()
except FiveninesError as error:
    print("reported:", error)
"""
    (tmp_path / "small").mkdir()
    mount = f"mount -t tmpfs -o size=8m tmpfs '{tmp_path}/small' && exec \"$@\""
    private = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", mount, "sh"]
    done = subprocess.run(
        [*private, sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
        env=_environment(),
    )
    assert done.returncode == 0, done.stderr
    assert "reported: the data set could not be copied for node1" in done.stdout
    assert "No space left on device" in done.stdout
    assert not list((tmp_path / "small").iterdir())


def _ignore(_message: str, _fraction: float | None) -> None:
    pass


def _raise(_message: str, _fraction: float | None) -> None:
    raise ZeroDivisionError


def _digest(folder: Path, without: Collection[str] = ()) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and str(path.relative_to(folder)) not in without:
            digest.update(str(path.relative_to(folder)).encode() + path.read_bytes())
    return digest.hexdigest()


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": ":".join(map(str, _FOLDERS))}
