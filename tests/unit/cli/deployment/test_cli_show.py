"""`fivenines show`: solutions, experiment files, runs, nodes, formats, and what it refuses."""

import json
from pathlib import Path

import pytest
from cli_support import Fivenines, key, record, write_run

from fivenines.results import layout, store
from fivenines.results.configuration import Configuration, ConfigurationFile, keep
from fivenines.results.records import Deployment


def test_prints_all_files_of_a_solution(fivenines: Fivenines) -> None:
    answer = fivenines("show", "standalone")
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.startswith("==> node1: /run/node/conf/pg_hba.conf <==\n")
    assert "\nshared_buffers = '128MB' # set by fivenines for measuring: " in answer.out


def test_settings_change_the_files(fivenines: Fivenines) -> None:
    answer = fivenines("show", "galera", "--set", "gcache=64MB", "--set", "access=haproxy", "node2")
    assert answer.code == 0 and "wsrep_node_name=node2\n" in answer.out
    assert answer.out.count("==>") == 1


def test_a_file_has_several_solutions(fivenines: Fivenines) -> None:
    every = fivenines("show", "small.yaml")
    assert every.code == 0
    assert "==> standalone, node1: " in every.out and "==> pair, node1, node2: " in every.out
    one = fivenines("show", "small.yaml", "pair", "node2")
    assert one.code == 0 and "==> node2: /run/node/data/standby.signal <==\n(an empty file)\n" in one.out


def test_json_is_for_programs(fivenines: Fivenines) -> None:
    files = json.loads(fivenines("show", "hot-standby", "--format", "json").out)["hot-standby"]
    (auto,) = [one for one in files if one["nodes"] == ["node2"] and one["path"].endswith("auto.conf")]
    assert "primary_conninfo" in auto["text"] and list(auto["for_measuring"]) == ["1"]


def test_writes_the_files_into_a_new_folder(fivenines: Fivenines) -> None:
    answer = fivenines("show", "hot-standby", "--out", "conf")
    assert answer.code == 0 and "conf/node1/conf/postgresql.conf" in answer.out.split()
    assert Path("conf/node2/data/standby.signal").read_text() == ""
    again = fivenines("show", "hot-standby", "--out", "conf")
    assert again.code == 2 and "--out conf exists already: name a new folder" in again.err


def test_an_external_cluster_has_no_files(fivenines: Fivenines) -> None:
    answer = fivenines("show", "external")
    assert (answer.code, answer.out) == (0, "")
    assert "fivenines writes no configuration" in answer.err
    assert fivenines("show", "external", "node1").code == 0


def test_an_example_needs_no_file_and_its_solutions_are_compared(fivenines: Fivenines) -> None:
    answer = fivenines("show", "quickstart", "1-safe (local)", "2-safe durable (on)")
    assert answer.code == 0
    rows = [line.split() for line in answer.out.splitlines()]
    assert ["synchronous_commit", "'local'", "'on'"] in rows


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["galara"],
            "'galara' is neither a solution, an experiment file (.yaml) nor a run; did you mean 'galera'",
        ),
        (["standalone", "node7"], "unknown name 'node7'\n    nodes: node1"),
        (["small.yaml", "other"], "solutions: standalone, pair\n    nodes: node1"),
        (["small.yaml", "pair", "node9"], "unknown name 'node9'"),
        (["small.yaml", "--set", "a=1"], "leave it out"),
        (["missing.yaml"], "missing.yaml"),
        (["galera", "--set", "sise=2"], "show: unknown key 'sise'"),
    ],
)
def test_refuses_with_what_is_known(fivenines: Fivenines, arguments: list[str], message: str) -> None:
    answer = fivenines("show", *arguments)
    assert answer.code == 2 and answer.out == ""
    assert message.lower() in " ".join(answer.err.split()).lower() or message in answer.err


def _run(**lines: str) -> None:
    """Write a run of a solution for each line in its file; an empty line: its settings were read back."""
    folder = write_run("small-20260102-101500", {"name": "small"})
    for number, (solution, line) in enumerate(lines.items(), start=1):
        path = layout.trial_folder(folder, f"000{number}")
        path.mkdir(parents=True, exist_ok=True)
        configuration = Configuration(
            files=[ConfigurationFile(host="node1", path="/run/node/conf/postgresql.conf", text=line)]
            if line
            else []
        )
        keep(folder, configuration)
        deployment = Deployment(
            seconds=1.0,
            phases={},
            roles={},
            settings={"db1": {"work_mem": "4MB"}},
            manager={},
            access={},
            configuration=configuration.digest,
        )
        made = record(f"000{number}").model_copy(
            update={"cell": key(solution), "deployment": deployment, "status": "complete"}
        )
        store.write_json(path / layout.TRIAL, made)


def test_compares_two_solutions_of_a_run(fivenines: Fivenines) -> None:
    _run(one="a = 1\nb = 2\n", two="a = 1\nb = 3\n")
    answer = fivenines("show", "small", "one", "two")
    assert answer.code == 0
    assert [line.split() for line in answer.out.splitlines()] == [
        ["Setting", "one", "two"],
        ["postgresql.conf"],
        ["b", "2", "3"],
    ]
    listed = json.loads(fivenines("show", "small", "one", "two", "--format", "json").out)
    assert listed == [{"file": "postgresql.conf", "setting": "b", "values": {"one": "2", "two": "3"}}]
    assert fivenines("show", "small", "two", "node1").out.endswith("b = 3\n")
    assert "same settings" in fivenines("show", "small", "one", "one").out


def test_settings_that_were_read_back_stand_for_files(fivenines: Fivenines) -> None:
    _run(one="a = 1\n", theirs="")
    answer = fivenines("show", "small")
    assert "==> theirs, db1: effective settings, read back from the server <==\nwork_mem = 4MB" in answer.out
