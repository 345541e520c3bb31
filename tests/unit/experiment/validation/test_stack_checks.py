"""Client stacks in an experiment: short forms, what each cell gets, and what is refused where."""

import re
import sys
from pathlib import Path

import pytest

from fivenines.base.errors import UsageError
from fivenines.experiment.defaults import with_defaults
from fivenines.experiment.sections.stacks import StackSettings, stacks_of
from fivenines.experiment.source import parse_experiment
from fivenines.load.stacks.stack import PRESETS, stacks

HEAD = """\
name: applications
solutions: [{solution: hot-standby, engine: postgres-18}]
workloads: [oltp_read_write]
faults: [kill]
"""


def parsed(stacks: str, head: str = HEAD) -> list[StackSettings]:
    return parse_experiment(f"{head}stacks: {stacks}\n", "f.yaml").stacks


def refusal(stacks: str, head: str = HEAD, file: str = "f.yaml") -> str:
    with pytest.raises(UsageError) as refused:
        parse_experiment(f"{head}stacks: {stacks}\n", file)
    return str(refused.value)


def test_a_word_is_a_stack_with_its_defaults_or_with_recommended_settings() -> None:
    plain, bounded, own = parsed("[psycopg-pool, psycopg-pool:recommended, {stack: asyncpg-pool, name: a}]")
    assert (plain.called, plain.options) == ("psycopg-pool", {})
    assert bounded.called == "psycopg-pool:recommended"
    assert bounded.options == stacks()["psycopg-pool"].recommended
    assert (own.called, own.speaks) == ("a", "postgres")


def test_settings_of_ones_own_win() -> None:
    (one,) = parsed("[{stack: psycopg-pool, settings: recommended, set: {pool.timeout: 9}}]")
    assert one.options["pool.timeout"] == 9 and one.options["connect.connect_timeout"] == 2


def test_all_are_those_that_speak_to_the_servers() -> None:
    every = parsed("all")
    assert len(every) == len(PRESETS) * len(stacks())
    (solution,) = parse_experiment(HEAD, "f.yaml").solutions
    own = stacks_of(every, solution)
    assert own and {one.speaks for one in own} == {"postgres"} and len(own) < len(every)


def test_a_stack_that_takes_one_host_needs_a_proxy() -> None:
    direct = HEAD.replace("hot-standby, engine: postgres-18", "replication, engine: mariadb-10.11")
    assert "takes one host" in refusal("[sqlalchemy-pymysql]", direct)
    behind = direct.replace("}]", ", access: {kind: haproxy}}]", 1)
    assert [one.called for one in parsed("[sqlalchemy-pymysql]", behind)] == ["sqlalchemy-pymysql"]


def test_a_sweep_is_a_stack_for_each_combination() -> None:
    swept = parsed(
        "[{stack: psycopg-pool, sweep: {pool.timeout: [1, 5], pool.check: [true]}, set: {a.b: 1}}]"
    )
    assert [one.called for one in swept] == [
        "psycopg-pool pool.timeout=1, pool.check=true",
        "psycopg-pool pool.timeout=5, pool.check=true",
    ]
    assert swept[1].options == {"a.b": 1, "pool.timeout": 5, "pool.check": True}
    assert "pool.timeout is also in `set`" in refusal(
        "[{stack: psycopg-pool, sweep: {pool.timeout: [1]}, set: {pool.timeout: 2}}]"
    )


def test_an_experiment_with_stacks_is_read_back() -> None:
    text = "[psycopg-pool:recommended, {stack: asyncpg-pool, set: {pool.max_size: 9}, think: 20ms}]"
    experiment = parse_experiment(f"{HEAD}stacks: {text}\n", "f.yaml")
    assert parse_experiment(with_defaults(experiment), "g.yaml") == experiment
    every = parse_experiment(f"{HEAD}stacks: all\n", "f.yaml")
    assert parse_experiment(with_defaults(every), "g.yaml") == every


def test_a_program_of_ones_own_is_found_beside_the_file(tmp_path: Path) -> None:
    program = tmp_path / "shop-stack"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    text = f"{HEAD}stacks: [{{command: './shop-stack --fast', driver: postgres}}]\n"
    (one,) = parse_experiment(text, str(tmp_path / "f.yaml")).stacks
    assert one.called == "shop-stack" and one.program == [str(program), "--fast"]
    link = tmp_path / "link"
    link.symlink_to(program)
    text = f"{HEAD}stacks: [{{command: {link}, driver: postgres}}]\n"
    assert parse_experiment(text, "f.yaml").stacks[0].program == [str(link)], "a virtual environment's python"
    assert "there is no such program" in refusal(
        "[{command: ./gone, driver: postgres}]", file=str(tmp_path / "f.yaml")
    )


@pytest.mark.parametrize(
    ("stacks", "place", "words"),
    [
        ("[psycopg-pol]", "5:10", "unknown stack 'psycopg-pol'; did you mean 'psycopg-pool'?"),
        ("[psycopg-pool:fast]", "5:10", "write psycopg-pool:recommended, or psycopg-pool for its defaults"),
        ("[psycopg-pool, psycopg-pool]", "5:24", "another stack is called 'psycopg-pool'"),
        (
            "[sqlalchemy-pymysql, psycopg-pool]",
            "5:10",
            "speaks to MariaDB and MySQL, and no solution has such",
        ),
        ("[{name: a}]", "5:10", "write either `stack` or `command`"),
        (f"[{{command: {sys.executable}}}]", "5:10", "the key `driver` is missing"),
        ("[{stack: psycopg-pool, driver: mysql}]", "5:10", "driver: psycopg-pool has its own"),
        ("[{command: 'a \"b', driver: mysql}]", "5:10", "No closing quotation"),
        ("[{stack: psycopg-pool, workers: 0}]", "5:41", "workers: found 0"),
        ("some", "5:9", "found 'some'"),
    ],
)
def test_what_is_wrong_is_said_where_it_stands(stacks: str, place: str, words: str) -> None:
    text = refusal(stacks)
    assert words in text and re.search(rf"f\.yaml:{place}: ", text), text


@pytest.mark.parametrize(
    ("head", "words"),
    [
        (f"{HEAD}design: interleaved\n", "an interleaved comparison has no client stacks"),
        (f"{HEAD}clients: [{{name: a}}]\n", "leave `clients` out"),
        (
            HEAD.replace("}]", "}, {solution: replication, engine: mariadb-10.11}]", 1),
            "no stack of the section `stacks` speaks to MariaDB and MySQL",
        ),
        (HEAD.replace("18}", "18, machines: virtual-machines}"), "require `machines: namespaces`"),
    ],
)
def test_experiments_without_room_for_stacks_are_refused(head: str, words: str) -> None:
    assert words in refusal("[psycopg-pool]", head)
