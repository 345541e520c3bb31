"""Engines: pulled completely or not at all, checked, listed, removed; unavailable engines are reported."""

import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import psutil
import pytest
from lab_support import LIMIT, fivenines, program

from fivenines.base.errors import FiveninesError, UsageError
from fivenines.software.store import engine


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Provide an empty cache."""
    cache = tmp_path / "cache"
    monkeypatch.setenv("FIVENINES_CACHE", str(cache))
    return cache


def _listed(cwd: Path) -> dict[str, dict[str, object]]:
    answer = fivenines("engines", "list", "--json", cwd=cwd)
    assert answer.returncode == 0, answer.stderr
    return {engine["name"]: engine for engine in json.loads(answer.stdout)}


def test_two_pulls_at_once_make_one_engine_which_is_checked_and_removed(
    empty_cache: Path, tmp_path: Path
) -> None:
    assert set(_listed(tmp_path)) >= {"postgres-18", "mariadb-10.11", "host-postgres", "host-mariadb"}
    assert not _listed(tmp_path)["postgres-18"]["installed"]
    pulls = [
        subprocess.Popen(
            program("engines", "pull", "postgres-18"),
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for _ in range(2)
    ]
    for pull in pulls:
        output, _ = pull.communicate(timeout=LIMIT)
        assert pull.returncode == 0, output
        assert "postgres-18 18." in output and " MB" in output
    listed = _listed(tmp_path)["postgres-18"]
    assert listed["installed"] and str(listed["version"]).startswith("18.")
    assert int(str(listed["size_bytes"])) > 10_000_000

    folder = empty_cache / "engines/postgres-18"
    victim = next((folder / "tree").rglob("postgres"))
    victim.unlink()
    damaged = _listed(tmp_path)["postgres-18"]
    assert not damaged["installed"] and "corrupt" in str(damaged["detail"])
    messages: list[str] = []
    engine("postgres-18").require(lambda message, _fraction: messages.append(message))
    assert victim.exists() and messages
    assert _listed(tmp_path)["postgres-18"]["installed"]

    removed = fivenines("engines", "remove", "postgres-18", cwd=tmp_path)
    assert (removed.returncode, removed.stdout) == (0, "removed postgres-18\n")
    assert not folder.exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_pull_leaves_no_half_root(
    empty_cache: Path, tmp_path: Path, number: signal.Signals
) -> None:
    _interrupt_a_pull(empty_cache, tmp_path, number)
    if number == signal.SIGINT:
        left = {path.name for path in (empty_cache / "engines").iterdir()}
        assert left <= {"mariadb-10.11.lock", "mariadb-10.11.used.lock"}


@pytest.mark.long
def test_a_pull_that_was_killed_is_begun_anew(empty_cache: Path, tmp_path: Path) -> None:
    _interrupt_a_pull(empty_cache, tmp_path, signal.SIGKILL)
    again = fivenines("engines", "pull", "mariadb-10.11", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert engine("mariadb-10.11").status().installed
    assert not (empty_cache / "engines/.mariadb-10.11.part").exists()


def _interrupt_a_pull(empty_cache: Path, tmp_path: Path, number: signal.Signals) -> None:
    """Interrupt a download of packages; nothing goes on, and nothing looks like an engine."""
    engines = empty_cache / "engines"
    pulling = subprocess.Popen(
        program("engines", "pull", "mariadb-10.11"),
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _until((engines / ".mariadb-10.11.part/tree/var/cache/apt").exists)
    children = psutil.Process(pulling.pid).children(recursive=True)
    pulling.send_signal(number)
    pulling.wait(LIMIT)
    _, alive = psutil.wait_procs(children, timeout=LIMIT)
    assert alive == [], "mmdebstrap goes on by itself"
    assert not (engines / "mariadb-10.11").exists()


def test_without_mmdebstrap_the_remedy_is_named(
    empty_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    with pytest.raises(FiveninesError, match="run `sudo apt-get install mmdebstrap`"):
        engine("mariadb-10.11").pull(lambda _message, _fraction: None)
    assert not list((empty_cache / "engines").glob("*mariadb-10.11*[!k]"))


def test_an_unknown_engine_is_refused_with_the_nearest_name(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"did you mean 'mariadb-10.11'"):
        engine("mariadb-10.1")
    answer = fivenines("engines", "pull", "postgress-18", cwd=tmp_path)
    assert answer.returncode == 2
    assert "did you mean 'postgres-18'" in answer.stderr


def test_the_machines_own_servers_are_found_or_named(tmp_path: Path) -> None:
    listed = _listed(tmp_path)
    for name, server in (("host-mariadb", "mariadbd"), ("host-postgres", "postgres")):
        known = shutil.which(server, path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin")
        assert listed[name]["installed"] or known is None or name == "host-postgres"
        if not listed[name]["installed"]:
            assert f"{server} is not installed: run" in str(listed[name]["detail"])
            with pytest.raises(FiveninesError, match="cannot be pulled"):
                engine(name).pull(lambda _message, _fraction: None)
    refused = fivenines("engines", "remove", "host-postgres", cwd=tmp_path)
    assert refused.returncode == 1
    assert "belongs to this machine" in refused.stderr


def _until(happened, timeout: float = 200.0) -> None:  # type: ignore[no-untyped-def]
    deadline = time.monotonic() + timeout
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.02)
