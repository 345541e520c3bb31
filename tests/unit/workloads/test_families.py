"""What the settings of each family become, and what makes no sense in them."""

import json
import re
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from fivenines.core import core_binary
from fivenines.experiment.checks import problems
from fivenines.experiment.spec import AnyWorkload
from fivenines.workloads.invariant import Invariant, Tally
from fivenines.workloads.settings import WorkloadSettings


def workload(**settings: Any) -> WorkloadSettings:
    adapter: TypeAdapter[WorkloadSettings] = TypeAdapter(AnyWorkload)
    return adapter.validate_python(settings)


LOADED = ["tatp", "tpcc", "iibench", "ingest", "crud", "imsi", "bulkload"]
FAMILIES = [*LOADED, "bank", "append"]


@pytest.mark.parametrize("family", FAMILIES)
def test_the_defaults_make_sense_and_every_setting_has_its_flag(family: str) -> None:
    one = workload(workload=family)
    assert problems(one) == []
    flags = one.load_flags()
    assert flags[:2] == ["--workload", family]
    own = set(type(one).model_fields) - {"workload", "name"}
    assert {flag.partition("=")[0] for flag in flags[2:]} == {
        f"--{family}-{name.replace('_', '-')}" for name in own
    }


@cache
def _help(command: str) -> dict[str, str]:
    """What the program says of each flag."""
    said = subprocess.run(
        [core_binary(), command, "--help"], capture_output=True, text=True, check=True
    ).stdout
    found = re.split(r"^ +(?:-h, )?(--[a-z0-9-]+)", said, flags=re.MULTILINE)
    return dict(zip(found[1::2], found[2::2], strict=True))


@pytest.mark.parametrize("family", FAMILIES)
def test_the_program_has_the_same_flags_and_defaults(family: str) -> None:
    one = workload(workload=family)
    prepared = one.prepare_flags() or [[]]
    for command, flags in (("load", one.load_flags()), ("prepare", prepared[0])):
        for flag in flags[2:]:
            name, _, value = flag.partition("=")
            default = re.search(r"\[default: (.*)\]", _help(command)[name])
            assert default is not None, name
            assert default[1] == value, name


@pytest.mark.parametrize("family", FAMILIES)
def test_the_program_takes_every_setting(family: str, tmp_path: Path) -> None:
    command = [core_binary(), "load", "--driver", "noop", "--write", "nowhere:1"]
    command += ["--connections", "1", "--transactions", "3", "--duration", "5", "--out", tmp_path]
    done = subprocess.run(
        [*command, *workload(workload=family).load_flags()],
        capture_output=True, text=True, check=False, timeout=20,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    types = json.loads((tmp_path / "load.json").read_text())["types"]
    known = {one["name"] for one in types}
    tallies = [
        check for check in workload(workload=family).invariants() if isinstance(check, Tally)
    ]
    assert {name for tally in tallies for name in tally.adds} <= known


@pytest.mark.parametrize("family", LOADED)
def test_the_data_set_is_told_by_its_scale_alone(family: str) -> None:
    one = workload(workload=family)
    (prepared,) = one.prepare_flags()
    assert prepared[:2] == ["--workload", family]
    assert set(prepared[2:]) <= set(one.load_flags())
    assert len(prepared) == 2 + len(type(one).scale) >= 3
    assert one.data_set() == {
        "family": family, **{name: getattr(one, name) for name in type(one).scale},
    }  # fmt: skip
    renamed = workload(workload=family, name="mine")
    assert (renamed.data_set(), renamed.load_flags()) == (one.data_set(), one.load_flags())


@pytest.mark.parametrize("family", ["bank", "append"])
def test_what_makes_its_own_tables_needs_no_data_set(family: str) -> None:
    one = workload(workload=family)
    assert (one.data_set(), one.prepare_flags()) == ({"family": "none"}, [])


def test_the_sum_of_the_bank_is_known_beforehand() -> None:
    (check,) = workload(workload="bank", accounts=7).invariants()
    assert isinstance(check, Invariant) and "<> 700" in check.sql


def test_some_flags_in_full() -> None:
    assert workload(workload="tatp", subscribers=1000, mix="r20w80").load_flags() == [
        "--workload", "tatp", "--tatp-subscribers=1000", "--tatp-mix=r20w80",
        "--tatp-choice=nonuniform",
    ]  # fmt: skip
    assert workload(workload="bulkload", checks=False).load_flags() == [
        "--workload", "bulkload", "--bulkload-rows=100000", "--bulkload-batch=500",
        "--bulkload-foreign-keys=true", "--bulkload-checks=false",
    ]  # fmt: skip
    crud = workload(workload="crud", select=49.5, insert=20.5).load_flags()
    assert "--crud-select=49.5" in crud and "--crud-read-exact=10" in crud


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"workload": "tatp", "mix": "35,10,35,2,14,2,3"}, "these make 101; or write r80w20"),
        ({"workload": "tatp", "mix": "r50w50"}, "write 7 percentages joined by commas"),
        ({"workload": "tpcc", "mix": "45,43,4,4"}, "write 5 percentages joined by commas"),
        ({"workload": "crud", "select": 60}, "select, insert, update, delete: the percentages"),
        ({"workload": "crud", "read_in": 11}, "read_exact: the percentages must sum to 100"),
        ({"workload": "imsi", "site": 3}, "site: there is no site 3 of 2"),
    ],
)
def test_what_makes_no_sense_is_said(settings: dict[str, Any], said: str) -> None:
    (problem,) = problems(workload(**settings))
    assert said in problem


@pytest.mark.parametrize(
    "settings",
    [{"workload": "tatp", "subscribers": 0}, {"workload": "tpcc", "warehouses": 0},
     {"workload": "tpcc", "home": "away"}, {"workload": "iibench", "data_length": 4001},
     {"workload": "ingest", "batch": 0}, {"workload": "crud", "select": 101},
     {"workload": "imsi", "style": "orm"}, {"workload": "bulkload", "rows": 0},
     {"workload": "tpcc", "tables": 4}],
)  # fmt: skip
def test_what_is_out_of_range_is_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        workload(**settings)
