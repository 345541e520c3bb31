"""The node watch: its command line, its end."""

import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from fivenines.experiment.sections.observe import ObserveSettings
from fivenines.trial.observers.watch import NodeWatch, command


def _node(name: str, folder: Path) -> Any:
    return SimpleNamespace(
        name=name,
        driver="postgres",
        administrator="postgres",
        database="sbtest",
        passwords=SimpleNamespace(administrator="hidden"),
        watched_at=f"{folder}/.s.PGSQL.5432",
    )


def test_every_node_is_named_with_its_socket() -> None:
    nodes = [_node("node1", Path("/a")), _node("node2", Path("/b"))]
    line = command(nodes, 3, 42, Path("/out"))
    assert line[line.index("--zero-ns") + 1] == "42"
    assert line[line.index("--ledger-clients") + 1] == "3"
    assert [line[i + 1] for i, word in enumerate(line) if word == "--node"] == [
        "node1=/a/.s.PGSQL.5432",
        "node2=/b/.s.PGSQL.5432",
    ]


def test_a_node_without_a_server_is_away_and_files_are_complete(tmp_path: Path) -> None:
    deployed: Any = SimpleNamespace(solution=SimpleNamespace(nodes=[_node("node1", tmp_path)]))
    watch = NodeWatch(deployed, tmp_path, ObserveSettings())
    watch.stop()  # what was never started
    watch.start(time.monotonic_ns())
    deadline = time.monotonic() + 10
    part = tmp_path / "nodes.csv.part"
    while not part.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(0.1)
    watch.stop()
    header, row = (tmp_path / "nodes.csv").read_text().splitlines()
    assert header == "t_us,node,state,epoch"
    assert row.split(",")[1:] == ["node1", "away", ""]
    assert (tmp_path / "views.csv").read_text() == "t_us,node,seen\n"
