"""The figures of a trial that runs, read from what its programs write."""

from pathlib import Path

from fivenines.report.live.live import LiveFiles

HEAD = "t_ms,ok,failed,in_doubt,ledger_ok,errors,mean_us,max_us\n"


def _write(part: Path, name: str, text: str) -> None:
    (part / name).parent.mkdir(exist_ok=True)
    with (part / name).open("a") as stream:
        stream.write(text)


def test_counts_become_rates_between_two_lines(tmp_path: Path) -> None:
    live = LiveFiles(tmp_path)
    assert (live.ticks(), live.changes()) == ([], [])
    _write(tmp_path, "load/ticks.csv", HEAD + "100,20,0,0,3,0,5000,9000\n300,")
    assert live.ticks() == [(0, 100, 200.0, 0.0, 5.0, 9.0, 3)]
    _write(tmp_path, "load/ticks.csv", "40,4,2,5,9,,\n")
    assert live.ticks() == [(0, 300, 100.0, 30.0, None, None, 2)]
    assert live.ticks() == []


def test_all_loads_of_a_interleaved_are_read(tmp_path: Path) -> None:
    live = LiveFiles(tmp_path)
    _write(tmp_path, "load-1/ticks.csv", HEAD + "100,20,0,0,0,0,5000,9000\n")
    _write(tmp_path, "load-0/ticks.csv", HEAD + "50,10,0,0,0,0,1000,2000\n")
    assert [tick[:3] for tick in live.ticks()] == [(0, 50, 200.0), (1, 100, 200.0)]


def test_states_of_nodes_are_reported_as_they_change(tmp_path: Path) -> None:
    live = LiveFiles(tmp_path)
    _write(tmp_path, "observed/nodes.csv.part", "t_us,node,state,epoch\n-1500,node1,writable,7\n")
    assert live.changes() == [(-1.5, "node1", "writable")]
    _write(tmp_path, "observed/nodes.csv.part", "5210000,node1,away,\n")
    assert live.changes() == [(5210.0, "node1", "away")]
