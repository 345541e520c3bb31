"""An engine in the cache: whole, or not there at all."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fivenines.base.errors import FiveninesError, UsageError
from fivenines.lab.host import Root
from fivenines.software.base import CachedEngine, Report


class Tiny(CachedEngine):
    """Two files and two links; `fails` says after which of them its building is interrupted."""

    name = "tiny-1"
    description = "a tiny engine"
    family = "mariadb"
    built = 0
    fails: BaseException | None = None

    def build(self, tree: Path, report: Report) -> str:
        assert not tree.exists()
        report("building", 0.5)
        (tree / "bin").mkdir(parents=True)
        (tree / "bin/server").write_text("#!/bin/sh\n")
        if self.fails:
            raise self.fails
        (tree / "bin/link").symlink_to("server")
        (tree / "nowhere").symlink_to("/no/such/file")
        (tree / "sbin").symlink_to("bin")
        (tree / "empty").mkdir()
        (tree / "empty/nothing").touch()
        (tree / "bin").chmod(0o555)
        self.built += 1
        return f"1.{self.built}"

    def root(self) -> Root:
        return Root(engine=self.folder / "tree")

    def program(self, name: str) -> str:
        return name


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Tiny]:
    monkeypatch.setenv("FIVENINES_CACHE", str(tmp_path))
    engine = Tiny()
    yield engine
    engine.remove()


def quiet(message: str, fraction: float | None) -> None:
    """Discard progress reports."""


def _left(engine: Tiny) -> list[str]:
    """Return the files in the cache of engines, except for locks."""
    return sorted(path.name for path in engine.folder.parent.iterdir() if path.suffix != ".lock")


def test_an_engine_that_was_never_pulled(engine: Tiny) -> None:
    status = engine.status()
    assert (status.installed, status.version, status.detail) == (False, "", "not pulled yet")
    assert status.path == str(engine.folder)
    engine.remove()


def test_a_pulled_engine_is_whole_and_not_built_twice(engine: Tiny) -> None:
    messages: list[tuple[str, float | None]] = []
    engine.pull(lambda message, fraction: messages.append((message, fraction)))
    status = engine.status()
    assert (status.installed, status.version, status.detail) == (True, "1.1", "")
    assert status.size_bytes >= len("#!/bin/sh\n")
    assert engine.require(quiet) == status
    engine.pull(quiet)
    assert engine.built == 1
    assert messages == [("building", 0.5)]
    assert _left(engine) == ["tiny-1"]


def _missing(engine: Tiny) -> None:
    (engine.folder / "tree/empty/nothing").unlink()


def _added(engine: Tiny) -> None:
    (engine.folder / "tree/empty/more").touch()


def _longer(engine: Tiny) -> None:
    (engine.folder / "tree/bin/server").write_text("#!/bin/sh\n\n")


def _no_tree(engine: Tiny) -> None:
    (engine.folder / "tree").rename(engine.folder / "elsewhere")


def _relinked(engine: Tiny) -> None:
    (engine.folder / "tree/nowhere").unlink()
    (engine.folder / "tree/nowhere").symlink_to("/no")


@pytest.mark.parametrize("harm", [_missing, _added, _longer, _no_tree, _relinked])
def test_a_corrupt_engine_is_noticed_and_built_anew(engine: Tiny, harm: object) -> None:
    engine.pull(quiet)
    harm(engine)  # type: ignore[operator]
    status = engine.status()
    assert not status.installed
    assert status.version == "1.1"
    assert status.detail == "corrupt (files changed or are missing): pull it again"
    assert engine.require(quiet).version == "1.2"
    assert _left(engine) == ["tiny-1"]


@pytest.mark.parametrize(
    "receipt", [None, "", "{", '{"version": "1"}', '{"version": "1", "files": 1, "size": 2}', "[]"]
)
def test_an_engine_without_a_readable_receipt_is_incomplete(engine: Tiny, receipt: str | None) -> None:
    engine.pull(quiet)
    file = engine.folder / "receipt.json"
    file.unlink()
    if receipt is not None:
        file.write_text(receipt)
    assert engine.status().detail == "incomplete: pull it again"
    engine.pull(quiet)
    assert engine.status().installed
    assert set(json.loads(file.read_text())) == {"version", "files", "size_bytes", "source", "root"}


@pytest.mark.parametrize("error", [FiveninesError("no network"), KeyboardInterrupt()])
def test_an_interrupted_build_leaves_nothing(engine: Tiny, error: BaseException) -> None:
    engine.fails = error
    with pytest.raises(type(error)):
        engine.pull(quiet)
    assert _left(engine) == []
    assert engine.status().detail == "not pulled yet"
    engine.fails = None
    engine.pull(quiet)
    assert engine.status().installed


def test_a_failed_rebuild_keeps_the_old_engine(engine: Tiny) -> None:
    engine.pull(quiet)
    _missing(engine)
    engine.fails = FiveninesError("no network")
    with pytest.raises(FiveninesError, match="no network"):
        engine.require(quiet)
    assert _left(engine) == ["tiny-1"]


def test_the_rest_of_a_killed_pull_is_swept(engine: Tiny) -> None:
    part = engine.folder.parent / ".tiny-1.part"
    (part / "tree").mkdir(parents=True)
    (part / "tree/half").write_text("half")
    (part / "tree").chmod(0o555)
    engine.pull(quiet)
    assert engine.status().installed
    assert not (engine.folder / "tree/half").exists()
    assert _left(engine) == ["tiny-1"]


def test_an_engine_can_be_removed_even_if_its_folders_are_read_only(engine: Tiny) -> None:
    engine.pull(quiet)
    engine.remove()
    assert _left(engine) == []
    assert engine.status().detail == "not pulled yet"


def test_reports_an_engine_that_stays_unavailable(engine: Tiny, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "pull", lambda report: None)
    with pytest.raises(FiveninesError, match=r"^engine tiny-1 is not available: not pulled yet$"):
        engine.require(quiet)


HOLDER = """
import sys
from pathlib import Path
from fivenines.base import locks
with locks.held(Path(sys.argv[1]), "it", "wait"):
    print("held", flush=True)
    sys.stdin.readline()
