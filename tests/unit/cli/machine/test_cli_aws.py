"""What a run costs is shown and must be agreed to."""

import json
from pathlib import Path

import pytest
from cli_support import Fivenines

FILE = """\
name: paid
workloads: [oltp_read_only]
solutions:
  - {solution: aurora, engine: aurora-mysql, create: {instance_class: db.r6g.large}, readers: 1,
     user: app, password_env: AURORA_TEST_PASSWORD, database: shop, price_per_hour: 0.3, budget: 4}
"""


@pytest.fixture(autouse=True)
def file(monkeypatch: pytest.MonkeyPatch, fivenines: Fivenines) -> None:
    monkeypatch.setenv("AURORA_TEST_PASSWORD", "secret-secret")
    Path("paid.yaml").write_text(FILE)


def test_the_plan_says_what_it_costs(fivenines: Fivenines) -> None:
    answer = fivenines("run", "paid.yaml", "--dry-run", "--trials", "2")
    assert answer.code == 0
    assert "aurora-mysql: 2 x db.r6g.large for about" in answer.out
    assert "no trial begins that would exceed 4.00" in answer.out
    assert "Storage, I/O, backups and network traffic cost extra." in answer.out
    (charge,) = json.loads(fivenines("run", "paid.yaml", "--dry-run", "--json").out)["charges"]
    assert charge["instances"] == 2 and charge["price_per_hour"] == 0.3 and charge["amount"] > 0.1


def test_a_run_that_costs_money_wants_yes_with_the_price(fivenines: Fivenines) -> None:
    answer = fivenines("run", "paid.yaml")
    assert answer.code == 2 and "Estimate: 0." in answer.err
    assert "Add --yes to accept this cost" in answer.err
    assert not Path("runs").exists()


def test_an_unknown_price_is_required(fivenines: Fivenines, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fivenines.solutions.aurora.settings.per_hour", lambda *_asked: None)
    Path("paid.yaml").write_text(FILE.replace("price_per_hour: 0.3, ", "region: eu-central-1, "))
    assert "price unknown" in fivenines("run", "paid.yaml", "--dry-run").out
    answer = fivenines("run", "paid.yaml", "--yes")
    assert answer.code == 2 and "Set `price_per_hour`" in answer.err


def test_trials_of_one_cluster_do_not_run_side_by_side(fivenines: Fivenines) -> None:
    answer = fivenines("run", "paid.yaml", "--yes", "--parallel", "2")
    assert answer.code == 2 and "trials of an external cluster run one at a time" in answer.err


def test_help_teaches_the_sweep(fivenines: Fivenines) -> None:
    answer = fivenines("aws", "sweep", "--help")
    assert answer.code == 0 and "Only resources with the tag fivenines:run" in answer.out
