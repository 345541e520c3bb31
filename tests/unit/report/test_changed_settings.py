"""A setting that is not in effect any more after a recovery is a caution, with both values."""

import json
from pathlib import Path

from synthetic_run import Matrix, Recipe, write_run

from fivenines.analysis.cells import analyse
from fivenines.report import tables
from fivenines.report.groups import names_of
from fivenines.report.sentences.answers import answers
from fivenines.results.store import open_run


def test_both_values_and_the_number_of_trials_are_reported(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", Matrix([Recipe("a")], trials=3))
    seen = {
        "place": "node1",
        "setting": "max_connections",
        "asked": "321",
        "found": "222",
        "why": "SET PERSIST has it in mysqld-auto.cnf",
    }
    check = {"compared": 9, "differing": [seen], "adjusted": [], "unobserved": []}
    for file in sorted(folder.glob("trials/*/trial.json"))[:2]:
        record = json.loads(file.read_text())
        file.write_text(json.dumps(record | {"in_effect_after": check}))
    run = open_run(folder)
    cells = analyse(run)
    cautions = [one.text for one in answers(cells, names_of(cells)) if one.topic == "Caution"]
    assert (
        "After the recovery node1 of a has max_connections = 222 instead of 321 (SET PERSIST has it in "
        "mysqld-auto.cnf): seen in 2 trials." in cautions
    )
    assert "After the recovery node1 of a has max_connections = 222" in tables(run, "md")
