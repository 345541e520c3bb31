"""Round trips of networks, and bytes of transactions, from invented runs."""

from pathlib import Path
from typing import Any

import pytest
from synthetic_run import Matrix, Recipe, write_run, write_table

from fivenines.analysis.cells import analyse
from fivenines.analysis.measured import values_of
from fivenines.analysis.replication.distance import places, round_trips, wires
from fivenines.results.layout import trial_folder
from fivenines.results.store import Run, open_run


def network(name: str, rtt: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "sites": {"east": [], "west": []}, "link": {"rtt": rtt}, **more}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Two round trips and a plain network; every trial but those of the latter has a table of links."""
    matrix = Matrix(
        [Recipe("a"), Recipe("b")],
        faults=["none"],
        networks=[network("far", "100ms"), {"name": "lan"}, network("near", "1ms")],
        trials=2,
    )
    folder = write_run(tmp_path_factory.mktemp("far") / "run", matrix)
    for planned in open_run(folder).manifest.plan:
        if planned.cell.network != "lan":
            write_table(trial_folder(folder, planned.id), "links", _links())
    return open_run(folder)


def _links() -> list[dict[str, Any]]:
    """Return counters that grow: only the last counts."""
    drops = {"dropped_queue": 1, "dropped_loss": 2}
    return [
        {"t_ms": t, "from_site": a, "to_site": b, "frames": t, "bytes": t * size, **drops}
        for t in (0, 1000, 2000)
        for a, b, size in (("east", "west", 100), ("west", "east", 10))
    ]


def test_round_trips_are_those_of_networks_with_sites() -> None:
    one_way = [{"source": "east", "target": "west", "rtt": "30ms", "loss": None}]
    three = network("three", "2ms")
    three["sites"] = ["a", "b", "c"]
    three["links"] = [{"source": "a", "target": "c", "rtt": "9ms"}]
    experiment = {
        "network": [
            {"name": "lan", "sites": {}},
            network("wan", "10ms"),
            three,
            network("uneven", "10ms", links=one_way),
            {"name": "one", "sites": ["a"]},
        ]
    }
    assert round_trips(experiment) == {"wan": 10.0, "three": 5.5, "uneven": 20.0}
    assert round_trips({}) == {}


def test_cells_are_placed_by_their_distance(run: Run) -> None:
    result = places(run, analyse(run))
    assert [(p.rtt_ms, p.cell.key.solution) for p in result] == [
        (1.0, "a"),
        (1.0, "b"),
        (100.0, "a"),
        (100.0, "b"),
    ]


def test_bytes_are_those_of_a_transaction(run: Run) -> None:
    result = wires(run, analyse(run))
    assert {cell.key.network for cell, _ in result} == {"far", "near"}
    for cell, wire in result:
        commits = [int(trial.timeline.transactions.sum()) for trial in cell.trials]
        each = sum(1 / n for n in commits) / len(commits)
        assert wire.bytes.n == 2 and wire.bytes.mean == pytest.approx(220_000 * each)
        assert wire.frames.mean == pytest.approx(4000 * each)
        assert wire.ways["east", "west"] == pytest.approx(200_000 * each)
        assert (wire.dropped_queue, wire.dropped_loss) == (4, 8)


def test_bytes_over_links_are_a_measure_of_each_trial(run: Run) -> None:
    for cell in analyse(run):
        for trial, value in zip(
            cell.trials, values_of("link_bytes_per_transaction", cell.trials), strict=True
        ):
            sent = (220_000 / trial.transactions, False)
            assert value == (None if cell.key.network == "lan" else pytest.approx(sent))


def test_a_run_without_links_has_none(tmp_path: Path) -> None:
    plain = open_run(write_run(tmp_path / "run", Matrix([Recipe("a")], trials=1)))
    assert wires(plain, analyse(plain)) == [] and places(plain, analyse(plain)) == []
