"""Loading data sets: resumed after a kill on either side, and never repeated."""

import subprocess

import pytest
from lab_prepare import Site, each_site, ended, workload_flags
from lab_support import LIMIT

place = each_site

TABLES = ("sbtest1", "sbtest2", "sbtest3")
BIG = workload_flags("oltp_read_write", tables=3, table_size=75_000)
ROWS = 3 * 75_000
SMALL = workload_flags("oltp_read_write", tables=3, table_size=15_000)


@pytest.fixture(autouse=True)
def _clean(place: Site) -> None:
    place.drop_tables()


def test_rows_do_not_depend_on_threads_and_a_second_load_has_nothing_to_do(place: Site) -> None:
    first = place.prepare(*SMALL, "--threads", "1")
    assert (first.code, first.rows) == (0, 45_000), first.stderr
    before = place.checksum(*TABLES)
    assert len(set(before)) == 3
    again = place.prepare(*SMALL)
    assert (again.code, again.rows) == (0, 45_000)
    assert again.event("already_loaded") and not again.event("progress")
    assert place.checksum(*TABLES) == before
    anew = place.prepare(*SMALL, "--threads", "4", "--drop")
    assert anew.code == 0 and not anew.event("already_loaded")
    assert place.checksum(*TABLES) == before
    assert place.prepare(*SMALL, "--seed", "2", "--drop").code == 0
    assert not set(place.checksum(*TABLES)) & set(before)


def test_the_server_numbers_new_rows_after_the_loaded_ones(place: Site) -> None:
    assert place.prepare(*SMALL).code == 0
    place.query("INSERT INTO sbtest2(k, c, pad) VALUES (1, 'a', 'b')")
    assert place.one("SELECT MAX(id) FROM sbtest2") == 15_001


@pytest.mark.parametrize("share", [pytest.param(0.05, marks=pytest.mark.long), 0.6])
def test_a_loader_that_is_killed_is_resumed(place: Site, share: float) -> None:
    assert place.prepare(*BIG).code == 0
    whole = place.checksum(*TABLES)
    made = place.indexes("sbtest1")
    loading = place.start_until(share, *BIG, "--drop")
    loading.kill()
    loading.wait()
    resumed = place.prepare(*BIG)
    assert (resumed.code, resumed.rows) == (0, ROWS), resumed.stderr
    first = resumed.event("progress")
    assert first is not None and first["done"] > share * first["total"]
    assert place.checksum(*TABLES) == whole
    assert place.indexes("sbtest1") == made


def test_a_server_that_is_killed_is_resumed(place: Site) -> None:
    assert place.prepare(*BIG).code == 0
    whole = place.checksum(*TABLES)
    loading = place.start_until(0.1, *BIG, "--drop")
    node = place.node
    assert node.process is not None
    node.process.kill()
    assert node.process.wait(LIMIT)
    failed = ended(loading)
    # The other tests use it, even if this one fails.
    node.start()
    node.wait_ready()
    assert failed.code == 1
    # On a busy machine the progress of a tenth may be reported when all rows and their statistics are there.
    assert "sbtest" in failed.stderr, failed.stderr
    assert "panicked" not in failed.stderr
    resumed = place.prepare(*BIG)
    assert (resumed.code, resumed.rows) == (0, ROWS), resumed.stderr
    assert place.checksum(*TABLES) == whole


def test_two_loaders_at_once_share_the_work(place: Site) -> None:
    assert place.prepare(*BIG).code == 0
    whole = place.checksum(*TABLES)
    assert place.prepare(*SMALL, "--drop").code == 0
    for table in TABLES:
        place.query(f"DROP TABLE {table}")
    both = [ended(loading) for loading in [place.start(*BIG), place.start(*BIG)]]
    assert [(done.code, done.rows) for done in both] == [(0, ROWS)] * 2, both
    assert place.checksum(*TABLES) == whole


def test_another_data_set_is_refused_without_the_option_to_drop(place: Site) -> None:
    assert place.prepare(*SMALL).code == 0
    larger = workload_flags("oltp_read_write", tables=3, table_size=15_001)
    fewer = workload_flags("oltp_read_write", tables=2, table_size=15_000)
    for flags in (larger, fewer, [*SMALL, "--seed", "9"]):
        refused = place.prepare(*flags)
        assert refused.code == 1
        assert "another data set" in refused.stderr and "--drop" in refused.stderr, refused.stderr
        assert len(refused.stderr.splitlines()) == 1
    workload = workload_flags("oltp_read_write", tables=1, table_size=10)
    assert place.prepare(*workload, "--drop").code == 0
    assert place.tables() == {"sbtest1"}


def test_foreign_and_missing_tables_are_reported(place: Site) -> None:
    place.query("CREATE TABLE sbtest2 (id INTEGER PRIMARY KEY)")
    refused = place.prepare(*SMALL)
    assert refused.code == 1 and "table sbtest2 exists" in refused.stderr, refused.stderr
    assert place.tables() == {"sbtest2"}
    assert place.prepare(*SMALL, "--drop").code == 0
    place.query("DROP TABLE sbtest3")
    refused = place.prepare(*SMALL)
    assert refused.code == 1 and "1 of the 3 tables" in refused.stderr, refused.stderr
    for table in ("sbtest1", "sbtest2"):
        place.query(f"DROP TABLE {table}")
    assert place.prepare(*SMALL).rows == 45_000


def test_a_loader_whose_data_set_is_dropped_gives_up(place: Site) -> None:
    loading = place.start_until(0.1, *BIG)
    other = place.prepare(*SMALL, "--drop")
    assert other.code == 0, other.stderr
    outcome = ended(loading)
    assert outcome.code == 1 and ("dropped" in outcome.stderr or "sbtest" in outcome.stderr), outcome.stderr
    assert [place.one(f"SELECT COUNT(*) FROM {table}") for table in TABLES] == [15_000] * 3


def test_a_wrong_name_is_a_usage_error(place: Site) -> None:
    refused = place.prepare("--workload", '{"workload": "oltq"}')
    assert refused.code == 2 and "there are oltp_point_select" in refused.stderr
    unreachable = subprocess.run(
        [*place.command(*SMALL), "--port", "1"], capture_output=True, text=True, timeout=60, check=False
    )
    assert unreachable.returncode in (1, 2) and "panicked" not in unreachable.stderr