"""


def test_who_waited_for_a_pull_does_not_pull_again(engine: Tiny) -> None:
    """Two pulls in one process: the second says that it waits, and finds the engine built."""
    messages: list[str] = []
    file = engine.folder.parent / "tiny-1.lock"
    script = HOLDER.replace(
        "    sys.stdin.readline()",
        "    sys.stdin.readline()\n"
        "    import json\n"
        "    folder = Path(sys.argv[1]).parent / 'tiny-1'\n"
        "    (folder / 'tree').mkdir(parents=True)\n"
        "    (folder / 'tree/x').write_text('1234')\n"
        "    receipt = {'version': '9', 'files': 1, 'size_bytes': 4}\n"
        "    (folder / 'receipt.json').write_text(json.dumps(receipt))",
    )
    other = subprocess.Popen(
        [sys.executable, "-c", script, str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert other.stdout is not None and other.stdin is not None
    assert other.stdout.readline() == "held\n"

    def report(message: str, fraction: float | None) -> None:
        messages.append(message)
        assert other.stdin is not None
        other.stdin.write("\n")
        other.stdin.flush()

    engine.pull(report)
    other.communicate(timeout=5.0)
    (only,) = messages
    assert only.startswith(f"waiting for process {other.pid} (`-c ")
    assert (engine.built, engine.status().version) == (0, "9")


def test_an_engine_in_use_is_neither_removed_nor_replaced(engine: Tiny) -> None:
    engine.pull(quiet)
    with engine.used(quiet) as status, engine.used(quiet):
        assert status.version == "1.1"
        engine.pull(quiet)  # there is nothing to do
        with pytest.raises(UsageError, match=rf"^the engine tiny-1 is in use by process {os.getpid()} "):
            engine.remove()
        (engine.folder / "tree/nowhere").unlink()
        with pytest.raises(UsageError, match=r"wait until that ends, then pull it again$"):
            engine.pull(quiet)
        assert (engine.folder / "tree/empty").is_dir()
    engine.pull(quiet)
    assert engine.status().version == "1.2"
    engine.remove()
    assert not engine.folder.exists()


def test_a_user_of_an_engine_gets_it_complete(engine: Tiny) -> None:
    with engine.used(quiet) as status:
        assert (status.installed, engine.built) == (True, 1)


def test_reports_another_version_than_the_name_promises(
    engine: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Tiny, "series", "1.1")
    engine.pull(quiet)
    assert (engine.status().version, engine.status().detail) == ("1.1", "")
    monkeypatch.setattr(Tiny, "series", "1")
    assert engine.status().detail == ""
    for other in ("1.10", "2.0"):
        monkeypatch.setattr(Tiny, "series", other)
        assert engine.status().installed
        assert engine.status().detail == f"the mirror had 1.1 instead of {other}: results are for 1.1"
