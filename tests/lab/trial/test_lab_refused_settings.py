"""Settings that real servers refuse: their message is reported with file and line, before the first trial."""

from pathlib import Path

import pytest
from lab_support import HEAD, LIMIT, fivenines

from fivenines.base import paths

CASES = {
    "postgres-18": ('unrecognized configuration parameter "no_such_setting"', "standalone"),
    "mariadb-10.11": ("unknown variable 'no_such_setting=1'", "standalone"),
    "mysql-9.7": ("unknown variable 'no_such_setting=1'", "standalone"),
}


# In CI test_lab_program and the test below cover PostgreSQL's refusals; MySQL's messages equal MariaDB's.
@pytest.mark.parametrize(
    "engine",
    [pytest.param(case, marks=[pytest.mark.long] if case != "mariadb-10.11" else []) for case in CASES],
)
def test_an_unknown_setting_is_reported_before_the_first_trial(engine: str, tmp_path: Path) -> None:
    words, solution = CASES[engine]
    file = tmp_path / "x.yaml"
    file.write_text(
        f"{HEAD}solutions:\n  - {{solution: {solution}, engine: {engine}, name: plain}}\n"
        f"  - solution: {solution}\n    engine: {engine}\n    name: wrong\n    server:\n"
        "      max_connections: 200\n      no_such_setting: 1\n"
    )
    done = fivenines("run", file, "--out", tmp_path / "run", cwd=tmp_path, timeout=LIMIT)
    assert done.returncode == 2, done.stderr
    assert f"{file}:12:24: solutions[1].server.no_such_setting" in done.stderr
    assert f"{engine} does not start with it:" in done.stderr and words in done.stderr
    assert "Traceback" not in done.stderr
    # Nothing has begun: the corrected file runs into the same folder.
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("solution", "words"),
    [
        (
            "{solution: standalone, server: {shared_preload_libraries: pg_stat_statements, "
            "pg_stat_statements.maxx: 1}}",
            ("solutions[0].server.pg_stat_statements.maxx: ", "has no parameter of this name"),
        ),
        (
            "{solution: ndb, cluster: {redo_buffer: 8M}}",
            ("management1 ended instead of starting:", "Unknown parameter: redo_buffer"),
        ),
    ],
    ids=["library", "ndb"],
)
def test_a_name_that_only_a_library_or_a_manager_knows(
    solution: str, words: tuple[str, ...], tmp_path: Path
) -> None:
    file = tmp_path / "x.yaml"
    file.write_text(f"{HEAD}solutions:\n  - {solution}\n")
    done = fivenines("run", file, "--out", tmp_path / "run", cwd=tmp_path, timeout=LIMIT)
    assert done.returncode != 0 and all(part in done.stderr for part in words), done.stderr
    assert "Traceback" not in done.stderr


def test_up_refuses_a_setting_in_the_same_way(tmp_path: Path) -> None:
    given = ("--set", "server.work_mem=much")
    # A separate cache has its own running deployment.
    cache = tmp_path / "cache"
    cache.mkdir()
    for folder in ("engines", "data"):
        (cache / folder).symlink_to(paths.cache() / folder)
    own = {"FIVENINES_CACHE": str(cache)}
    done = fivenines("up", "standalone", *given, cwd=tmp_path, env=own, timeout=LIMIT)
    assert done.returncode == 2, done.stderr
    assert "up: --set server.work_mem: postgres-18 does not start with it:" in done.stderr
    assert 'invalid value for parameter "work_mem": "much"' in done.stderr
