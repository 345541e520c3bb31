"""Invariants on real servers: sound data pass, and each planted defect is found and named."""

import html
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from lab_support import kill, run_one, timing
from lab_tables import FAMILY_DEFECTS, TABLES, TATP_DEFECTS, TPCC_DEFECTS

from fivenines.lab.namespaces.lab import NamespaceLab
from fivenines.load.invariants import check_after, count_before
from fivenines.load.workloads.invariant import Check, Invariant
from fivenines.load.workloads.tatp import Tatp
from fivenines.load.workloads.tpcc import Tpcc
from fivenines.report.chapters.consistency.invariants import offending_text
from fivenines.report.html.page import render
from fivenines.results.load_summary import LoadSummary
from fivenines.results.records import InvariantCheck
from fivenines.servers.families import server
from fivenines.servers.local import LocalServer
from fivenines.software.store import engine
from fivenines.trial.deployment.deployed import Deployed

# The tests share running servers.
pytestmark = pytest.mark.lasts(1.5)

WORKLOADS = {"tpcc": Tpcc(workload="tpcc"), "tatp": Tatp(workload="tatp", subscribers=3)}


@pytest.fixture(scope="module", params=["postgres-18", "mariadb-10.11"])
def running(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LocalServer]:
    """Provide a server with an empty database."""
    software = engine(request.param)
    software.require(lambda message, fraction: None)
    with NamespaceLab(tmp_path_factory.mktemp("lab") / "lab") as lab:
        node = server(lab.add_host("node1", software.root()), software)
        node.setup.initialise()
        node.setup.configure(node.unsafe_settings)
        node.start()
        node.wait_ready()
        yield node
        node.stop()


@pytest.fixture
def tables(running: LocalServer, tmp_path: Path, family: str) -> Iterator[LocalServer]:
    """Provide the server with the sound tables of a family, which are dropped afterwards."""
    file = tmp_path / "tables.sql"
    file.write_text(TABLES[family])
    running.sql.run_file(file)
    yield running
    names = [line.split()[2] for line in TABLES[family].splitlines() if line.startswith("CREATE")]
    with running.sql.open_data() as connection, connection.cursor() as cursor:
        for name in names:
            cursor.execute(f"DROP TABLE {name}")


def _harm(node: LocalServer, statement: str) -> None:
    with node.sql.open_data() as connection, connection.cursor() as cursor:
        cursor.execute(statement)
        assert cursor.rowcount > 0


def _ask(
    node: LocalServer, checks: Sequence[Check], before: dict[str, int], done: Sequence[dict[str, object]] = ()
) -> list[InvariantCheck]:
    return check_after(node.sql.open_data, node.driver, checks, before, LoadSummary.of({"types": list(done)}))


def _violated(checks: list[InvariantCheck]) -> set[str]:
    assert [check for check in checks if check.status == "unknown"] == []
    return {check.name for check in checks if check.status == "violated"}


@pytest.mark.parametrize("family", ["tpcc", "tatp"])
def test_sound_data_pass(tables: LocalServer, family: str) -> None:
    checks = WORKLOADS[family].invariants()
    before = count_before(tables.sql.open_data, checks)
    assert len(before) >= 2 and all(before.values())
    checked = _ask(tables, checks, before)
    assert _violated(checked) == set() and len(checked) == len(checks)


@pytest.mark.parametrize("family", ["tpcc"])
@pytest.mark.parametrize(("statement", "harmed"), TPCC_DEFECTS)
def test_a_defect_violates_the_conditions_that_it_touches(
    tables: LocalServer, family: str, statement: str, harmed: set[str]
) -> None:
    checks = WORKLOADS[family].invariants()
    before = count_before(tables.sql.open_data, checks)
    _harm(tables, statement)
    violated = _violated(_ask(tables, checks, before))
    clauses = {name.split(":")[0].removeprefix("condition ") for name in violated}
    assert clauses == harmed


@pytest.mark.parametrize("family", ["tatp"])
@pytest.mark.parametrize(("statement", "harmed"), TATP_DEFECTS)
def test_a_defect_violates_the_rules_that_it_touches(
    tables: LocalServer, family: str, statement: str, harmed: set[str]
) -> None:
    checks = WORKLOADS[family].invariants()
    before = count_before(tables.sql.open_data, checks)
    _harm(tables, statement)
    assert _violated(_ask(tables, checks, before)) == harmed


@pytest.mark.parametrize("family", ["tpcc"])
def test_the_offending_rows_are_named(tables: LocalServer, family: str) -> None:
    _harm(tables, "DELETE FROM order_line WHERE ol_d_id = 1 AND ol_o_id = 3 AND ol_number = 2")
    checked = _ask(tables, WORKLOADS[family].invariants(), {})
    lines = next(check for check in checked if check.source.endswith("3.3.2.6"))
    assert lines.detail == "1 row found"
    assert lines.offending == [
        {"o_w_id": "1", "o_d_id": "1", "o_id": "3", "lines_demanded": "2", "lines_found": "1"}
    ]


@pytest.mark.parametrize("family", ["tatp"])
def test_rows_may_change_by_acknowledged_and_doubtful_transactions(tables: LocalServer, family: str) -> None:
    checks = WORKLOADS[family].invariants()
    before = count_before(tables.sql.open_data, checks)
    _harm(tables, "INSERT INTO call_forwarding VALUES (3, 4, 0, 1, 'a'), (3, 4, 8, 9, 'b')")
    acknowledged = {"name": "insert_call_forwarding", "ok": 1, "in_doubt": 1}
    assert _violated(_ask(tables, checks, before, [acknowledged])) == set()
    checked = _ask(tables, checks, before, [{**acknowledged, "in_doubt": 0}])
    (tally,) = [check for check in checked if check.status == "violated"]
    assert tally.detail == "expected 4, found 5; before the load 3"


