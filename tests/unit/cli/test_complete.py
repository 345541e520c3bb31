"""What a shell completes: the same words as the program knows, without its libraries."""

import json
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from cli_support import write_run

from fivenines.base import paths
from fivenines.cli import complete
from fivenines.experiment import choices
from fivenines.software.store import engines

# pydantic is typer's own here: it reads the words before the last with it
HEAVY = "duckdb|altair|scipy|numpy|ruamel|psycopg|pymysql"


@pytest.mark.parametrize("section", ["solutions", "workloads", "faults"])
def test_kinds_are_those_that_register_themselves(section: str) -> None:
    key = choices.KEYS[section]
    folder = choices.PACKAGES[section].removeprefix("fivenines.").replace(".", "/")
    found = dict(complete.kinds(folder, key))
    assert set(found) == set(choices.models(section))
    for name, about in found.items():
        model = choices.models(section)[name]
        assert about == (model.model_fields[key].description or "")


def test_engines_are_those_that_there_are() -> None:
    assert {name for name, _ in complete.engines("")} == {
        one.name for one in engines() if ":" not in one.name
    }
    assert [name for name, _ in complete.engines("postgr")] == ["postgres-18"]


def test_runs_are_the_newest_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert complete.runs("") == []
    for number, name in enumerate(("first", "second")):
        manifest = write_run(name, {"name": name}) / "manifest.json"
        os.utime(manifest, (number, number))
    assert [name for name, _ in complete.runs("")] == ["second", "first"]
    assert [name for name, _ in complete.runs("f")] == ["first"]


def test_without_a_playground_there_are_no_hosts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIVENINES_CACHE", str(tmp_path))
    assert complete.hosts("") == []


def test_hosts_are_those_of_the_playground_however_long_the_path_of_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "a-folder-with-a-long-name" / ("x" * 100)
    (cache / "playground").mkdir(parents=True)
    monkeypatch.setenv("FIVENINES_CACHE", str(cache))
    nodes = [{"name": "node1", "role": "primary"}, {"name": "other", "role": "replica"}]
    with paths.short_path(cache / "playground") as folder, socket.socket(socket.AF_UNIX) as keeper:
        keeper.bind(f"{folder}/keeper.sock")
        keeper.listen()

        def answer() -> None:
            connection, _ = keeper.accept()
            with connection, connection.makefile("rw") as stream:
                assert json.loads(stream.readline()) == {"do": "status"}
                stream.write(json.dumps({"status": {"nodes": nodes}}) + "\n")

        answering = threading.Thread(target=answer, daemon=True)
        answering.start()
        assert complete.hosts("no") == [("node1", "primary")]
        answering.join(10)


def _asked(words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """What bash asks at the end of this line; stderr names the heavy modules that it took."""
    code = (
        "import re, sys\n"
        "from fivenines.cli.main import execute\n"
        "try: execute([])\n"
        f"finally: print([m for m in sys.modules if re.fullmatch('{HEAVY}', m)], file=sys.stderr)"
    )
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env={
            **os.environ,
            "_FIVENINES_COMPLETE": "complete_bash",
            "COMP_WORDS": words,
            "COMP_CWORD": str(len(words.split(" ")) - 1),
        },
    )


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("fivenines ini", ["init"]),
        ("fivenines up hot", ["hot-standby"]),
        ("fivenines init --solution pat", ["patroni"]),
        ("fivenines init --workload tp", ["tpcc"]),
        ("fivenines init --fault free", ["freeze"]),
        ("fivenines inject part", ["partition"]),
        ("fivenines engines pull mha", ["mha-0.58"]),
        ("fivenines list meas", ["measures"]),
        ("fivenines report sm", ["small"]),
    ],
)
def test_a_line_is_completed_without_heavy_libraries(
    words: str, found: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_run("small", {"name": "small"})
    done = _asked(words, tmp_path)
    assert done.stdout.split() == found
    assert done.stderr == "[]\n"


def test_bash_completes(tmp_path: Path) -> None:
    """The script that `--install-completion` installs, in a real shell."""
    program = Path(sys.executable).with_name("fivenines")
    script = subprocess.run(
        [program],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env={**os.environ, "_FIVENINES_COMPLETE": "source_bash"},
    ).stdout
    lines = (
        f"{script}\nCOMP_WORDS=(fivenines up gal); COMP_CWORD=2\n"
        "_fivenines_completion fivenines; echo ${COMPREPLY[@]}"
    )
    done = subprocess.run(
        ["bash", "--norc", "-c", lines],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env={**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}"},
    )
    assert done.stdout == "galera\n"
