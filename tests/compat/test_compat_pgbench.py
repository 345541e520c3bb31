"""pgbench's scripts cause the same work in PostgreSQL by fivenines as by pgbench.

The scripts in scripts/pgbench are small rewritten ones, one for each part of the
language. docs/workloads/script.md names those of third parties that were compared in the same way.
"""

import os
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from lab_prepare import workload_flags
from lab_scripts import Place, alone, log_statements

from fivenines.base import paths
from fivenines.servers.postgres.server import Postgres

SCRIPTS = Path(__file__).parent / "scripts" / "pgbench"
TRANSACTIONS = 20
# The script with random values: only their number can be the same.
DRAWN = "distributions"

# Variables of the command line, by script.
DEFINES = {
    "pieces_of_sql": {
        "list": "1,2,3",
        "condition": "aid < 10",
        "column": "aid",
        "direction": "desc",
        "text": "'abc'",
    },
    "spellings": {"zip": "00501", "price": "1.50"},
}

TABLES = """
DROP TABLE IF EXISTS taken, pgbench_accounts, pgbench_branches;
CREATE TABLE taken (name text, value numeric);
CREATE TABLE pgbench_accounts AS SELECT aid, 1 AS bid, 0 AS abalance FROM generate_series(1, 1000) aid;
CREATE TABLE pgbench_branches AS SELECT 1 AS bid, 0 AS bbalance;
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """Provide a standalone PostgreSQL server that logs the application's statements."""
    folder = tmp_path_factory.mktemp("pgbench")
    with alone("postgres-18", folder) as place:
        log_statements(place)
        yield place


def _pgbench(place: Place, script: Path, mode: str) -> str:
    """Run a script by pgbench and return its output."""
    assert isinstance(place.node, Postgres)
    user, password = place.node.application
    (program,) = (paths.cache() / "engines" / "postgres-18" / "tree").glob("**/bin/pgbench")
    command = [
        str(program),
        "--no-vacuum",
        f"--protocol={mode}",
        f"--host={place.node.host.address}",
        f"--port={place.node.port}",
        f"--username={user}",
        "--client=1",
        f"--transactions={TRANSACTIONS}",
        f"--file={script}",
        *(f"--define={name}={value}" for name, value in DEFINES.get(script.stem, {}).items()),
        place.node.database,
    ]
    done = subprocess.run(
        place.client.commands.outside(command),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "PGPASSWORD": password},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def _verbs(counted: Counter[str]) -> Counter[str]:
    """Count statements by verb, prepared or not."""
    verbs: Counter[str] = Counter()
    for name, count in counted.items():
        verbs[name.rpartition(" ")[2]] += count
    return verbs


def _taken(place: Place) -> list[tuple[str, int, str]]:
    """Return what the scripts have written: names, counts, and the sums of the values."""
    assert isinstance(place.node, Postgres)
    with place.node.sql.connect(database=place.node.database) as connection:
        rows = connection.execute(
            "SELECT name, count(*), round(sum(value), 9)::text FROM taken GROUP BY name UNION ALL "
            "SELECT 'abalance', count(*), sum(abalance)::text FROM pgbench_accounts ORDER BY 1"
        ).fetchall()
    return [(str(name), int(count), str(total)) for name, count, total in rows]


def _fresh(place: Place) -> None:
    assert isinstance(place.node, Postgres)
    with place.node.sql.connect(database=place.node.database) as connection:
        connection.execute(TABLES)
        connection.execute("GRANT ALL ON taken, pgbench_accounts, pgbench_branches TO app")


@pytest.mark.parametrize("protocol", ["prepared", "simple"])
@pytest.mark.parametrize("script", sorted(SCRIPTS.glob("*.sql")), ids=lambda script: script.stem)
def test_scripts_do_the_same_as_with_pgbench(
    place: Place, tmp_path: Path, script: Path, protocol: str
) -> None:
    _fresh(place)
    # pgbench has no pipelines with the simple protocol.
    with place.counted() as theirs:
        _pgbench(place, script, "prepared" if "pipeline" in script.stem else "simple")
    expected = _taken(place)
    _fresh(place)
    with place.counted() as ours:
        flags = workload_flags("script", files=[str(script)], define=DEFINES.get(script.stem, {}))
        more = [f"--protocol={protocol}", f"--transactions={TRANSACTIONS}"]
        place.load(flags, tmp_path / "out", 1, *more)
    found = _taken(place)
    assert sum(theirs.values()) >= TRANSACTIONS
    if "joined" not in script.stem and "pipeline" not in script.stem:
        # The log lists texts of several statements under their first word.
        assert _verbs(ours) == _verbs(theirs)
    if script.stem == DRAWN:
        assert [row[:2] for row in found] == [row[:2] for row in expected]
    else:
        assert found == expected
