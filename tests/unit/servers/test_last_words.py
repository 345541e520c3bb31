"""Quotes from the log of a failed server: relevant lines, not the last ones."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from fivenines.base.paths import short_path
from fivenines.lab.processes.process import tail
from fivenines.servers.ndb.management_node import ManagementNode
from fivenines.servers.postgres.server import Postgres, conninfo, synchronous_names


@pytest.mark.parametrize(
    ("log", "quoted"),
    [
        (
            'LOG:  invalid value for parameter "x": "y"\nFATAL:  configuration file contains errors\n',
            '  LOG:  invalid value for parameter "x": "y"\n  FATAL:  configuration file contains errors',
        ),
        (
            'LOG:  2 ms is outside the valid range for parameter "x" (10 ms .. 10000 ms)\nFATAL:  errors\n',
            '  LOG:  2 ms is outside the valid range for parameter "x" (10 ms .. 10000 ms)\n  FATAL:  errors',
        ),
        ("LOG:  checkpoint starting\nPANIC:  no\nLOG:  done\n", "  PANIC:  no"),
        ("one\ntwo\n", "  one\n  two"),
        ("", "  (no log)"),
    ],
)
def test_relevant_lines_are_quoted(tmp_path: Path, log: str, quoted: str) -> None:
    (tmp_path / "log").mkdir()
    (tmp_path / "log/server.out").write_text(log)
    host = SimpleNamespace(node=tmp_path, name="node1")
    assert Postgres(host, SimpleNamespace()).last_words() == quoted  # type: ignore[arg-type]


def test_a_process_that_ended_before_it_had_a_log_is_quoted_by_its_output(tmp_path: Path) -> None:
    (tmp_path / "log").mkdir()
    (tmp_path / "log/server.out").write_text("Unknown parameter: redo_buffer\n")
    host = SimpleNamespace(node=tmp_path, name="management1")
    place = SimpleNamespace(number=1)
    node = ManagementNode(host, SimpleNamespace(), place)  # type: ignore[arg-type]
    assert node.last_words() == "  Unknown parameter: redo_buffer"
    node.data.mkdir()
    node.log.write_text("Node 1: started\n")
    assert node.last_words() == "  Node 1: started"


def test_the_tail_of_a_log(tmp_path: Path) -> None:
    log = tmp_path / "log"
    assert tail(log) == ""
    log.write_text("".join(f"line {number}\n" for number in range(10_000)))
    assert tail(log, 2) == "line 9998\nline 9999"


def test_a_long_folder_gets_a_short_name(tmp_path: Path) -> None:
    folder = tmp_path / ("x" * 200)
    folder.mkdir()
    (folder / "file").write_text("here")
    with short_path(folder) as short:
        assert len(short) < 40
        assert (Path(short) / "file").read_text() == "here"


def test_how_standbys_are_named() -> None:
    assert synchronous_names(["node2", "node3"]) == "ANY 1 (node2, node3)"
    assert synchronous_names([]) == ""
    assert "application_name=node2" in conninfo("10.99.0.11", "node2")
