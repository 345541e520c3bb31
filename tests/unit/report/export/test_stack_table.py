"""The exported table of client stacks: lower bounds are in columns of their own, unread rows are NULL."""

from pathlib import Path

import duckdb
from synthetic_run import Matrix, Recipe, write_run
from synthetic_stacks import Planted, add_stacks

from fivenines.report.export.file import export
from fivenines.results.store import open_run


def test_each_stack_of_each_trial_is_a_row(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", Matrix([Recipe("alpha")], trials=2))
    add_stacks(
        folder,
        [
            Planted(
                "a:recommended", (1.0, 2.0), twice=1, pool=[(-0.5, 0, 2, 2), (0.5, 2, 0, 2), (1.5, 0, 2, 4)]
            ),
            Planted("b", (None, None), kept=2, unread="server is away"),
        ],
    )
    target = tmp_path / "trials.duckdb"
    export([open_run(folder)], target)
    with duckdb.connect(str(target), read_only=True) as connection:
        rows = connection.execute(
            "SELECT stack, gap_ms > 0, gap_at_least_ms > 0, gap_is_bound, workers_recovered, "
            "connections_kept, most_waiting, least_open, connections_opened, "
            "committed_twice, lost, options->>'pool.timeout', errors->0->>'code' "
            "FROM stacks ORDER BY trial, stack"
        ).fetchall()
    assert rows[:2] == [
        ("a:recommended", True, True, False, 2, 0, 2, 0, 2, 1, 0, "5", "refused"),
        ("b", None, True, True, 0, 2, None, None, None, None, None, None, "refused"),
    ]
    assert len(rows) == 4
