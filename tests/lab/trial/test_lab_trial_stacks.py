"""Client stacks in a trial: what an outage is to them, and what planted programs do wrong."""

import sys
from pathlib import Path

import pytest
from lab_support import Outcome, kill, run_trial, sound, timing

from fivenines.analysis.stacks.trial import StackMeasures, measured

PLANTED = f"{sys.executable} {Path(__file__).parents[1] / 'support' / 'planted_stack.py'}"

# Each has two servers and a way to find the writable one.
POSTGRES = "solutions: [{solution: hot-standby, engine: postgres-18}]\n"
MARIADB = (
    "solutions: [{solution: replication, engine: mariadb-10.11, mode: after_sync, access: {kind: haproxy}}]\n"
)


def planted(name: str, driver: str, *defects: str) -> str:
    """Return a planted program as an entry of the section."""
    plants = ", ".join(f"plant.{defect}: true" for defect in defects)
    return f"  - {{name: {name}, command: {PLANTED!r}, driver: {driver}, think: 20ms, set: {{{plants}}}}}\n"


def stacks_of(outcome: Outcome) -> dict[str, StackMeasures]:
    """Return what came of each stack; all programs keep to the protocol."""
    found = measured([outcome.stored()])[0].stacks
    assert all(not one.problems and one.died is None for one in found), found
    return {one.name: one for one in found}


@pytest.mark.parametrize(
    ("solution", "driver", "kinds"),
    [
        # Without bounds a stack may stay away by chance, as behind a proxy in the moment of the kill.
        (POSTGRES, "postgres", ("psycopg-pool:recommended", "asyncpg-pool:recommended")),
        (MARIADB, "mysql", ("sqlalchemy-pymysql:recommended", "go-sql-driver:recommended")),
    ],
    ids=["postgres", "mariadb"],
)
def test_a_kill_as_applications_have_it(
    solution: str, driver: str, kinds: tuple[str, ...], tmp_path: Path
) -> None:
    section = "stacks:\n" + "".join(f"  - {name}\n" for name in kinds)
    section += planted("twice", driver, "twice") + planted("lost", driver, "lost")
    outcome = run_trial(tmp_path, solution + section + kill() + timing(steady=4))
    sound(outcome)
    record = outcome.record
    fault = record.fault
    assert fault is not None and [one.name for one in record.stacks] == [*kinds, "twice", "lost"]
    # The promotion begins only then. Its own event may come after the first commit at the new primary.
    decided = next(event.t for event in record.events if event.kind == "decided")
    found = stacks_of(outcome)
    for name, one in found.items():
        assert not one.figures.gap.open and one.figures.back == 4, name
        # An answer that had arrived before the fault may be noted after it, so the gap may begin later.
        assert one.figures.gap.end >= decided - fault.at, "no server was writable before"
        assert one.before is not None and one.figures.rows is not None, name
    for name in kinds:
        rows = found[name].figures.rows
        assert rows is not None and (rows.lost, rows.twice) == (0, 0), name
        assert outcome.record.stacks[kinds.index(name)].versions
    twice, lost = found["twice"].figures.rows, found["lost"].figures.rows
    assert twice is not None and twice.twice > 0 and twice.by_driver == twice.twice
    assert lost is not None and lost.lost > 0
    # behind a proxy no stack knows the address of a node
    assert all((one.held is None) == (driver == "mysql") for one in found.values())


def test_repeated_operations_are_written_once_with_a_key(tmp_path: Path) -> None:
    section = "stacks:\n"
    for name, repeat in (("blind", "true"), ("keyed", "idempotent")):
        section += planted(name, "postgres", "doubt").replace("think:", f"repeat: {repeat}, think:")
    outcome = run_trial(tmp_path, POSTGRES + section + timing(steady=4))
    assert [(one.repeat, one.idempotent) for one in outcome.record.stacks] == [(True, False), (True, True)]
    found = stacks_of(outcome)
    blind, keyed = (found[name].figures for name in ("blind", "keyed"))
    assert blind.in_doubt > 0 and blind.rows is not None and blind.rows.twice > blind.rows.by_driver == 0
    assert keyed.in_doubt > 0 and keyed.rows is not None and (keyed.rows.twice, keyed.rows.lost) == (0, 0)


def test_a_hung_worker_is_missing(tmp_path: Path) -> None:
    section = "stacks:\n" + planted("hung", "postgres", "hang") + planted("well", "postgres")
    outcome = run_trial(tmp_path, POSTGRES + section + timing(steady=8))
    found = stacks_of(outcome)
    assert (found["hung"].figures.back, found["well"].figures.back) == (3, 4)
    hung = max(found["hung"].figures.workers, key=lambda gap: gap.length)
    assert hung.open and hung.length > found["hung"].figures.gap.length


def test_connections_to_a_silent_primary_are_named(tmp_path: Path) -> None:
    # the program knows no timeouts, and its requests vanish without an answer
    section = "stacks:\n" + planted("silent", "postgres")
    cut = "faults: [{fault: partition, target: primary, duration: null}]\n"
    outcome = run_trial(tmp_path, POSTGRES + section + cut + timing(recovery=8))
    (one,) = stacks_of(outcome).values()
    assert one.figures.back == 0 and one.figures.gap.open
    assert one.held is not None and one.held.open and one.held.at_end == 4
    assert one.figures.failed == 0, "a request that hangs is no error"