@pytest.mark.parametrize("family", ["tatp"])
def test_a_question_that_takes_too_long_is_unknown(tables: LocalServer, family: str) -> None:
    _harm(tables, "INSERT INTO subscriber SELECT s_id + 3, sub_nbr FROM subscriber")
    slow = WORKLOADS[family].invariants()[1]
    assert isinstance(slow, Invariant)
    sleeping = Invariant("slow", "", *_SLEEP)
    (checked,) = check_after(tables.sql.open_data, tables.driver, [sleeping], {}, LoadSummary(), bound=1.0)
    assert (checked.status, checked.detail.startswith("the query failed:")) == ("unknown", True)
    assert checked.seconds < 30


ENGINES = ["postgres-18", "mariadb-10.11"]
# The SQL of the conditions is the same for both servers: each workload is tested on one of them.
DEFECTS = [
    pytest.param(name, *defect, marks=[] if number % 2 == turn else [pytest.mark.long])
    for turn, name in enumerate(ENGINES)
    for number, defect in enumerate(FAMILY_DEFECTS)
]
# A condition that one row meets.
SAMPLE = {"postgres-18": "ctid = (SELECT MIN(ctid) FROM tbtest_child1)", "mariadb-10.11": "1 LIMIT 1"}


def _experiment(engine_name: str, workload: str, more: str = "") -> str:
    return (
        f"name: one\ntrials: 1\nconnections: [4]\nworkloads: [{workload}]\n"
        f"solutions: [{{solution: standalone, engine: {engine_name}}}]\n"
        f"{more}{timing(recovery=4)}"
    )


@pytest.mark.parametrize("engine_name", ENGINES)
@pytest.mark.parametrize("workload", ["{workload: tpcc}", "{workload: tatp, subscribers: 500}"])
def test_invariants_hold_after_a_kill(tmp_path: Path, engine_name: str, workload: str) -> None:
    run = run_one(tmp_path, _experiment(engine_name, workload, kill(restart_after="500ms")), {})
    (trial,) = run.complete
    assert trial.record.load.transactions.ok > 0
    assert len(trial.record.invariants) > 10
    wrong = [invariant for invariant in trial.record.invariants if invariant.status != "holds"]
    assert wrong == [], [offending_text(invariant) for invariant in wrong]


@pytest.mark.parametrize(
    "engine_name", [pytest.param("postgres-18", marks=pytest.mark.long), "mariadb-10.11"]
)
def test_a_deleted_order_line_is_named_by_the_report(tmp_path: Path, engine_name: str) -> None:
    taken: list[int] = []

    def delete(deployed: Deployed) -> None:
        node = deployed.solution.nodes[0]
        with node.sql.open_data() as connection, connection.cursor() as cursor:
            cursor.execute("SELECT MAX(o_id) FROM orders WHERE o_w_id = 1 AND o_d_id = 7")
            taken.append(cursor.fetchone()[0])
            cursor.execute(
                "DELETE FROM order_line WHERE ol_w_id = 1 AND ol_d_id = 7 "
                f"AND ol_o_id = {taken[0]} AND ol_number = 1"
            )
            assert cursor.rowcount == 1

    run = run_one(tmp_path, _experiment(engine_name, "{workload: tpcc}"), {"checking": delete})
    violated = [
        invariant for invariant in run.complete[0].record.invariants if invariant.status == "violated"
    ]
    assert [invariant.source for invariant in violated] == ["TPC-C clause 3.3.2.4", "TPC-C clause 3.3.2.6"]
    assert violated[1].offending[0]["o_id"] == str(taken[0])
    page = html.unescape(render(run))
    assert "violated invariants of the workload in 1 of 1 trial" in page
    assert f"1 row found: o_w_id 1, o_d_id 7, o_id {taken[0]}, lines_demanded" in page


@pytest.mark.parametrize(("engine_name", "workload", "statement", "harmed"), DEFECTS)
def test_a_defect_in_the_data_of_a_load_is_found(
    tmp_path: Path, engine_name: str, workload: str, statement: str, harmed: set[str]
) -> None:
    def harm(deployed: Deployed) -> None:
        node = deployed.solution.nodes[0]
        with node.sql.open_data() as connection, connection.cursor() as cursor:
            cursor.execute(statement.replace("SAMPLE", SAMPLE[engine_name]))
            assert cursor.rowcount == 1

    run = run_one(tmp_path, _experiment(engine_name, workload), {"checking": harm})
    record = run.complete[0].record
    assert record.load.transactions.ok > 0
    assert _violated(record.invariants) == harmed


def test_lost_orders_are_reported(tmp_path: Path) -> None:
    def delete(deployed: Deployed) -> None:
        node = deployed.solution.nodes[0]
        with node.sql.open_data() as connection, connection.cursor() as cursor:
            cursor.execute("DELETE FROM history WHERE h_amount <> 10")

    run = run_one(tmp_path, _experiment("postgres-18", "{workload: tpcc}"), {"checking": delete})
    by_name = {invariant.name: invariant for invariant in run.complete[0].record.invariants}
    paid = by_name["payments: loaded + paid"]
    assert paid.status == "violated" and paid.detail.startswith("expected ")
    assert by_name["orders: loaded + new orders"].status == "holds"


_SLEEP = ("SELECT pg_sleep(8), s_id FROM subscriber", "SELECT SLEEP(8), s_id FROM subscriber")
