"""Client stacks behind the ways in of the example `client-access`, a killed proxy, and a storm of clients."""

from pathlib import Path
from typing import Any

import pytest
from lab_support import Outcome, run_trial, sound, timing
from ruamel.yaml import YAML

from fivenines.analysis.stacks.trial import StackMeasures, measured
from fivenines.experiment.defaults import in_a_line

EXAMPLE = Path(__file__).parents[3] / "examples/client-access.yaml"

# All their waits have a bound, so all of their workers come back.
STACKS = {
    "postgres": ("psycopg-pool:recommended", "pgx-pool:recommended"),
    "mysql": ("sqlalchemy-pymysql:recommended", "go-sql-driver:recommended"),
}

KILL = {"fault": "kill", "target": "primary", "restart_after": "2s"}


def behind(tmp_path: Path, way: str, fault: dict[str, Any]) -> tuple[Outcome, dict[str, StackMeasures]]:
    """Run a trial of a solution of the example, with two stacks and a fault."""
    parts = YAML(typ="safe").load(EXAMPLE.read_text())["parts"]
    solution = next(one for part in parts.values() for one in part["solutions"] if one["name"] == way)
    driver = "postgres" if solution["solution"] == "hot-standby" else "mysql"
    document = {"solutions": [solution], "stacks": list(STACKS[driver]), "faults": [fault]}
    text = "".join(f"{key}: {in_a_line(value)}\n" for key, value in document.items())
    outcome = run_trial(tmp_path, text + timing(steady=3))
    sound(outcome)
    found = measured([outcome.stored()])[0].stacks
    return outcome, {one.name: one for one in found}


def recovered(found: dict[str, StackMeasures]) -> None:
    """Check that each stack came back with all workers, and that it has the acknowledged rows."""
    for name, one in found.items():
        figures = one.figures
        assert not one.problems and one.died is None and figures.back == 4, (name, one)
        assert figures.rows is not None and (figures.rows.lost, figures.rows.twice) == (0, 0), (name, one)
        assert one.pool.waiting is not None and one.pool.created is not None, (name, one)


LONG = [pytest.param(way, marks=pytest.mark.long) for way in ("Pgpool-II", "MySQL Router")]


@pytest.mark.parametrize("way", ["PgBouncer", *LONG])
def test_stacks_recover_behind_a_way_in(way: str, tmp_path: Path) -> None:
    _, found = behind(tmp_path, way, KILL)
    recovered(found)
    for name, one in found.items():
        assert one.held is None, f"{name} knows no address of a node"
        assert one.figures.gap.length > 0 and not one.figures.gap.open, name


def test_stacks_recover_from_a_killed_proxy(tmp_path: Path) -> None:
    outcome, found = behind(tmp_path, "HAProxy", {"fault": "proxy", "restart_after": "1s"})
    recovered(found)
    fault = outcome.record.fault
    assert fault is not None and fault.ended is not None and fault.verified
    for name, one in found.items():
        # An answer that had arrived before may be noted during the outage, so the gap may begin later.
        assert one.figures.gap.end >= fault.ended - fault.at, (name, one)
        assert one.pool.created, f"{name} had to connect again"


def test_stacks_recover_although_many_clients_connect_at_once(tmp_path: Path) -> None:
    storm = {"at": "7s", "fault": {"fault": "connection-storm", "connections": 40, "duration": "2s"}}
    outcome, found = behind(tmp_path, "two hosts", {"fault": "sequence", "steps": [{"fault": KILL}, storm]})
    recovered(found)
    kill, storms = outcome.record.faults
    # Not whether it is verified: clients are counted at one node, and a failover may be under way.
    assert (kill.kind, storms.kind) == ("kill", "connection-storm"), storms
    assert "40 clients connected at once" in storms.detail, storms
    # The promotion begins only then. Its own event may come after the first commit at the new primary.
    decided = next(event.t for event in outcome.record.events if event.kind == "decided")
    for name, one in found.items():
        assert one.figures.gap.end >= decided - kill.at, (name, one)
