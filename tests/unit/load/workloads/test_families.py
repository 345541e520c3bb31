"""What the settings of each family become, and what makes no sense in them."""

import json
import subprocess
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import TypeAdapter, ValidationError
from repository import ROOT

from fivenines.base import plugins
from fivenines.base.core import core_binary
from fivenines.experiment.spec import AnyWorkload
from fivenines.experiment.validation.checks import problems
from fivenines.load.workloads.invariant import Invariant, Tally
from fivenines.load.workloads.settings import WorkloadSettings


def workload(**settings: Any) -> WorkloadSettings:
    adapter: TypeAdapter[WorkloadSettings] = TypeAdapter(AnyWorkload)
    return adapter.validate_python(settings)


LOADED = ["tatp", "tpcc", "iibench", "ingest", "crud", "imsi", "bulkload"]
MAKE_THEIR_TABLES = ["bank", "append", "registers"]
FAMILIES = [*LOADED, *MAKE_THEIR_TABLES]


RUST_TESTS = ROOT / "crates/workloads/src/testing/settings.json"


@pytest.mark.parametrize("family", FAMILIES)
def test_the_defaults_make_sense_and_every_setting_is_reported(family: str) -> None:
    one = workload(workload=family)
    assert problems(one) == []
    assert set(one.document()) == set(type(one).written()) - {"name"}


def test_the_rust_tests_begin_with_the_defaults_of_the_models() -> None:
    known = plugins.kinds("fivenines.load.workloads", WorkloadSettings, "workload")
    defaults = {
        kind: workload(workload=kind).document() | {"workload": kind}
        for kind in known
        if kind not in ("mix", "script")
    }
    message = json.loads(RUST_TESTS.read_text())
    assert {kind: {**own, "workload": kind} for kind, own in message.items()} == defaults


def _program(out: Path, document: dict[str, Any]) -> subprocess.CompletedProcess[str]:
    command: list[str | Path] = [core_binary(), "load", "--driver", "noop", "--write", "nowhere:1"]
    command += ["--connections", "1", "--transactions", "3", "--duration", "5", "--out", out]
    return subprocess.run(
        [*command, "--workload", json.dumps(document)],
        capture_output=True,
        text=True,
        check=False,
        timeout=20,
    )


@pytest.mark.parametrize("family", FAMILIES)
def test_the_program_takes_every_setting(family: str, tmp_path: Path) -> None:
    one = workload(workload=family)
    done = _program(tmp_path, one.document())
    assert done.returncode == 0, done.stderr
    types = json.loads((tmp_path / "load.json").read_text())["types"]
    known = {one["name"] for one in types}
    tallies = [check for check in one.invariants() if isinstance(check, Tally)]
    assert {name for tally in tallies for name in tally.adds} <= known


@pytest.mark.parametrize(
    ("settings", "adds"),
    [
        ({"batch": 1, "batch_share": 50}, {"insert": 1}),
        ({"batch": 20}, {"insert": 20}),
        ({"batch": 20, "batch_share": 40}, {"insert": 1, "insert_batch": 20}),
    ],
)
def test_batches_alongside_inserts_of_one_row_count_for_themselves(
    settings: dict[str, Any], adds: dict[str, int], tmp_path: Path
) -> None:
    one = workload(workload="crud", **settings)
    (tally,) = (check for check in one.invariants() if isinstance(check, Tally))
    assert tally.adds == {**adds, "delete": -1}
    assert _program(tmp_path, one.document()).returncode == 0
    known = {of["name"] for of in json.loads((tmp_path / "load.json").read_text())["types"]}
    assert set(adds) <= known and ("insert_batch" in known) == ("insert_batch" in adds)


def _words() -> list[tuple[str, str, str]]:
    """Every word that a setting of a workload can be."""
    return [
        (family, name, word)
        for family in (*FAMILIES, "oltp_read_write")
        for name, field in type(workload(workload=family)).model_fields.items()
        if name != "workload"
        for word in get_args(field.annotation)
        if isinstance(word, str)
    ]


@pytest.mark.parametrize(("family", "name", "word"), _words())
def test_the_program_knows_every_word(family: str, name: str, word: str, tmp_path: Path) -> None:
    done = _program(tmp_path, workload(workload=family, **{name: word}).document())
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("change", [{"subscriber": 5}, {"choice": "any"}, {"subscribers": "5"}])
def test_the_program_refuses_what_it_does_not_know(change: dict[str, Any], tmp_path: Path) -> None:
    refused = _program(tmp_path, workload(workload="tatp").document() | change)
    assert refused.returncode == 2 and "the workload tatp: " in refused.stderr
    assert len(refused.stderr.splitlines()) == 1, refused.stderr


@pytest.mark.parametrize("family", LOADED)
def test_the_data_set_is_reported_by_its_scale_alone(family: str) -> None:
    one = workload(workload=family)
    assert one.prepares() == [one]
    assert len(type(one).scale) >= 1
    assert one.data_set() == {"family": family, **{name: getattr(one, name) for name in type(one).scale}}
    renamed = workload(workload=family, name="mine")
    assert (renamed.data_set(), renamed.document()) == (one.data_set(), one.document())


@pytest.mark.parametrize("family", MAKE_THEIR_TABLES)
def test_what_makes_its_own_tables_needs_no_data_set(family: str) -> None:
    one = workload(workload=family)
    assert (one.data_set(), one.prepares()) == ({"family": "none"}, [])


def test_the_sum_of_the_bank_is_known_beforehand() -> None:
    (check,) = workload(workload="bank", accounts=7).invariants()
    assert isinstance(check, Invariant) and "<> 700" in check.sql


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"workload": "tatp", "mix": "35,10,35,2,14,2,3"}, "their sum is 101; or write r80w20"),
        ({"workload": "tatp", "mix": "r50w50"}, "write 7 percentages separated by commas"),
        ({"workload": "tpcc", "mix": "45,43,4,4"}, "write 5 percentages separated by commas"),
        ({"workload": "crud", "select": 60}, "select, insert, update, delete: the percentages"),
        ({"workload": "crud", "read_in": 11}, "read_exact: the percentages must sum to 100"),
        ({"workload": "imsi", "site": 3}, "site: found 3, but there are only 2 sites"),
        ({"workload": "imsi", "home": 1}, "home: each of the 2 sites needs at least one"),
        ({"workload": "imsi", "visitors": 4, "sites": 5}, "visitors: each of the 5 sites"),
    ],
)
def test_what_makes_no_sense_is_reported(settings: dict[str, Any], said: str) -> None:
    (problem,) = problems(workload(**settings))
    assert said in problem


@pytest.mark.parametrize(
    "settings",
    [
        {"workload": "tatp", "subscribers": 0},
        {"workload": "tpcc", "warehouses": 0},
        {"workload": "tpcc", "home": "away"},
        {"workload": "iibench", "data_length": 4001},
        {"workload": "ingest", "batch": 0},
        {"workload": "crud", "select": 101},
        {"workload": "imsi", "style": "orm"},
        {"workload": "bulkload", "rows": 0},
        {"workload": "tpcc", "tables": 4},
    ],
)
def test_what_is_out_of_range_is_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        workload(**settings)
