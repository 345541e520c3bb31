"""sysbench's OLTP family as `fivenines-core` is asked for it."""

import json
import subprocess
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from fivenines.base.core import core_binary
from fivenines.load.commands import described
from fivenines.load.workloads.oltp import Oltp

KINDS = get_args(Oltp.model_fields["workload"].annotation)
DISTRIBUTIONS = get_args(Oltp.model_fields["distribution"].annotation)
COUNTS = [
    name for name, field in Oltp.model_fields.items() if "in a transaction" in (field.description or "")
]

workloads = st.builds(
    Oltp,
    workload=st.sampled_from(KINDS),
    tables=st.integers(1, 1000),
    table_size=st.integers(1, 10**8),
    distribution=st.sampled_from(DISTRIBUTIONS),
    range_size=st.integers(1, 10**6),
    skip_trx=st.booleans(),
    auto_inc=st.booleans(),
    secondary_indexes=st.integers(0, 3),
    secondary=st.booleans(),
    **{name: st.integers(0, 1000) for name in COUNTS},
)


@pytest.mark.parametrize("kind", KINDS)
def test_the_program_takes_every_kind(tmp_path: Path, kind: str) -> None:
    workload = Oltp(workload=kind, tables=2, table_size=50, skip_trx=kind == "oltp_delete")
    command: list[str | Path] = [core_binary(), "load", "--driver", "noop", "--write", "nowhere:1"]
    command += ["--connections", "1", "--transactions", "3", "--duration", "5", "--out", tmp_path]
    ended = subprocess.run(
        [*command, *described(workload)], capture_output=True, text=True, check=False, timeout=10
    )
    assert ended.returncode == 0, ended.stderr


@settings(max_examples=30, deadline=None)
@given(workloads)
def test_every_setting_arrives_as_it_is(workload: Oltp) -> None:
    assert Oltp(**json.loads(json.dumps(workload.document()))) == workload
    (prepared,) = workload.prepares()
    assert isinstance(prepared, Oltp) and prepared.data_set() == workload.data_set()


def test_the_program_prepares_what_is_asked_for() -> None:
    (asked,) = Oltp(workload="oltp_insert", tables=2, table_size=50, range_size=7).prepares()
    assert asked == Oltp(workload="oltp_insert", tables=2, table_size=50), "only the scale"
    ended = subprocess.run(
        [core_binary(), "prepare", "--driver", "noop", *described(asked)],
        capture_output=True,
        text=True,
        check=False,
        timeout=10,
    )
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout.splitlines()[-1])["rows"] == 100


def test_unusual_keys_and_indexes_make_a_data_set_of_their_own() -> None:
    usual = Oltp(workload="oltp_insert")
    other = Oltp(workload="oltp_insert", auto_inc=False, secondary_indexes=3)
    assert other.data_set() == {**usual.data_set(), "auto_inc": 0, "secondary_indexes": 3}


def test_a_name_in_reports_is_not_reported_to_the_program() -> None:
    plain, named = Oltp(workload="oltp_insert"), Oltp(workload="oltp_insert", name="inserts")
    assert named.document() == plain.document() and "name" not in plain.document()


@given(workloads, workloads)
@settings(max_examples=50, deadline=None)
def test_only_the_scale_tells_data_sets_apart(one: Oltp, other: Oltp) -> None:
    scale = {name: getattr(one, name) for name in Oltp.scale}
    assert one.data_set() == {"family": "oltp", **scale}
    scaled = other.model_copy(update=scale)
    assert scaled.data_set() == one.data_set()
    larger = one.model_copy(update={"table_size": one.table_size + 1})
    assert larger.data_set() != one.data_set()


@pytest.mark.parametrize(
    "wrong",
    [
        {"workload": "oltp"},
        {"tables": 0},
        {"table_size": 0},
        {"point_selects": -1},
        {"point_selects": 1001},
        {"distribution": "normal"},
        {"range_size": 0},
        {"threads": 1},
    ],
)
def test_what_makes_no_sense_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Oltp(**{"workload": "oltp_read_write", **wrong})
